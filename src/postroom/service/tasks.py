"""What a dispatcher does with a task: wait for it, fetch its result, end it."""

import json
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TypeAlias

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import BranchKey, CallKey, DeliveryKey, MessageKey
from postroom.domain.message import Delivery, Kind, Reason, State
from postroom.domain.node import MailFacts, facts_of
from postroom.domain.receipt import Code, Refusal
from postroom.domain.task import FINAL_STATES, Outcome, Task, TaskState
from postroom.domain.turn import LIVE_STATES, OPEN_STATES, EndedBy, Turn, TurnState
from postroom.rules import naming
from postroom.rules.cascade import deepest_first
from postroom.rules.naming import SHOWN_CHARS
from postroom.service.close import Ending, end
from postroom.service.facts import Ring
from postroom.service.recall import discard_unread
from postroom.service.receipts import address_for, given_name
from postroom.service.results import Report, report_task
from postroom.service.waits import begin_wait, end_wait, for_task, mail_enters
from postroom.service.wake import drop_ended
from postroom.store.rows import Mail, RecipientRow
from postroom.store.tx import Tx
from postroom.store.tx_waits import Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A child's task as its dispatcher may read it: whole text, outcome, and how the facts render."""

    handle: str
    """The child's address, as its surface prints it."""
    task_id: str
    state: str
    """How the task itself stands, as lists show it."""
    status: str
    """Its outcome once it has ended; else what its agent is at."""
    facts: MailFacts
    text: str
    turn_id: str
    mail_waiting: int = 0
    """How many messages wait for its dispatcher, where mail has ended the wait for it."""


TARGET_STOPPED = "target_stopped"
"""What a wait on a stopped agent returns (product.md section 4, Stop)."""
_WORK = {
    TurnState.WAITING: TaskState.QUEUED,
    TurnState.RUNNING: TaskState.RUNNING,
    TurnState.SUSPENDED: TaskState.RUNNING,
}
_AT_WORK = frozenset({TaskState.PENDING, *_WORK.values()})
RenderTask: TypeAlias = Callable[[Fetched], str]
"""The surface's words for a task's result."""


def collect(tx: Tx, turn: Turn, call: CallKey, render: RenderTask, *, at_rest: bool = False) -> str | None:
    """The result of the awaited task as this call's result; `None` while it is to be waited for.

    `at_rest` waits for turns that later mail has opened too, and gives the newest answer. The tool result
    is the claim of the result's delivery: committed together, consumed by the next answer, and put back
    by a release (product.md, Tasks and waits, 2).
    """
    tx.own(turn.key, turn.fence)
    awaited = tx.wait_of_call(call)
    task = tx.task_row(awaited.task) if awaited and awaited.task else None
    if task is None or awaited is None:
        return None
    is_over = _is_over(tx, task, at_rest=at_rest)
    if not is_over and not is_cut(tx, turn, awaited):
        return None
    fetched = describe(tx, task, at_rest=at_rest)
    fetched = fetched if is_over else cut_short(tx, turn, fetched)
    end_wait(tx, turn.session, turn.branch, turn.key, call)
    return hand_over(tx, turn, call, render, fetched, task)


def is_cut(tx: Tx, turn: Turn, awaited: Wait) -> bool:
    """Whether mail ends a wait now that is not over: its agent goes on, and its result comes by itself."""
    return bool(awaited.by_mail) and mail_enters(tx, turn.branch)


def cut_short(tx: Tx, turn: Turn, fetched: Fetched) -> Fetched:
    """A task as mail has ended the wait for it."""
    return replace(fetched, mail_waiting=tx.branch_row(turn.branch).n_waiting)


def await_child(
    tx: Tx, turn: Turn, call: CallKey, reference: str, render: RenderTask
) -> str | Refusal | None:
    """`get_subagent_result` that waits until the child is at rest: `None`, and the turn is suspended."""
    tx.own(turn.key, turn.fence)
    task = child_task(tx, turn.branch, reference)
    if isinstance(task, Refusal):
        return refused(tx, turn, call, task)
    if _is_over(tx, task, at_rest=True):
        return hand_over(tx, turn, call, render, describe(tx, task, at_rest=True), task)
    begin_wait(tx, turn.session, turn.branch, turn.key, call, for_task(tx, turn.session, task.key))
    return None


