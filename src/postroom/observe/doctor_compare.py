"""Every row of every table against what the log folds to; where they differ, the fold wins.

A log that has a gap or tells the impossible proves nothing: rows of that session are reported and
left as they are, because a row that was right could be "mended" into a message that is read twice.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from postroom.domain.message import State
from postroom.observe.doctor_read import Record, Tables
from postroom.observe.doctor_report import Diagnosis, Finding
from postroom.rules.fold import Folded, rows
from postroom.rules.fold.buses import afloat
from postroom.store.tx import Tx

K = TypeVar("K", int, tuple[int, int], tuple[int, int, int])
R = TypeVar(
    "R", rows.Branch, rows.Delivery, rows.Turn, rows.Task, rows.Call, rows.Wait, rows.Chain, rows.Pair,
    rows.Producer, rows.Timer, rows.Spend, rows.Session, rows.Ask, rows.Grant, rows.Goal, rows.Todo,
    rows.Bus, rows.Reader, rows.Token, rows.Notice,
)  # fmt: skip
NOTHING = "no row"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table(Generic[K, R]):
    """How one table is compared and mended."""

    name: str
    expected: Mapping[K, R]
    found: Mapping[K, R]
    session: Callable[[K, R], int | None]
    """Whose log tells of a row; `None`: the logs of all."""
    mend: Callable[[Tx, K, R], None]
    restores: bool = False
    """The log knows enough to write a row that is gone."""
    drop: Callable[[Tx, K], object] | None = None
    """How a row that the log does not know is taken away; without it the row is kept and reported."""


def compare(folded: Folded, found: Tables) -> list[Diagnosis]:
    """What differs, table by table, in the order in which it is to be mended."""
    trusts = _trust(folded)
    return [
        *_differences(_branches(folded, found), trusts), *_differences(_turns(folded, found), trusts),
        *_differences(_calls(folded, found), trusts), *_differences(_tasks(folded, found), trusts),
        *_differences(_deliveries(folded, found), trusts), *_differences(_waits(folded, found), trusts),
        *_differences(_chains(folded, found), trusts), *_differences(_pairs(folded, found), trusts),
        *_differences(_producers(folded, found), trusts), *_differences(_timers(folded, found), trusts),
        *_differences(_spends(folded, found), trusts), *_differences(_sessions(folded, found), trusts),
        *_differences(_asks(folded, found), trusts), *_differences(_grants(folded, found), trusts),
        *_differences(_goals(folded, found), trusts), *_differences(_todos(folded, found), trusts),
        *_differences(_buses(folded, found), trusts), *_differences(_readers(folded, found), trusts),
        *_differences(_tokens(folded, found), trusts), *_differences(_notices(folded, found), trusts),
    ]  # fmt: skip


def believed(folded: Folded, found: Tables) -> Tables:
    """The rows to believe: the fold's, and the table's where a log is broken or says nothing."""
    trusts = _trust(folded)
    return Tables(
        branches=_believed(_branches(folded, found), trusts), turns=_believed(_turns(folded, found), trusts),
        calls=_believed(_calls(folded, found), trusts), tasks=_believed(_tasks(folded, found), trusts),
        deliveries=_believed(_deliveries(folded, found), trusts),
        waits=_believed(_waits(folded, found), trusts), chains=_believed(_chains(folded, found), trusts),
        pairs=_believed(_pairs(folded, found), trusts),
        producers=_believed(_producers(folded, found), trusts),
        timers=_believed(_timers(folded, found), trusts), spends=_believed(_spends(folded, found), trusts),
        sessions=_believed(_sessions(folded, found), trusts),
        asks=_believed(_asks(folded, found), trusts), grants=_believed(_grants(folded, found), trusts),
        goals=_believed(_goals(folded, found), trusts), todos=_believed(_todos(folded, found), trusts),
        buses=_believed(_buses(folded, found), trusts), readers=_believed(_readers(folded, found), trusts),
        tokens=_believed(_tokens(folded, found), trusts),
        notices=_believed(_notices(folded, found), trusts),
    )  # fmt: skip


def compare_record(folded: Folded, record: Record, epoch: int) -> Iterator[Diagnosis]:
    """What the log names and is not there, and the count of starts."""
    for message in sorted(folded.accepted.keys() - record.messages):
        yield unmended("message_missing", "message", message, "a row", NOTHING)
    for message in sorted((folded.sent | folded.posted.keys()) - folded.accepted.keys() - afloat(folded)):
        yield unmended("message_lost", "message", message, "an accepted delivery", "only that it was sent")
    for key in sorted(folded.delivered):
        row = folded.deliveries.get(key)
        if row is None or row.state == State.HELD:
            yield unmended("message_lost", "delivery", key, "an accepted delivery", "only that it was made")
    for call in record.textless_calls:
        yield unmended("result_missing", "call", call, "a text", "none")
    if epoch != folded.epoch:
        finding = Finding(
            code="row_differs", table="meta", key="epoch", expected=str(folded.epoch), found=str(epoch),
            mendable=_trust(folded)(None),
        )  # fmt: skip
        yield Diagnosis(finding, partial(_set_epoch, folded.epoch) if finding.mendable else None)


def _set_epoch(epoch: int, tx: Tx) -> None:
    tx.set_meta("epoch", str(epoch))


def unmended(code: str, table: str, key: object, expected: str, found: str) -> Diagnosis:
    """A finding that a repair can only report."""
    return Diagnosis(
        Finding(code=code, table=table, key=str(key), expected=expected, found=found, mendable=False), None
    )


def _branches(folded: Folded, found: Tables) -> _Table[int, rows.Branch]:
    return _Table(
        name="branch", expected=folded.branches, found=found.branches, session=lambda _, r: r.session,
        mend=Tx.mend_branch,
    )  # fmt: skip


def _turns(folded: Folded, found: Tables) -> _Table[int, rows.Turn]:
    return _Table(
        name="turn", expected=folded.turns, found=found.turns, session=lambda _, r: r.session,
        mend=Tx.mend_turn,
    )  # fmt: skip


def _calls(folded: Folded, found: Tables) -> _Table[int, rows.Call]:
    def session(_: int, row: rows.Call) -> int | None:
        turn = folded.turns.get(row.turn) or found.turns.get(row.turn)
        return turn.session if turn else None

    return _Table(name="call", expected=folded.calls, found=found.calls, session=session, mend=Tx.mend_call)


def _tasks(folded: Folded, found: Tables) -> _Table[int, rows.Task]:
    return _Table(
        name="task", expected=folded.tasks, found=found.tasks,
        session=lambda _, r: _session(folded, found, r.target), restores=True,
        mend=lambda tx, key, row: tx.mend_task(key, row, folded.task_ids.get(key, "")),
    )  # fmt: skip


def _deliveries(folded: Folded, found: Tables) -> _Table[int, rows.Delivery]:
    """The recipient's log tells of them; of one that was never accepted, its sender's."""
    return _Table(
        name="delivery", expected=folded.deliveries, found=found.deliveries,
        session=lambda _, r: _session(folded, found, r.branch if r.seq else r.sender or r.branch),
        mend=Tx.mend_delivery, restores=True,
    )  # fmt: skip


def _waits(folded: Folded, found: Tables) -> _Table[int, rows.Wait]:
    return _Table(
        name="wait", expected=folded.waits, found=found.waits,
        session=lambda _, r: _session(folded, found, r.branch), mend=Tx.mend_wait, restores=True,
        drop=Tx.delete_wait,
    )  # fmt: skip


def _chains(folded: Folded, found: Tables) -> _Table[int, rows.Chain]:
    return _Table(
        name="chain", expected=folded.chains, found=found.chains, session=lambda _, __: None,
        mend=Tx.mend_chain, restores=True,
    )  # fmt: skip


def _pairs(folded: Folded, found: Tables) -> _Table[tuple[int, int], rows.Pair]:
    return _Table(
        name="pair", expected=folded.pairs, found=found.pairs,
        session=lambda k, _: _session(folded, found, k[1]), mend=Tx.mend_pair, restores=True,
        drop=lambda tx, k: tx.mend_pair(k, rows.Pair()),
    )  # fmt: skip


def _producers(folded: Folded, found: Tables) -> _Table[int, rows.Producer]:
    return _Table(
        name="producer", expected=folded.producers, found=found.producers,
        session=lambda _, r: _session(folded, found, r.branch), mend=Tx.mend_producer,
    )  # fmt: skip


def _timers(folded: Folded, found: Tables) -> _Table[int, rows.Timer]:
    return _Table(
        name="timer", expected=folded.timers, found=found.timers,
        session=lambda _, r: _session(folded, found, r.branch), mend=Tx.mend_timer,
    )  # fmt: skip


def _spends(folded: Folded, found: Tables) -> _Table[tuple[int, int, int], rows.Spend]:
    return _Table(
        name="spend", expected=folded.spends, found=found.spends,
        session=lambda k, _: _session(folded, found, k[0]), mend=Tx.mend_spend, restores=True,
    )  # fmt: skip


def _sessions(folded: Folded, found: Tables) -> _Table[int, rows.Session]:
    return _Table(
        name="session", expected=folded.sessions, found=found.sessions, session=lambda k, _: k,
        mend=Tx.mend_rights,
    )  # fmt: skip


def _asks(folded: Folded, found: Tables) -> _Table[int, rows.Ask]:
    return _Table(
        name="ask", expected=folded.asks, found=found.asks,
        session=lambda _, r: _session(folded, found, r.branch), mend=Tx.mend_ask,
    )  # fmt: skip


def _grants(folded: Folded, found: Tables) -> _Table[int, rows.Grant]:
    """The root's log tells of them. One that no log knows is a right that nobody gave, and goes."""
    return _Table(
        name="grant", expected=folded.grants, found=found.grants, session=lambda _, r: r.root,
        mend=Tx.mend_grant, restores=True, drop=Tx.delete_grant,
    )  # fmt: skip


