"""A call that only waits, for a task, an agent or the person: its turn is suspended and holds no slot.

Two things end a wait besides what it is for: its time, which the runtime keeps, and, where the waiter's
policy says so, mail that the next boundary of the waiting turn would take (G13). A wait that would close a
cycle of waits is refused; those that stood before it stay.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from postroom.domain.keys import BranchKey, MessageKey, TurnKey
from postroom.domain.message import HARD_WAITING_MAX, Kind, Mode, State
from postroom.domain.receipt import Code, Refusal
from postroom.domain.task import FINAL_STATES
from postroom.domain.turn import TurnState
from postroom.rules import schedule
from postroom.service.facts import Ring
from postroom.service.receipts import address_for
from postroom.store.tx import Tx
from postroom.store.tx_waits import CHANGE, NewWait, Target, Wait


def begin_wait(tx: Tx, session: int, branch: int, turn: int, call: int, new: NewWait) -> None:
    """The call waits for a task, the person or its targets; the first wait of a batch suspends the turn."""
    if not tx.waits_of_branch(branch):
        tx.suspend_turn(session, turn, call, new.task)
    tx.insert_wait(session, branch, turn, call, new)


def for_task(tx: Tx, session: int, task: int) -> NewWait:
    """A wait for the end of a task; mail ends it earlier where the waiter's policy says so (G13)."""
    ends = tx.policy(tx.session_row(session).policy).waits_end
    return NewWait(task=task, by_mail=ends == "mail")


def ends_when_asked(tx: Tx, session: int) -> bool:
    """Whether mail ends what a wait tool waits in."""
    return tx.policy(tx.session_row(session).policy).waits_end != "never"


def end_wait(tx: Tx, session: int, branch: int, turn: int, call: int, *, goes_on: bool = False) -> None:
    """The call waits no more, because it ends in this commit or `goes_on`; after the last wait the turn
    runs again.
    """
    if goes_on:
        tx.end_wait(session, turn, call)
    else:
        tx.delete_wait(call)
    found = tx.turn_state(turn)
    if not tx.waits_of_branch(branch) and found is not None and found[0] == TurnState.SUSPENDED:
        tx.unsuspend_turn(session, turn)


def mail_enters(tx: Tx, branch: BranchKey, targets: Iterable[Target] = ()) -> bool:
    """Whether the next boundary of an agent's running turn would take mail that ends its waits.

    A notice ends none, because it never wakes; nor does the result of what is waited for, which the wait
    itself returns. `targets` are those of a wait that may be about to begin.
    """
    row = tx.branch_row(branch)
    if row.paused_by is not None or not row.n_steer + row.n_parked:
        return False
    mails = tx.accepted(branch)
    if len(mails) < row.n_steer + row.n_queue + row.n_notice + row.n_parked:
        mails = tx.accepted(branch, HARD_WAITING_MAX)
    found = [d for d in schedule.joining([m.delivery for m in mails]) if d.kind is not Kind.NOTICE]
    if not found:
        return False
    awaited = [task for wait in tx.waits_of_branch(branch) for task in _tasks_of(tx, wait)]
    awaited += [target.task for target in targets if target.task is not None]
    returned = {row.result_message for task in awaited if (row := tx.task_row(task)) is not None}
    return any(d.message not in returned for d in found)


def _tasks_of(tx: Tx, wait: Wait) -> Iterator[MessageKey]:
    if wait.task is not None:
        yield wait.task
    yield from (target.task for target in _targets_of(tx, wait) if target.task is not None)


def _targets_of(tx: Tx, wait: Wait) -> list[Target]:
    return tx.targets_of_wait(wait.call) if wait.kind else []


class Edge(NamedTuple):
    """Whom a wait leads to: who runs, or will run, the awaited task; or the awaited agent."""

    branch: BranchKey
    enters: bool = False
    """Only a message of its is awaited, and that enters its running turn: what mail ends does not hold it."""


def would_deadlock(tx: Tx, waiter: BranchKey, edges: Iterable[Edge]) -> bool:
    """Whether a wait of one agent would close a cycle of waits (G13).

    A task that lies behind the waiter's own turn can never begin. Whether mail could end one of the waits
    makes no difference: nobody might write.
    """
    line = list(edges)
    seen = set(line)
    while line:
        edge = line.pop()
        if edge.branch == waiter:
            return True
        for wait in tx.waits_of_branch(edge.branch):
            if edge.enters and wait.by_mail:
                continue
            new = [one for one in _edges_of(tx, wait) if one not in seen]
            seen.update(new)
            line += new
    return False


def deadlock(tx: Tx, waiter: BranchKey, edge: Edge) -> Refusal:
    """The refusal of a wait: which agent it is that waits for the waiter already."""
    to = tx.recipient_by_branch(None, edge.branch)
    return Refusal(code=Code.WOULD_DEADLOCK, facts={"to": address_for(tx, to, waiter)})


def _edges_of(tx: Tx, wait: Wait) -> Iterator[Edge]:
    if wait.kind == CHANGE:  # that its target begins to wait is a change, too
        return
    task = None if wait.task is None else tx.task_row(wait.task)
    if task is not None:  # also one that has ended: its waiter may wait until its agent is at rest
        yield Edge(task.target)
    for target in _targets_of(tx, wait):
        yield from edges_to(tx, target)


def edges_to(tx: Tx, target: Target) -> Iterator[Edge]:
    """Whom a wait for this leads to; nobody once it is done."""
    if target.branch is not None and tx.branch_row(target.branch).turn is not None:
        yield Edge(target.branch)
    task = None if target.task is None else tx.task_row(target.task)
    if task is not None and task.state not in FINAL_STATES:
        yield Edge(task.target)
    for item in () if target.message is None else tx.deliveries_of_message(target.message):
        d = item.delivery
        if d.recipient and d.state in (State.ACCEPTED, State.CLAIMED):
            yield Edge(d.recipient, enters=d.mode is Mode.STEER and not d.owes)


def tell_waiters(tx: Tx, ring: Ring, branch: int) -> None:
    """Whoever waits for this agent looks again: a turn of it has ended, or it was stopped."""
    ring.answered.extend(TurnKey(turn) for turn in tx.waiting_for_agent(branch))


def tell_of_mail(tx: Tx, ring: Ring, branch: BranchKey, turn: TurnKey) -> None:
    """An agent that got mail looks again where mail may end what it waits in."""
    if any(wait.by_mail for wait in tx.waits_of_branch(branch)):
        ring.answered.append(turn)


def tell_of_message(tx: Tx, ring: Ring, message: MessageKey) -> None:
    """Whoever waits for what becomes of a message looks again: it was read, or will not be."""
    ring.answered.extend(tx.waiters_of_message(message))
