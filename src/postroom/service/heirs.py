"""Who reads what comes back to an agent that was archived: the nearest ancestor that was not (O-19).

A deleted session has only archived agents, so the one mark is enough.
"""

from postroom.domain.keys import BranchKey
from postroom.domain.task import Task
from postroom.store.tx import Tx


def heir_of(tx: Tx, branch: BranchKey) -> BranchKey | None:
    """The agent itself while it is not archived, else its nearest ancestor that is not; none: nobody."""
    at: BranchKey | None = branch
    while at is not None:
        row = tx.branch_row(at)
        if row.archived_us is None:
            return at
        at = row.parent_branch
    return None


def reader_of_result(tx: Tx, task: Task) -> BranchKey | None:
    """Who reads a task's result: its dispatcher, also an archived one whose turn still waits for it."""
    waits = any(branch == task.dispatcher for branch, _ in tx.waiters_of_task(task.key))
    return task.dispatcher if waits else heir_of(tx, task.dispatcher)
