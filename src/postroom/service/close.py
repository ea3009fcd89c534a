"""One end for every ending of a turn: finished, failed, cancelled, stopped, capped, interrupted.

In one transaction: the fence falls, open calls get their one result, claims are released, what owed
an answer is told, the task ends and reports, the wait goes, and the branch gets its next turn if
unread mail wants one. G3 rests on that last step and on the one writer.
"""

from dataclasses import dataclass, replace

from postroom.domain.keys import NodeKey
from postroom.domain.message import TASKS, Delivery, Kind, Reason
from postroom.domain.node import Provenance, Role
from postroom.domain.receipt import Code
from postroom.domain.task import Outcome
from postroom.domain.turn import LIVE_STATES, EndedBy, TurnState
from postroom.rules.lifecycle import QUARANTINE_ATTEMPTS
from postroom.service.bus_close import close_bus, entry_bus, let_go
from postroom.service.clearing import clear_mailbox
from postroom.service.decisions import withdraw_asks
from postroom.service.facts import Ring
from postroom.service.goals import remind
from postroom.service.names import is_name_due
from postroom.service.notices import tell_sender
from postroom.service.pictures import images_chars
from postroom.service.recall import discard_unread
from postroom.service.results import Report, answer_mail, report_task
from postroom.service.waits import tell_of_message, tell_waiters
from postroom.service.wake import wake
from postroom.store.rows import CallRow, TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_rosters import Bus
from postroom.store.tx_waits import CHANGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ends. `outage`: a provider's fault, which counts against no message."""

    state: TurnState
    reason: str
    text: str = ""
    ended_by: EndedBy = EndedBy.FAILURE
    kept: str = ""
    """The file with the whole of a long text."""
    outage: bool = False
    told: bool = False
    """The dispatcher's own call caused this: that call's result is the notice."""
    quiet: bool = False
    """The dispatcher is being ended too: a notice tells it, and nothing wakes it."""


_CALL_WORDS = {
    EndedBy.CANCEL: "cancelled before it ended",
    EndedBy.STOP: "stopped by the person before it ended",
    EndedBy.DEATH: "interrupted: the process ended; whether it took effect is not known",
    EndedBy.CAP: "not executed: the cap on rounds of this turn is reached",
    EndedBy.BUDGET: "not executed: the budget of this chain is spent",
    EndedBy.FAILURE: "not finished: the turn failed",
}
NOT_SENT = f"{{tool}}:{Code.ENGINE_SHUTDOWN}: the process ended before this was accepted; nothing was sent"
"""Accept writes message and result in one commit, so a send that is still open has sent nothing (CK-35)."""
NOT_WAITED = f"{{tool}}:{Code.ENGINE_SHUTDOWN}: the process ended, and nobody waits any more"
ABORTED = f"{{tool}}:{Code.WAIT_ABORTED}: the turn was ended while it waited"
_REASONS = {TurnState.CANCELLED: Reason.CANCELLED, TurnState.STOPPED: Reason.STOPPED}
_PARKS = frozenset({TurnState.FAILED, TurnState.CANCELLED})
_OUTCOMES = {
    TurnState.FAILED: Outcome.FAILED,
    TurnState.CANCELLED: Outcome.CANCELLED,
    TurnState.STOPPED: Outcome.CANCELLED,
    TurnState.INTERRUPTED: Outcome.INTERRUPTED,
}


