"""`list_tasks`: what an agent, and everybody below it, has handed out."""

from typing import NamedTuple

from postroom.domain.keys import BranchKey
from postroom.rules.text import brief
from postroom.service.receipts import address_for
from postroom.store.tx import Tx

LINES_MAX = 50
"""How many tasks one list shows (OP-72)."""
SUBJECT_CHARS = 80
"""How much of a subject it shows."""


class TaskLine(NamedTuple):
    """One task of a list. `outcome` and `cause` are empty while it is open."""

    task_id: str
    state: str
    outcome: str
    cause: str
    subject: str
    to: str
    """The agent that has it, as its surface prints it."""


def list_tasks(tx: Tx, branch: BranchKey) -> list[TaskLine]:
    """The newest tasks that the branch or its descendants have handed out, newest first."""
    return [
        TaskLine(
            given.task_id, given.state, given.outcome, given.cause, brief(given.subject, SUBJECT_CHARS),
            address_for(tx, tx.recipient_by_branch(None, given.target), branch),
        )
        for given in tx.tasks_given_under(branch, LINES_MAX)
    ]  # fmt: skip
