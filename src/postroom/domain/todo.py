"""Entry of a session's board: a plan that its agents write down. Nothing ever runs because of one."""

from enum import StrEnum
from typing import NamedTuple

from postroom.domain.keys import BranchKey, TodoKey


class TodoStatus(StrEnum):
    """How an entry stands; it may go from any of these to any other one."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


class Todo(NamedTuple):
    """One entry. `blocked_by` is a JSON list of numbers on the same board."""

    key: TodoKey
    number: int
    """Counts up on its board, from 1."""
    subject: str
    description: str
    status: str
    owner: BranchKey
    """Who made it, or has moved its status since."""
    blocked_by: str