def end(tx: Tx, row: TurnRow, ending: Ending) -> Ring:
    """End a turn that is running or suspended."""
    ring = Ring()
    _close_calls(tx, row, ending)
    withdraw_asks(tx, row.turn)
    tx.delete_waits_of_branch(row.branch)
    tx.end_turn(row, ending.state, ending.reason)
    tell_waiters(tx, ring, row.branch)
    claimed = tx.claimed(row.turn)
    again = [d.message for d in claimed if _is_read_again(tx, row, d, ending)]
    of_bus = tx.claims_of_bus(row.turn) if row.bus is not None else frozenset[int]()
    for delivery in claimed:
        if delivery.key in of_bus:
            let_go(tx, row, delivery, ending.state)
        else:
            _let_go(tx, ring, row, delivery, ending)
    if row.task is not None:
        report_task(tx, ring, row.task, _report(ending))
    if row.answers is not None and row.answers not in again:
        answer_mail(tx, ring, row, _report(ending))
    if ending.state is TurnState.CANCELLED:
        ring.halted += tx.open_producers_of_turn(row.turn)
    if (bus := entry_bus(tx, row)) is not None:
        _end_workers(tx, ring, bus, ending)
        close_bus(tx, row, bus, ending.state)
    _look_after_branch(tx, ring, row)
    remind(tx, ring, row.root)
    return ring


def _end_workers(tx: Tx, ring: Ring, bus: Bus, ending: Ending) -> None:
    """Nobody works on in a turn that is over; the calls that made them have said so already.

    Only of a death they are told beside that, by a notice. A stop ends by itself those who work, and gives
    the tools of each their time; who has not begun would find no bus.
    """
    is_stop, is_cut = ending.state is TurnState.STOPPED, ending.state is TurnState.INTERRUPTED
    own = replace(
        ending, state=TurnState.INTERRUPTED if is_cut else TurnState.CANCELLED, text="", kept="",
        ended_by=EndedBy.DEATH if is_cut else EndedBy.CANCEL, told=not is_cut, quiet=is_cut,
    )  # fmt: skip
    for key in tx.tasks_of_bus(bus.key):
        task = tx.task_row(key)
        turn = tx.turn_row(task.turn) if task is not None and task.turn is not None else None
        if turn is not None and turn.state in LIVE_STATES:
            if not is_stop:
                ring.take(end(tx, turn, own))
                ring.ended.append(turn.turn)
        else:
            discard_unread(tx, key, Reason.STOPPED if is_stop else Reason.CANCELLED)
            report_task(tx, ring, key, _report(own))


def _look_after_branch(tx: Tx, ring: Ring, row: TurnRow) -> None:
    """Its next turn if unread mail wants one; what an archived agent leaves unread ends with this one."""
    if tx.branch_row(row.branch).archived_us is not None:
        clear_mailbox(tx, ring, row.branch, Reason.ARCHIVED)
        ring.halted += tx.open_producers_of_branch(row.branch)
        return
    if is_name_due(tx, row):
        ring.unnamed.append(row.turn)
    wake(tx, ring, row.branch)


def _close_calls(tx: Tx, row: TurnRow, ending: Ending) -> None:
    """Every open call gets exactly one result, and the round its node (G6)."""
    not_executed(tx, row, ending.ended_by)
    calls = tx.calls_of_round(row.turn, row.rounds)
    if calls and tx.head_node(row.branch) == (Role.ASSISTANT, row.turn, row.rounds):
        append_results(tx, row, calls)


def not_executed(tx: Tx, row: TurnRow, ended_by: EndedBy) -> None:
    """End every open call of a turn in the words of what ends it."""
    for key, _, _, _, tool, _ in tx.open_calls(row.turn):
        end_unfinished(tx, row, int(str(key)), str(tool), ended_by)


def end_unfinished(tx: Tx, row: TurnRow, call: int, tool: str, ended_by: EndedBy) -> None:
    """The result of one call that its tool gave none."""
    tx.end_call(row.session, row.turn, call, ended_by, _words(tx, row, call, tool, ended_by), is_error=True)


def _words(tx: Tx, row: TurnRow, call: int, tool: str, ended_by: EndedBy) -> str:
    """A send and a wait for changes say by a code what has become of them (systems.md 4.5)."""
    if tool == tx.policy(row.policy).send_tool and ended_by is EndedBy.DEATH:
        return NOT_SENT.format(tool=tool)
    wait = tx.wait_of_call(call) if row.state == TurnState.SUSPENDED else None
    if wait is None or wait.kind != CHANGE:
        return _CALL_WORDS[ended_by]
    return (NOT_WAITED if ended_by is EndedBy.DEATH else ABORTED).format(tool=tool)


