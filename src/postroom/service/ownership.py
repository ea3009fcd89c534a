"""Whose a task is: the agent that handed it out, whoever is above that agent, and the line it grew from.

Ownership follows branches inside one session and across sessions alike (product.md, Identity).
"""

from postroom.domain.keys import MessageKey
from postroom.domain.receipt import Code, Refusal
from postroom.domain.task import Task
from postroom.domain.turn import Turn
from postroom.rules.naming import SHOWN_CHARS
from postroom.store.tx import Tx

HOPS_MAX = 64
"""How many tasks above a task are looked at (systems.md 1.10); a loop among old rows ends there."""


def task_of(tx: Tx, turn: Turn, task_id: str) -> Task | Refusal:
    """The task that a turn names. Refuses `unknown_task` and `not_dispatcher`."""
    found = named_task(tx, task_id)
    if isinstance(found, Refusal) or _is_of(tx, turn, found):
        return found
    return Refusal(code=Code.NOT_DISPATCHER, facts={"task_id": found.public_id})


def named_task(tx: Tx, task_id: str) -> Task | Refusal:
    """The task of an id, whoever asks: for the person. Refuses `unknown_task`."""
    found = tx.task_by_public_id(task_id.strip())
    return found or Refusal(code=Code.UNKNOWN_TASK, facts={"task_id": task_id.strip()[:SHOWN_CHARS]})


def _is_of(tx: Tx, turn: Turn, task: Task) -> bool:
    """By branch, or because the caller gave, ran or runs something that the task grew from."""
    if turn.branch in tx.branches_above(task.dispatcher):
        return True
    row = tx.turn_row(turn.key)
    current = None if row is None else row.lineage
    return any(
        above.key == current or turn.branch in (above.dispatcher, above.target)
        for above in _ancestors(tx, task)
    )


def _ancestors(tx: Tx, task: Task) -> list[Task]:
    """The tasks from which it grew, nearest first."""
    found: list[Task] = []
    parent: MessageKey | None = task.parent
    while parent is not None and len(found) < HOPS_MAX:
        above = tx.task_row(parent)
        if above is None:
            break
        found.append(above)
        parent = above.parent
    return found
