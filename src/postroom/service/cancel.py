"""Ending one turn or task: by the person, or by the parent through its tool. It pauses nothing."""

from postroom.domain.event import actor_of
from postroom.domain.keys import BranchKey, CallKey, MessageKey
from postroom.domain.message import Kind, Reason
from postroom.domain.receipt import Code, Refusal
from postroom.domain.session import Branch
from postroom.domain.task import FINAL_STATES, Task
from postroom.domain.turn import LIVE_STATES, OPEN_STATES, EndedBy, Turn, TurnState
from postroom.rules import schedule
from postroom.rules.naming import SHOWN_CHARS
from postroom.service.close import Ending, end
from postroom.service.facts import Ring
from postroom.service.goals import remind
from postroom.service.notices import tell_sender
from postroom.service.tasks import Cancelled, cancel_task, child_task, refused
from postroom.service.waits import tell_waiters
from postroom.service.wake import unread, wake
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_turns import Cancelling

REASON_CHARS = 200
"""What is kept of a reason that an agent gives: it is for the record, not a letter."""
CANCEL_REASON = "cancelled by the person"


def cancel_child(tx: Tx, turn: Turn, call: CallKey, reference: str, reason: str) -> Cancelled | Refusal:
    """`cancel_subagent`: the child's open task and everything under it, else the turn that mail has opened.

    This call is the notice.
    """
    tx.own(turn.key, turn.fence)
    task = child_task(tx, turn.branch, reference)
    if isinstance(task, Refusal):
        return refused(tx, turn, call, task)
    row = tx.branch_row(task.target)
    done = _cancel_work(tx, task, reason[:REASON_CHARS] or "cancelled by its parent")
    if done is None:
        facts: dict[str, str | int] = {"status": task.state, "session_id": reference[:SHOWN_CHARS]}
        return refused(tx, turn, call, Refusal(code=Code.ALREADY_ENDED, facts=facts))
    what = _ended(tx, row, task, done, call)
    tx.log_cancel(row.session, what, actor=actor_of(turn.branch), turn=turn.key)
    below = sum(key != task.key for key in done.tasks)
    text = f"Cancelled {reference}." + (f" {below} tasks below it too." if below else "")
    tx.end_call(turn.session, turn.key, call, EndedBy.TOOL, text, is_error=False)
    return done


def _cancel_work(tx: Tx, task: Task, reason: str) -> Cancelled | None:
    """What the child works on now; `None` when it is at rest."""
    if task.state not in FINAL_STATES:
        return cancel_task(tx, task.key, reason, told=True)
    row = tx.branch_row(task.target)
    turn = tx.turn_row(row.turn) if row.turn else None
    if turn is None:
        return None
    ends = _cancel_turn if turn.state in LIVE_STATES else _cancel_waiting_turn
    return ends(tx, row.key, turn, reason)


def cancel(tx: Tx, branch: BranchKey) -> Cancelled | Refusal:
    """End the branch's turn, with the task that it runs and everything under it; pauses nothing.

    A branch without a turn that runs loses the task that waits there, or the turn that waits for a slot.
    """
    row, task = tx.branch_row(branch), tx.open_task_of(branch)
    done = _cancel_as_person(tx, row, task)
    if not isinstance(done, Refusal):
        tx.log_cancel(row.session, _ended(tx, row, task, done, None), actor="person")
    return done


def _ended(tx: Tx, before: Branch, task: Task | None, done: Cancelled, call: CallKey | None) -> Cancelling:
    """Which task and which turn of the branch are over now."""
    found = tx.turn_state(before.turn) if before.turn else None
    is_over = found is not None and found[0] not in OPEN_STATES
    return Cancelling(
        branch=before.key, task=task.key if task and task.key in done.tasks else None,
        ended=before.turn if is_over else None, call=call,
    )  # fmt: skip


def _cancel_as_person(tx: Tx, row: Branch, task: Task | None) -> Cancelled | Refusal:
    branch = row.key
    turn = tx.turn_row(row.turn) if row.turn else None
    runs = turn is not None and turn.state in LIVE_STATES
    if turn is not None and runs and turn.task is None:
        return _cancel_turn(tx, branch, turn, CANCEL_REASON)
    if task is not None:
        taken_back = cancel_task(tx, task.key, CANCEL_REASON, told=False)
        remind(tx, taken_back.ring, tx.session_row(row.session).root)
        return taken_back
    if turn is None:
        return Refusal(code=Code.ALREADY_ENDED)
    return _cancel_waiting_turn(tx, branch, turn, CANCEL_REASON)


def _cancel_waiting_turn(tx: Tx, branch: BranchKey, row: TurnRow, reason: str) -> Cancelled:
    """What would have opened the turn is parked, or it would open the next one at once."""
    ring = Ring()
    together = tx.policy(row.policy).drains_together
    for d in schedule.opening([m.delivery for m in unread(tx, branch)], together=together):
        if not d.parked and d.kind is not Kind.NOTICE:
            tx.park(row.session, d)
            if d.owes:
                tell_sender(tx, d, Reason.CANCELLED)
    tx.end_turn(row, TurnState.CANCELLED, reason)
    ring.ended.append(row.turn)  # it may be summed up just now, before it starts
    tell_waiters(tx, ring, branch)
    wake(tx, ring, branch)
    remind(tx, ring, row.root)
    return Cancelled(tasks=(), ring=ring)


def _cancel_turn(tx: Tx, branch: BranchKey, turn: TurnRow, reason: str) -> Cancelled:
    """A foreground task that it waits for ends with it; background ones go on, their ends are notices."""
    ring, tasks = Ring(), list[MessageKey]()
    for wait in tx.waits_of_branch(branch):
        task = tx.task_row(wait.task) if wait.task else None
        if task is None or task.background:
            continue
        below = cancel_task(tx, task.key, "its parent was cancelled", told=True)
        ring.take(below.ring)
        tasks += below.tasks
    row = tx.turn_row(turn.turn)
    if row is not None and row.state in LIVE_STATES:
        ending = Ending(state=TurnState.CANCELLED, reason=reason, ended_by=EndedBy.CANCEL)
        found = end(tx, row, ending)
        ring.take(found)
        ring.ended.append(row.turn)
    return Cancelled(tasks=tuple(tasks), ring=ring)