def _goals(folded: Folded, found: Tables) -> _Table[int, rows.Goal]:
    return _Table(
        name="goal", expected=folded.goals, found=found.goals,
        session=lambda _, r: _session(folded, found, r.branch), mend=Tx.mend_goal,
    )  # fmt: skip


def _buses(folded: Folded, found: Tables) -> _Table[int, rows.Bus]:
    return _Table(
        name="bus", expected=folded.buses, found=found.buses, session=lambda _, r: r.session,
        mend=Tx.mend_bus, restores=True,
    )  # fmt: skip


def _readers(folded: Folded, found: Tables) -> _Table[int, rows.Reader]:
    return _Table(
        name="reader", expected=folded.readers, found=found.readers,
        session=lambda _, r: _session(folded, found, r.branch), mend=Tx.mend_reader, restores=True,
    )  # fmt: skip


def _todos(folded: Folded, found: Tables) -> _Table[int, rows.Todo]:
    return _Table(
        name="todo", expected=folded.todos, found=found.todos, session=lambda _, r: r.session,
        mend=Tx.mend_todo,
    )  # fmt: skip


def _tokens(folded: Folded, found: Tables) -> _Table[int, rows.Token]:
    """The store's own log tells of them. One that it does not know was never handed out, and goes."""
    return _Table(
        name="token", expected=folded.tokens, found=found.tokens, session=lambda _, __: 0,
        mend=Tx.mend_token, drop=Tx.delete_token,
    )  # fmt: skip


