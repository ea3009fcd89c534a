"""`task_output`: what has come of a task, now or after waiting for it."""

from postroom.domain.keys import CallKey
from postroom.domain.receipt import Refusal
from postroom.domain.task import FINAL_STATES, Task
from postroom.domain.turn import Turn
from postroom.service.ownership import task_of
from postroom.service.tasks import (
    RenderTask,
    cut_short,
    describe_own,
    hand_over,
    is_cut,
    is_stopped,
    refused,
)
from postroom.service.waits import Edge, begin_wait, deadlock, end_wait, for_task, would_deadlock
from postroom.store.tx import Tx


def task_output(
    tx: Tx, turn: Turn, call: CallKey, task_id: str, render: RenderTask, *, block: bool
) -> str | Refusal | None:
    """How a task stands as this call's result; `None`, and the turn is suspended until it has ended.

    Without `block` it only looks. The result of a task of the caller's own is claimed by this call. Refuses
    `unknown_task`, `not_dispatcher` and, where it would wait, `would_deadlock`.
    """
    tx.own(turn.key, turn.fence)
    task = task_of(tx, turn, task_id)
    if isinstance(task, Refusal):
        return refused(tx, turn, call, task)
    if not block or _is_over(tx, task):
        return hand_over(tx, turn, call, render, describe_own(tx, task), task)
    if tx.wait_of_call(call) is not None:  # a process before this one began to wait
        return None
    if would_deadlock(tx, turn.branch, [edge := Edge(task.target)]):
        return refused(tx, turn, call, deadlock(tx, turn.branch, edge))
    begin_wait(tx, turn.session, turn.branch, turn.key, call, for_task(tx, turn.session, task.key))
    return None


def collect_output(tx: Tx, turn: Turn, call: CallKey, render: RenderTask, *, gives_up: bool) -> str | None:
    """The awaited task as this call's result, once it has ended or its time is up; else `None`."""
    tx.own(turn.key, turn.fence)
    awaited = tx.wait_of_call(call)
    task = tx.task_row(awaited.task) if awaited and awaited.task else None
    if task is None or awaited is None:
        return None
    fetched = describe_own(tx, task)
    if not _is_over(tx, task):
        if is_cut(tx, turn, awaited):
            fetched = cut_short(tx, turn, fetched)
        elif not gives_up:
            return None
    end_wait(tx, turn.session, turn.branch, turn.key, call)
    return hand_over(tx, turn, call, render, fetched, task)


def _is_over(tx: Tx, task: Task) -> bool:
    """It has ended, or the person stopped its agent: nothing is left to wait for."""
    return task.state in FINAL_STATES or is_stopped(tx, task)
