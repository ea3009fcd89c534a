"""How each table of a store is compared with what its log folds to, and mended: one entry for each.

A log that has a gap or tells the impossible proves nothing: rows of that session are reported and
left as they are, because a row that was right could be "mended" into a message that is read twice.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, NamedTuple, TypeVar, cast

from postroom.observe.doctor_report import Diagnosis, Finding
from postroom.rules.fold import Folded, Tables, rows
from postroom.store.tx import Tx
from postroom.store.tx_doctor import R

K = TypeVar("K", int, tuple[int, int], tuple[int, int, int])
NOTHING: Final = "no row"


class Sides(NamedTuple):
    """What the log gives, and what the tables hold."""

    folded: Folded
    found: Tables
    broken: frozenset[int]
    """Sessions whose logs prove nothing."""

    def trusts(self, session: int | None) -> bool:
        """Whether the log of a session proves anything; `None` asks for the logs of all."""
        return session not in self.broken if session is not None else not self.broken

    def of_branch(self, branch: int) -> int | None:
        """The session of an agent."""
        row = self.folded.branches.get(branch) or self.found.branches.get(branch)
        return row.session if row else None

    def of_turn(self, turn: int) -> int | None:
        """The session of a turn."""
        row = self.folded.turns.get(turn) or self.found.turns.get(turn)
        return row.session if row else None


def _put_back(tx: Tx, _sides: Sides, key: K, row: R) -> None:
    tx.put_back(key, row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Generic[K, R]):
    """How one table is compared and mended."""

    name: str
    of: type[R]
    rows: Callable[[Tables], dict[K, R]]
    session: Callable[[Sides, K, R], int | None]
    """Whose log tells of a row; `None`: the logs of all."""
    mend: Callable[[Tx, Sides, K, R], None] = _put_back
    restores: bool = False
    """The log knows enough to write a row that is gone."""
    drop: Callable[[Tx, K], object] | None = None
    """How a row that the log does not know is taken away; without it the row is kept and reported."""

    def read(self, tx: Tx, into: Tables) -> None:
        """The rows as they stand."""
        self.rows(into).update(cast("Iterator[tuple[K, R]]", tx.every_row(self.of)))

    def believe(self, sides: Sides, into: Tables) -> None:
        """The fold's rows, and the table's where a log is broken or says nothing."""
        expected = self.rows(sides.folded)
        trusted = {k: r for k, r in expected.items() if sides.trusts(self.session(sides, k, r))}
        self.rows(into).update({**expected, **self.rows(sides.found), **trusted})

    def differences(self, sides: Sides) -> Iterator[Diagnosis]:
        """Every row that is not as the log says."""
        expected, found = self.rows(sides.folded), self.rows(sides.found)
        for key, row in expected.items():
            now = found.get(key)
            if now != row:
                mends = sides.trusts(self.session(sides, key, row)) and (now is not None or self.restores)
                mend = partial(self._put, sides, key, row) if mends else None
                yield Diagnosis(_finding(self.name, key, row, now, mendable=mends), mend)
        for key in found.keys() - expected.keys():
            row = found[key]
            if row != rows.Pair():  # a window of nothing is none
                mends = self.drop is not None and sides.trusts(self.session(sides, key, row))
                mend = partial(self._take, key) if mends else None
                yield Diagnosis(_finding(self.name, key, None, row, mendable=mends), mend)

    def _put(self, sides: Sides, key: K, row: R, tx: Tx) -> None:
        self.mend(tx, sides, key, row)

    def _take(self, key: K, tx: Tx) -> None:
        if self.drop is not None:
            self.drop(tx, key)


def _finding(table: str, key: K, expected: R | None, found: R | None, *, mendable: bool) -> Finding:
    code = "row_missing" if found is None else "row_unknown" if expected is None else "row_differs"
    shown = (NOTHING, NOTHING)
    if expected is not None and found is not None:
        shown = _shown(expected, found), _shown(found, expected)
    elif expected is not None:
        shown = "a row", NOTHING
    elif found is not None:
        shown = NOTHING, "a row"
    return Finding(
        code=code, table=table, key=key_text(key), expected=shown[0], found=shown[1], mendable=mendable
    )


def key_text(key: K) -> str:
    """A key as people read it; of a pair, who to whom."""
    return str(key) if isinstance(key, int) else ">".join(str(part) for part in key)


def _shown(row: R, other: R) -> str:
    pairs = zip(row._fields, row, other, strict=True)
    return " ".join(f"{name}={value}" for name, value, than in pairs if value != than)


TABLES: Final = (
    Table(
        name="branch", of=rows.Branch, rows=lambda t: t.branches, session=lambda _s, _k, r: r.session
    ),
    Table(
        name="turn", of=rows.Turn, rows=lambda t: t.turns, session=lambda _s, _k, r: r.session
    ),
    Table(
        name="call", of=rows.Call, rows=lambda t: t.calls, session=lambda s, _k, r: s.of_turn(r.turn)
    ),
    Table(
        name="task", of=rows.Task, rows=lambda t: t.tasks, session=lambda s, _k, r: s.of_branch(r.target),
        mend=lambda tx, s, key, row: tx.mend_task(key, row, s.folded.task_ids.get(key, "")), restores=True,
    ),
    # The recipient's log tells of them; of one that was never accepted, its sender's.
    Table(
        name="delivery", of=rows.Delivery, rows=lambda t: t.deliveries, restores=True,
        session=lambda s, _k, r: s.of_branch(r.branch if r.seq else r.sender or r.branch),
        mend=lambda tx, _s, key, row: tx.mend_delivery(key, row),
    ),
    Table(
        name="wait", of=rows.Wait, rows=lambda t: t.waits, session=lambda s, _k, r: s.of_branch(r.branch),
        mend=lambda tx, _s, key, row: tx.mend_wait(key, row), restores=True, drop=Tx.delete_wait,
    ),
    Table(
        name="chain", of=rows.Chain, rows=lambda t: t.chains, session=lambda _s, _k, _r: None, restores=True
    ),
    Table(
        name="pair", of=rows.Pair, rows=lambda t: t.pairs, session=lambda s, k, _r: s.of_branch(k[1]),
        restores=True, drop=lambda tx, k: tx.put_back(k, rows.Pair()),
    ),
    Table(
        name="producer", of=rows.Producer, rows=lambda t: t.producers,
        session=lambda s, _k, r: s.of_branch(r.branch),
    ),
    Table(
        name="timer", of=rows.Timer, rows=lambda t: t.timers, session=lambda s, _k, r: s.of_branch(r.branch)
    ),
    Table(
        name="spend", of=rows.Spend, rows=lambda t: t.spends, session=lambda s, k, _r: s.of_branch(k[0]),
        restores=True,
    ),
    Table(
        name="session", of=rows.Session, rows=lambda t: t.sessions, session=lambda _s, k, _r: k
    ),
    Table(
        name="ask", of=rows.Ask, rows=lambda t: t.asks, session=lambda s, _k, r: s.of_branch(r.branch)
    ),
    # The root's log tells of them. One that no log knows is a right that nobody gave, and goes.
    Table(
        name="grant", of=rows.Grant, rows=lambda t: t.grants, session=lambda _s, _k, r: r.root,
        mend=lambda tx, _s, key, row: tx.mend_grant(key, row), restores=True, drop=Tx.delete_grant,
    ),
    Table(
        name="goal", of=rows.Goal, rows=lambda t: t.goals, session=lambda s, _k, r: s.of_branch(r.branch)
    ),
    Table(
        name="todo", of=rows.Todo, rows=lambda t: t.todos, session=lambda _s, _k, r: r.session
    ),
    Table(
        name="bus", of=rows.Bus, rows=lambda t: t.buses, session=lambda _s, _k, r: r.session,
        mend=lambda tx, _s, key, row: tx.mend_bus(key, row), restores=True,
    ),
    Table(
        name="reader", of=rows.Reader, rows=lambda t: t.readers,
        session=lambda s, _k, r: s.of_branch(r.branch), restores=True,
    ),
    # The store's own log tells of them. One that it does not know was never handed out, and goes.
    Table(
        name="token", of=rows.Token, rows=lambda t: t.tokens, session=lambda _s, _k, _r: 0,
        drop=Tx.delete_token,
    ),
    # Its words are nowhere else, so one that is gone stays gone.
    Table(
        name="person_notice", of=rows.Notice, rows=lambda t: t.notices, session=lambda _s, _k, _r: None
    ),
)  # fmt: skip
"""In the order in which what differs is to be mended."""
