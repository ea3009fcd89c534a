"""`task_stop`: a task ends at once, with everything that grew out of it, and nothing else does.

A task that waits is taken out of its agent's mailbox; what that agent runs goes on. Of a task that runs
only its own turn ends: its fence is raised in this commit, so a tool that does not let go can keep
nothing alive (OP-55 to OP-57, OP-70).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from postroom.domain.event import actor_of
from postroom.domain.keys import CallKey
from postroom.domain.receipt import Refusal
from postroom.domain.task import FINAL_STATES, Task
from postroom.domain.turn import EndedBy, Turn
from postroom.service.cancel import REASON_CHARS
from postroom.service.facts import Ring
from postroom.service.ownership import named_task, task_of
from postroom.service.stops import STOP_REASON
from postroom.service.tasks import Fetched, cancel_task, describe, refused
from postroom.store.tx import Tx
from postroom.store.tx_turns import Cancelling

PARENT_REASON = "cancel.parent"
"""Why a task ended that its dispatcher stopped and gave no reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopView:
    """A task after a stop, without its text."""

    task: Fetched
    had_ended: bool
    """It had ended before; the stop changed nothing."""
    below: int
    """How many tasks that grew out of it were ended with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStopped:
    """What a stop did, and what is to be looked at."""

    view: StopView
    ring: Ring


RenderStop: TypeAlias = Callable[[StopView], str]
"""The surface's words for a stop."""


def stop_task(
    tx: Tx, turn: Turn, call: CallKey, task_id: str, reason: str, render: RenderStop
) -> TaskStopped | Refusal:
    """End a task for an agent; its call's result is durable. Refuses `unknown_task` and `not_dispatcher`.

    Its dispatcher is told by a result, unless the dispatcher makes this call.
    """
    tx.own(turn.key, turn.fence)
    task = task_of(tx, turn, task_id)
    if isinstance(task, Refusal):
        return refused(tx, turn, call, task)
    why = reason.strip()[:REASON_CHARS] or PARENT_REASON
    stopped = _stop(tx, task, why, told=task.dispatcher == turn.branch)
    if not stopped.view.had_ended:
        session, what = _cancelling(tx, task, call)
        tx.log_cancel(session, what, actor=actor_of(turn.branch), turn=turn.key)
    text = render(stopped.view)
    tx.end_call(turn.session, turn.key, call, EndedBy.TOOL, text, is_error=False)
    return stopped


def stop_task_as_person(tx: Tx, task_id: str) -> TaskStopped | Refusal:
    """End any task; its dispatcher is told. Refuses `unknown_task`."""
    task = named_task(tx, task_id)
    if isinstance(task, Refusal):
        return task
    stopped = _stop(tx, task, STOP_REASON, told=False)
    if not stopped.view.had_ended:
        session, what = _cancelling(tx, task, None)
        tx.log_cancel(session, what, actor="person")
    return stopped


def _stop(tx: Tx, task: Task, reason: str, *, told: bool) -> TaskStopped:
    ring, below, had_ended = Ring(), 0, task.state in FINAL_STATES
    if not had_ended:
        done = cancel_task(tx, task.key, reason, told=told)
        ring, below = done.ring, len(done.tasks) - 1
    now = tx.task_row(task.key) or task
    fetched = replace(describe(tx, now), text="")
    return TaskStopped(view=StopView(task=fetched, had_ended=had_ended, below=below), ring=ring)


def _cancelling(tx: Tx, task: Task, call: CallKey | None) -> tuple[int, Cancelling]:
    """In whose log it stands, and what was ended: the turn only where the task had one."""
    what = Cancelling(branch=task.target, task=task.key, ended=task.turn, call=call)
    return tx.branch_row(task.target).session, what