def fetch(tx: Tx, turn: Turn, call: CallKey, reference: str, render: RenderTask) -> str | Refusal:
    """`get_subagent_result` that does not wait: a running child says so, without text."""
    tx.own(turn.key, turn.fence)
    task = child_task(tx, turn.branch, reference)
    if isinstance(task, Refusal):
        return refused(tx, turn, call, task)
    return hand_over(tx, turn, call, render, describe(tx, task, at_rest=True), task)


def _is_over(tx: Tx, task: Task, *, at_rest: bool) -> bool:
    """Whether a wait for the task ends now: the person stopped the child, or nothing is left to wait for."""
    if task.state not in FINAL_STATES:
        return is_stopped(tx, task)
    return not at_rest or tx.branch_row(task.target).turn is None


def refused(tx: Tx, turn: Turn, call: CallKey, refusal: Refusal) -> Refusal:
    """A refusal is in the caller's log (G12); its result is committed by the runtime."""
    event = f'{{"code":"{refusal.code}","call":{call}}}'
    actor = actor_of(turn.branch)
    tx.event(turn.session, EventKind.DELEGATION_REFUSED, event, actor=actor, turn=turn.key)
    return refusal


def hand_over(tx: Tx, turn: Turn, call: CallKey, render: RenderTask, fetched: Fetched, task: Task) -> str:
    """End the call with the child's text; the unread result whose text it is is claimed by it.

    A result that is for another agent stays in that agent's mailbox, whoever has looked at it.
    """
    text = render(fetched)
    key = None if fetched.status in _AT_WORK else claim_result(tx, turn, task)
    failed = fetched.status not in {*_AT_WORK, Outcome.SUCCEEDED}
    tx.end_call(turn.session, turn.key, call, EndedBy.TOOL, text, is_error=failed, delivery=key)
    return text


def claim_result(tx: Tx, turn: Turn, task: Task) -> DeliveryKey | None:
    """Claim the unread result of a task for the call that returns it, if it is for the turn's agent."""
    unread = _unread_result(tx, task)
    if unread is None or unread.delivery.recipient != turn.branch:
        return None
    tx.claim(turn.session, unread.delivery, turn.key, None)
    _deepen(tx, turn, unread.delivery)
    return unread.delivery.key


def _deepen(tx: Tx, turn: Turn, result: Delivery) -> None:
    """A result that a call returns has joined the turn like any other: it takes the deeper path's numbers."""
    row = tx.turn_row(turn.key)
    assert row is not None  # noqa: S101 -- the turn makes this call
    messages, generations = max(result.messages, row.messages), max(result.generations, row.generations)
    if (messages, generations) != (row.messages, row.generations):
        tx.deepen_turn(row.session, row.turn, messages, generations)


def _unread_result(tx: Tx, task: Task) -> Mail | None:
    if task.result_message is None:
        return None
    found = tx.deliveries_of_message(task.result_message)
    return next((m for m in found if m.delivery.state is State.ACCEPTED), None)


def describe(tx: Tx, task: Task, *, at_rest: bool = False) -> Fetched:
    """A task with its child's address and the facts that render its end.

    With `at_rest` a child that later mail has woken is at work, whatever came of its task.
    """
    child = tx.recipient_by_branch(None, task.target)
    handle = address_for(tx, child, task.dispatcher)
    facts = MailFacts(
        kind=Kind.RESULT, sender=handle, outcome=task.outcome, task=task.public_id,
        description=task.description, code=task.cause, name=given_name(tx, child.branch),
        where=_where(tx, task),
        limit_chars=tx.policy(tx.recipient_by_branch(None, task.dispatcher).policy).result_chars_max,
    )  # fmt: skip
    last = tx.last_turn_of_branch(task.target)
    status = task.outcome if task.state in FINAL_STATES else task.state
    if at_rest and task.state in FINAL_STATES and last is not None and last.state in OPEN_STATES:
        status, facts = _WORK[TurnState(last.state)], replace(facts, outcome="", code="")
    if is_stopped(tx, task):
        status, facts = TARGET_STOPPED, replace(facts, outcome=TARGET_STOPPED)
    return Fetched(
        handle=handle,
        task_id=task.public_id,
        state=task.state,
        status=status,
        facts=facts,
        text="" if status in _AT_WORK else _text(tx, task),
        turn_id=last.public_id if last else "",
    )


def describe_own(tx: Tx, task: Task) -> Fetched:
    """The same with the text of this very task: its agent may have had others since."""
    return replace(describe(tx, task), text=task.result if task.state in FINAL_STATES else "")