def _notices(folded: Folded, found: Tables) -> _Table[int, rows.Notice]:
    """Its words are nowhere else, so one that is gone stays gone."""
    return _Table(
        name="person_notice", expected=folded.notices, found=found.notices, session=lambda _, __: None,
        mend=Tx.mend_notice,
    )  # fmt: skip


def _session(folded: Folded, found: Tables, branch: int) -> int | None:
    row = folded.branches.get(branch) or found.branches.get(branch)
    return row.session if row else None


def _trust(folded: Folded) -> Callable[[int | None], bool]:
    """Whether the log of a session proves anything; `None` asks for the logs of all."""
    broken = {b.session for b in folded.breaks}
    return lambda session: session not in broken if session is not None else not broken


def _differences(table: _Table[K, R], trusts: Callable[[int | None], bool]) -> Iterator[Diagnosis]:
    for key, row in table.expected.items():
        now = table.found.get(key)
        if now != row:
            mends = trusts(table.session(key, row)) and (now is not None or table.restores)
            mend = partial(_put, table, key, row) if mends else None
            yield Diagnosis(_finding(table.name, key, row, now, mendable=mends), mend)
    for key in table.found.keys() - table.expected.keys():
        row = table.found[key]
        if row != rows.Pair():  # a window of nothing is none
            yield _unknown(table, key, row, mends=table.drop is not None and trusts(table.session(key, row)))


def _unknown(table: _Table[K, R], key: K, row: R, *, mends: bool) -> Diagnosis:
    """A row that no event has made."""
    finding = _finding(table.name, key, None, row, mendable=mends)
    return Diagnosis(finding, partial(_take, table, key) if mends else None)


def _put(table: _Table[K, R], key: K, row: R, tx: Tx) -> None:
    table.mend(tx, key, row)


def _take(table: _Table[K, R], key: K, tx: Tx) -> None:
    if table.drop is not None:
        table.drop(tx, key)


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


def _believed(table: _Table[K, R], trusts: Callable[[int | None], bool]) -> dict[K, R]:
    trusted = {k: r for k, r in table.expected.items() if trusts(table.session(k, r))}
    return {**table.expected, **table.found, **trusted}
