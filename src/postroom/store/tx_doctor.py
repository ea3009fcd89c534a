"""Looks through whole tables, a page at a time, and rows put back to what the log says.

For `postroom.observe.doctor` only. Nothing here writes an event of a change, because the log has it
already; what a repair did is told by the `store.repaired` event beside it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias, TypeVar, cast

from postroom.domain.event import EventKind
from postroom.rules.fold import rows
from postroom.store.tx_base import Value
from postroom.store.tx_log import LogTx

Key: TypeAlias = int | tuple[int, ...]
R = TypeVar(
    "R", rows.Branch, rows.Delivery, rows.Turn, rows.Task, rows.Call, rows.Wait, rows.Chain, rows.Pair,
    rows.Producer, rows.Timer, rows.Spend, rows.Session, rows.Ask, rows.Grant, rows.Goal, rows.Todo,
    rows.Bus, rows.Reader, rows.Token, rows.Notice,
)  # fmt: skip
PAGE: Final = 2_000
"""Rows read at once."""


class NodeShape(NamedTuple):
    """A node without its text. `calls`: how many an answer made, -1 when its parts cannot be read."""

    predecessor: int | None
    role: str
    message: int | None
    turn: int
    round: int
    calls: int
    shared: str | None = None
    """Of one that several messages share: their keys, as JSON."""

    @property
    def messages(self) -> list[int]:
        """The messages that it shows."""
        shared: list[int] = json.loads(self.shared) if self.shared else []
        return shared if self.message is None else [self.message]


class _Statements(NamedTuple):
    """How the rows of a table are read, and put back; empty: in a way of their own."""

    after: str
    mend: str = ""
    key_first: bool = False
    """Whether a row that is gone is written anew, too: then its key comes before its columns."""
    n_keys: int = 1


_TABLES: Final[Mapping[type[tuple[object, ...]], _Statements]] = {
    rows.Branch: _Statements("branches_after", "mend_branch"),
    rows.Delivery: _Statements("deliveries_after"),
    rows.Turn: _Statements("turns_after", "mend_turn"),
    rows.Task: _Statements("tasks_after"),
    rows.Call: _Statements("calls_after", "mend_call"),
    rows.Wait: _Statements("waits_after"),
    rows.Chain: _Statements("chains_after", "mend_chain", key_first=True),
    rows.Pair: _Statements("pairs_after", "mend_pair", key_first=True, n_keys=2),
    rows.Producer: _Statements("producers_after", "mend_producer"),
    rows.Timer: _Statements("timers_after", "mend_timer"),
    rows.Spend: _Statements("spends_after", "mend_spend", key_first=True, n_keys=3),
    rows.Session: _Statements("rights_after", "mend_rights"),
    rows.Ask: _Statements("asks_after", "mend_ask"),
    rows.Grant: _Statements("grants_after"),
    rows.Goal: _Statements("goals_after", "mend_goal"),
    rows.Todo: _Statements("todos_after", "mend_todo"),
    rows.Bus: _Statements("buses_after"),
    rows.Reader: _Statements("readers_after", "mend_reader", key_first=True),
    rows.Token: _Statements("tokens_after", "mend_token"),
    rows.Notice: _Statements("notices_after", "mend_notice"),
}


class DoctorTx(LogTx):
    """What an examination reads, and what a repair writes."""

    __slots__ = ()

    def integrity(self) -> list[str]:
        """What SQLite finds wrong with the file; empty when it is sound."""
        return [text for row in self._all("integrity") if (text := str(row[0])) != "ok"]

    def reindex(self) -> None:
        """Build every index anew."""
        self._do("reindex")

    def every_row(self, of: type[R]) -> Iterator[tuple[Key, R]]:
        """All rows of a table by key, as far as the log tells of them, a page at a time."""
        statement, n = _TABLES[of].after, _TABLES[of].n_keys
        at: tuple[int, ...] = (0,) * n
        while page := self._all(statement, *at, PAGE):
            for row in page:
                at = cast("tuple[int, ...]", row[:n])
                more = (self._targets(at[0]),) if of is rows.Wait else ()
                yield at if n > 1 else at[0], of._make((*row[n:], *more))

    def _targets(self, call: int) -> str:
        return json.dumps(self._each("targets_of_wait", list, call))

    def nodes_after(self, key: int, limit: int) -> list[tuple[int, NodeShape]]:
        """The shape of nodes by key."""
        found = self._all("nodes_after", key, limit)
        return [(cast("int", r[0]), NodeShape._make(r[1:])) for r in found]

    def message_keys_after(self, key: int, limit: int) -> list[int]:
        """Keys of messages."""
        return self._values("message_keys_after", int, key, limit)

    def calls_without_text_after(self, key: int, limit: int) -> list[int]:
        """Keys of calls that have ended without a text."""
        return self._values("calls_without_text_after", int, key, limit)

    def put_back(self, key: Key, row: R) -> None:
        """A row becomes what the log says; see `_Statements.key_first` for one that is gone."""
        statements, keys = _TABLES[type(row)], key if isinstance(key, tuple) else (key,)
        values: tuple[Value, ...] = (*keys, *row) if statements.key_first else (*row, *keys)
        self._do(statements.mend, *values)

    def mend_delivery(self, key: int, row: rows.Delivery) -> None:
        """A delivery becomes what the log says, also one that is gone."""
        self._do("mend_delivery", key, *row, self.now_us)

    def mend_task(self, key: int, row: rows.Task, public_id: str) -> None:
        """A task becomes what the log says, also one that is gone; without an id it gets a new one."""
        self._do("mend_task", key, *row, public_id or self.new_task_id())

    def mend_wait(self, key: int, row: rows.Wait) -> None:
        """A wait becomes what the log says, also one that is gone."""
        self._do("insert_wait", key, *row[:-1])
        self._do("delete_wait_targets", key)
        self._do("insert_wait_targets", key, row.targets)

    def mend_grant(self, key: int, row: rows.Grant) -> None:
        """A grant becomes what the log says, also one that is gone."""
        *columns, revoked = row
        self._do("mend_grant", key, *columns, self.now_us, self.now_us if revoked else None)

    def mend_bus(self, key: int, row: rows.Bus) -> None:
        """A bus becomes what the log says, also one that is gone."""
        *columns, closed = row
        self._do("mend_bus", key, *columns, self.now_us if closed else None)

    def delete_grant(self, key: int) -> None:
        """A right that nobody gave is taken away."""
        self._do("delete_grant", key)

    def delete_token(self, key: int) -> None:
        """A token that nobody handed out is taken away."""
        self._do("delete_token", key)

    def log_repair(self, session: int, what: str, table: str, key: str) -> None:
        """What a repair did, in the log of the store."""
        self.event(session, EventKind.REPAIRED, f'{{"what":"{what}","table":"{table}","key":"{key}"}}')
