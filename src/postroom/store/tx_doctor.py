"""Looks through whole tables, a page at a time, and rows put back to what the log says.

For `postroom.observe.doctor` only. Nothing here writes an event of a change, because the log has it
already; what a repair did is told by the `store.repaired` event beside it.
"""

import json
from typing import NamedTuple

from postroom.domain.event import EventKind
from postroom.rules.fold import rows
from postroom.store.tx_base import Row
from postroom.store.tx_log import LogTx


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


class DoctorTx(LogTx):
    """What an examination reads, and what a repair writes."""

    __slots__ = ()

    def integrity(self) -> list[str]:
        """What SQLite finds wrong with the file; empty when it is sound."""
        return [text for row in self._all("integrity") if (text := str(row[0])) != "ok"]

    def reindex(self) -> None:
        """Build every index anew."""
        self._do("reindex")

    def branches_after(self, key: int, limit: int) -> list[tuple[int, rows.Branch]]:
        """Branches by key."""
        return [(_key(r), rows.Branch._make(r[1:])) for r in self._all("branches_after", key, limit)]

    def deliveries_after(self, key: int, limit: int) -> list[tuple[int, rows.Delivery]]:
        """Deliveries by key."""
        return [(_key(r), rows.Delivery._make(r[1:])) for r in self._all("deliveries_after", key, limit)]

    def turns_after(self, key: int, limit: int) -> list[tuple[int, rows.Turn]]:
        """Turns by key."""
        return [(_key(r), rows.Turn._make(r[1:])) for r in self._all("turns_after", key, limit)]

    def tasks_after(self, key: int, limit: int) -> list[tuple[int, rows.Task]]:
        """Tasks by key."""
        return [(_key(r), rows.Task._make(r[1:])) for r in self._all("tasks_after", key, limit)]

    def calls_after(self, key: int, limit: int) -> list[tuple[int, rows.Call]]:
        """Calls by key."""
        return [(_key(r), rows.Call._make(r[1:])) for r in self._all("calls_after", key, limit)]

    def waits_after(self, key: int, limit: int) -> list[tuple[int, rows.Wait]]:
        """Waits by call, each with what it is for."""
        found = self._all("waits_after", key, limit)
        return [(_key(r), rows.Wait._make((*r[1:], self._targets(_key(r))))) for r in found]

    def _targets(self, call: int) -> str:
        return json.dumps(self._each("targets_of_wait", list, call))

    def chains_after(self, key: int, limit: int) -> list[tuple[int, rows.Chain]]:
        """Chains by key."""
        return [(_key(r), rows.Chain._make(r[1:])) for r in self._all("chains_after", key, limit)]

    def pairs_after(self, pair: tuple[int, int], limit: int) -> list[tuple[tuple[int, int], rows.Pair]]:
        """Windows by (sender, recipient)."""
        found = self._all("pairs_after", *pair, limit)
        return [((_key(r), _key(r[1:])), rows.Pair._make(r[2:])) for r in found]

    def producers_after(self, key: int, limit: int) -> list[tuple[int, rows.Producer]]:
        """Work by key."""
        return [(_key(r), rows.Producer._make(r[1:])) for r in self._all("producers_after", key, limit)]

    def timers_after(self, key: int, limit: int) -> list[tuple[int, rows.Timer]]:
        """Timed texts by key."""
        return [(_key(r), rows.Timer._make(r[1:])) for r in self._all("timers_after", key, limit)]

    def spends_after(
        self, key: tuple[int, int, int], limit: int
    ) -> list[tuple[tuple[int, int, int], rows.Spend]]:
        """What was spent, by (agent, chain, day)."""
        found = self._all("spends_after", *key, limit)
        return [((_key(r), _key(r[1:]), _key(r[2:])), rows.Spend._make(r[3:])) for r in found]

    def rights_after(self, key: int, limit: int) -> list[tuple[int, rows.Session]]:
        """Sessions by key."""
        return [(_key(r), rows.Session._make(r[1:])) for r in self._all("rights_after", key, limit)]

    def asks_after(self, key: int, limit: int) -> list[tuple[int, rows.Ask]]:
        """Asks by key."""
        return [(_key(r), rows.Ask._make(r[1:])) for r in self._all("asks_after", key, limit)]

    def grants_after(self, key: int, limit: int) -> list[tuple[int, rows.Grant]]:
        """Grants by key."""
        return [(_key(r), rows.Grant._make(r[1:])) for r in self._all("grants_after", key, limit)]

    def goals_after(self, key: int, limit: int) -> list[tuple[int, rows.Goal]]:
        """Goals by key."""
        return [(_key(r), rows.Goal._make(r[1:])) for r in self._all("goals_after", key, limit)]

    def tokens_after(self, key: int, limit: int) -> list[tuple[int, rows.Token]]:
        """Tokens by key."""
        return [(_key(r), rows.Token._make(r[1:])) for r in self._all("tokens_after", key, limit)]

    def nodes_after(self, key: int, limit: int) -> list[tuple[int, NodeShape]]:
        """The shape of nodes by key."""
        return [(_key(r), NodeShape._make(r[1:])) for r in self._all("nodes_after", key, limit)]

    def message_keys_after(self, key: int, limit: int) -> list[int]:
        """Keys of messages."""
        return self._each("message_keys_after", _key, key, limit)

    def notices_after(self, key: int, limit: int) -> list[tuple[int, rows.Notice]]:
        """Notices to the person, by key."""
        return [(_key(r), rows.Notice._make(r[1:])) for r in self._all("notices_after", key, limit)]

    def calls_without_text_after(self, key: int, limit: int) -> list[int]:
        """Keys of calls that have ended without a text."""
        return self._each("calls_without_text_after", _key, key, limit)

    def mend_branch(self, key: int, row: rows.Branch) -> None:
        """A branch becomes what the log says."""
        self._do("mend_branch", *row, key)

    def mend_delivery(self, key: int, row: rows.Delivery) -> None:
        """A delivery becomes what the log says, also one that is gone."""
        self._do("mend_delivery", key, *row, self.now_us)

    def mend_turn(self, key: int, row: rows.Turn) -> None:
        """A turn becomes what the log says."""
        self._do("mend_turn", *row, key)

    def mend_task(self, key: int, row: rows.Task, public_id: str) -> None:
        """A task becomes what the log says, also one that is gone; without an id it gets a new one."""
        self._do("mend_task", key, *row, public_id or self.new_task_id())

    def mend_call(self, key: int, row: rows.Call) -> None:
        """A call becomes what the log says."""
        self._do("mend_call", *row, key)

    def mend_wait(self, key: int, row: rows.Wait) -> None:
        """A wait becomes what the log says, also one that is gone."""
        self._do("insert_wait", key, *row[:-1])
        self._do("delete_wait_targets", key)
        self._do("insert_wait_targets", key, row.targets)

    def mend_chain(self, key: int, row: rows.Chain) -> None:
        """A chain becomes what the log says, also one that is gone."""
        self._do("mend_chain", key, *row)

    def mend_producer(self, key: int, row: rows.Producer) -> None:
        """Work becomes what the log says."""
        self._do("mend_producer", *row, key)

    def mend_timer(self, key: int, row: rows.Timer) -> None:
        """A timed text becomes what the log says."""
        self._do("mend_timer", *row, key)

    def mend_spend(self, key: tuple[int, int, int], row: rows.Spend) -> None:
        """What was spent becomes what the log says, also where the row is gone."""
        self._do("mend_spend", *key, *row)

    def mend_rights(self, key: int, row: rows.Session) -> None:
        """The rights of a tree become what the log says."""
        self._do("mend_rights", *row, key)

    def mend_ask(self, key: int, row: rows.Ask) -> None:
        """An ask becomes what the log says."""
        self._do("mend_ask", *row, key)

    def mend_grant(self, key: int, row: rows.Grant) -> None:
        """A grant becomes what the log says, also one that is gone."""
        *columns, revoked = row
        self._do("mend_grant", key, *columns, self.now_us, self.now_us if revoked else None)

    def delete_grant(self, key: int) -> None:
        """A right that nobody gave is taken away."""
        self._do("delete_grant", key)

    def mend_goal(self, key: int, row: rows.Goal) -> None:
        """A goal becomes what the log says."""
        self._do("mend_goal", *row, key)

    def mend_token(self, key: int, row: rows.Token) -> None:
        """A token becomes what the log says."""
        self._do("mend_token", *row, key)

    def mend_notice(self, key: int, row: rows.Notice) -> None:
        """Whether a notice was read becomes what the log says."""
        self._do("mend_notice", *row, key)

    def delete_token(self, key: int) -> None:
        """A token that nobody handed out is taken away."""
        self._do("delete_token", key)

    def mend_pair(self, pair: tuple[int, int], row: rows.Pair) -> None:
        """The window of a pair becomes what the log says, also one that is gone."""
        self._do("mend_pair", *pair, *row)

    def log_repair(self, session: int, what: str, table: str, key: str) -> None:
        """What a repair did, in the log of the store."""
        self.event(session, EventKind.REPAIRED, f'{{"what":"{what}","table":"{table}","key":"{key}"}}')


def _key(row: Row) -> int:
    return int(str(row[0]))