def _where(tx: Tx, task: Task) -> str:
    """The file with the whole of its result, if there is one."""
    if task.result_message is None:
        return ""
    told = next((m.facts for m in tx.deliveries_of_message(task.result_message)), "")
    return facts_of(told).where if told else ""


def is_stopped(tx: Tx, task: Task) -> bool:
    """The task waits at a branch that the person stopped: whoever waits for it is told."""
    return task.state not in FINAL_STATES and tx.branch_row(task.target).paused_by is not None


def _text(tx: Tx, task: Task) -> str:
    """The task's result until it is read; then the last answer, newer where mail woke the child."""
    if task.state not in FINAL_STATES:
        return ""
    parts = tx.last_answer_of(task.target) if task.result and _unread_result(tx, task) is None else None
    return str(json.loads(parts)["text"]) or task.result if parts else task.result


def child_task(tx: Tx, parent: BranchKey, reference: str) -> Task | Refusal:
    """The newest task of an own direct child, by its handle or session id (CK-40)."""
    found = find_child(tx, parent, reference)
    if found is None:
        return Refusal(code=Code.NOT_YOUR_CHILD, facts={"session_id": reference[:SHOWN_CHARS]})
    task = tx.newest_task_of(found.branch)
    return task or Refusal(code=Code.NO_TASK, facts={"session_id": reference[:SHOWN_CHARS]})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """Which tasks a cancel ended, and what is to be looked at."""

    tasks: tuple[MessageKey, ...]
    ring: Ring


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cancel:
    """Why one task is ended, whether its dispatcher knows, and whose tasks are ended with it."""

    reason: str
    told: bool
    inside: frozenset[BranchKey] = frozenset()


def cancel_task(tx: Tx, task: MessageKey, reason: str, *, told: bool) -> Cancelled:
    """End a task and everything that grew out of it, descendants first; a loop among old rows ends by
    itself (O-18).

    Who handed out a descendant from inside is being ended too: a notice tells it, and nothing wakes it.
    """
    return _end_grown(tx, task, _Cancel(reason=reason, told=told), frozenset())


def cancel_handed_out(tx: Tx, task: MessageKey, reason: str, but: AbstractSet[BranchKey]) -> Ring:
    """End everything that grew out of a task, except for what is with one of these agents."""
    return _end_grown(tx, task, _Cancel(reason=reason, told=False), but).ring


def _end_grown(tx: Tx, task: MessageKey, cancel: _Cancel, but: AbstractSet[BranchKey]) -> Cancelled:
    ring, steps = Ring(), {step.task: step for step in tx.tasks_under(task)}
    order = deepest_first(task, ((step.task, step.parent) for step in steps.values()))
    found = [step for key in order if (step := steps.get(MessageKey(key))) is not None]
    tasks = tuple(s.task for s in found if s.state not in FINAL_STATES and s.target not in but)
    inside = frozenset(step.target for step in found)
    for key in tasks:
        _cancel_one(tx, ring, key, cancel if key == task else replace(cancel, told=False, inside=inside))
    drop_ended(tx, ring)
    return Cancelled(tasks=tasks, ring=ring)


def _cancel_one(tx: Tx, ring: Ring, key: MessageKey, cancel: _Cancel) -> None:
    task = tx.task_row(key)
    quiet = task is not None and task.dispatcher in cancel.inside
    row = tx.turn_row(task.turn) if task and task.turn else None
    if row is not None and row.state in LIVE_STATES:
        ending = Ending(
            state=TurnState.CANCELLED, reason=cancel.reason, ended_by=EndedBy.CANCEL, told=cancel.told,
            quiet=quiet,
        )  # fmt: skip
        found = end(tx, row, ending)
        ring.take(found)
        ring.ended.append(row.turn)
        return
    discard_unread(tx, key, Reason.CANCELLED)
    report = Report(outcome=Outcome.CANCELLED, cause=cancel.reason, told=cancel.told, quiet=quiet)
    report_task(tx, ring, key, report)


def find_child(tx: Tx, parent: BranchKey, reference: str) -> RecipientRow | None:
    """An own direct child by its exact handle or its session id; nobody else's, whoever asks."""
    if naming.is_uuid(reference):
        found = tx.recipient_by_public_id(None, reference.lower())
    else:
        root = tx.session_row(tx.branch_row(parent).session).root
        found = tx.recipient_by_handle(None, root, reference)
    return found if found is not None and found.parent_branch == parent else None
