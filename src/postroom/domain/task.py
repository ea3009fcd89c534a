"""Task: a message whose answer is awaited and tracked. Its key is the message's key."""

from dataclasses import dataclass
from enum import StrEnum

from postroom.domain.keys import BranchKey, MessageKey, TurnKey


class TaskState(StrEnum):
    """How a task stands; the last three are final."""

    QUEUED = "queued"  # its turn has not started
    RUNNING = "running"
    COMPLETED = "completed"
    ERRORED = "errored"
    CANCELLED = "cancelled"


class Outcome(StrEnum):
    """What came of it (product.md section 4, How things end)."""

    SUCCEEDED = "succeeded"
    EMPTY = "empty"  # an answer without text; reported in the runtime's own words
    ROUND_CAP = "round_cap"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


FINAL_STATES = frozenset({TaskState.COMPLETED, TaskState.ERRORED, TaskState.CANCELLED})
"""States that are never rewritten (O-16)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as the services read it."""

    key: MessageKey
    state: TaskState
    outcome: Outcome | None
    dispatcher: BranchKey
    dispatcher_turn: TurnKey
    target: BranchKey
    parent: MessageKey | None
    turn: TurnKey | None
    description: str
    background: bool
    cause: str
    result: str
