"""One task, as a person reads it."""

from dataclasses import dataclass
from typing import Final

from postroom.errors import NotFound
from postroom.observe.lists import TaskView, told
from postroom.rules.naming import SHOWN_CHARS
from postroom.store.tx import Tx

BELOW_SHOWN: Final = 100
"""How many of the tasks that were given for one are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDetail:
    """A task with its text, what came of it, and what was given for it."""

    task: TaskView
    body: str
    result: str
    """Empty while it is open, and where it gave nothing."""
    result_message_id: str
    background: bool
    """Whether its dispatcher went on without waiting for it."""
    turn_id: str
    """The turn that runs or ran it; empty before it has one."""
    parent_task_id: str
    """The task in whose course it was given; empty for one that the person's own text brought about."""
    below: list[TaskView]
    """The tasks that were given in its course, oldest first."""


def task_detail(tx: Tx, task_id: str) -> TaskDetail:
    """A task by its id. Raises `NotFound`."""
    row = tx.told_task(task_id.strip().lower())
    if row is None:
        raise NotFound(f"no task has the id {task_id[:SHOWN_CHARS]!r}", remedy="`postroom tasks` lists them")
    return TaskDetail(
        task=told(tx, row.told), body=row.body, result=row.result, result_message_id=row.result_id,
        background=bool(row.background), turn_id=row.turn_id, parent_task_id=row.parent_id,
        below=[told(tx, one) for one in tx.tasks_given_for(row.task, BELOW_SHOWN)],
    )  # fmt: skip