def append_results(tx: Tx, row: TurnRow, calls: list[CallRow]) -> NodeKey:
    """One node for all results of a round, in call order; the texts stay in the calls."""
    head = tx.head_of(row.branch)
    key = tx.append_node(row.session, head, Role.TOOL, Provenance.SYSTEM, "{}", row.turn, row.rounds)
    chars = sum(len(c.result or "") + images_chars(c.images) for c in calls)
    tx.move_head(row.session, row.branch, key, row.turn, chars)
    if any(call.result_delivery is not None for call in calls):
        for delivery in tx.claimed(row.turn):  # a call may return the results of many tasks
            if delivery.node is None:
                tx.set_delivery_node(row.session, delivery.key, key)
    return key


def _let_go(tx: Tx, ring: Ring, row: TurnRow, d: Delivery, ending: Ending) -> None:
    """Release; then discard what owed an answer and what has died five times."""
    parked = ending.state in _PARKS
    released = tx.release(row.session, d, parked=parked)
    if d.owes and not _is_read_again(tx, row, d, ending):
        tx.discard(row.session, released, _REASONS.get(ending.state, Reason.FAILED))
        tell_of_message(tx, ring, d.message)
    elif _is_cleared(tx, row, d, ending):
        tx.discard(row.session, released, Reason.STOPPED)
        tell_of_message(tx, ring, d.message)
        tell_sender(tx, d, Reason.STOPPED)
    elif _is_poison(d, ending):
        tx.discard(row.session, released, Reason.QUARANTINED)
        tell_of_message(tx, ring, d.message)
        tell_sender(tx, d, Reason.QUARANTINED)
        if d.sender is not None:
            tx.notify_person(row.session, Reason.QUARANTINED, _set_aside(tx, d))


def _is_cleared(tx: Tx, row: TurnRow, d: Delivery, ending: Ending) -> bool:
    """Whether the person's stop takes what an agent wrote that is owed no answer, too (OP-47)."""
    return ending.state is TurnState.STOPPED and d.kind is Kind.MAIL and tx.policy(row.policy).stop_clears


def _is_read_again(tx: Tx, row: TurnRow, d: Delivery, ending: Ending) -> bool:
    """Mail that is owed an answer and was cut by the death of its host, or by a stop that keeps mail: nothing
    was said to it yet.

    A task is not: its dispatcher decides whether to give it again.
    """
    if not d.owes or d.kind in TASKS:
        return False
    is_kept = ending.state is TurnState.STOPPED and not tx.policy(row.policy).stop_clears
    return is_kept or ending.state is TurnState.INTERRUPTED


def _set_aside(tx: Tx, d: Delivery) -> str:
    """What the person reads of a quarantined message: how it can be tried again."""
    view = tx.message_view(d.message)
    return f"message {view.public_id if view else '?'} was set aside after five attempts; it can be retried"


def _is_poison(d: Delivery, ending: Ending) -> bool:
    spared = ending.outage or ending.state in (TurnState.CANCELLED, TurnState.STOPPED)
    return d.attempts >= QUARANTINE_ATTEMPTS and not spared


def _report(ending: Ending) -> Report:
    outcome = _OUTCOMES.get(ending.state)
    if outcome is None:
        outcome = _finished(ending)
    return Report(
        outcome=outcome, text=ending.text, kept=ending.kept, cause=ending.reason, told=ending.told,
        quiet=ending.quiet,
    )  # fmt: skip


def _finished(ending: Ending) -> Outcome:
    if ending.reason == "round_cap":
        return Outcome.ROUND_CAP
    return Outcome.EMPTY if ending.reason == "empty" else Outcome.SUCCEEDED
