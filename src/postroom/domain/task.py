"""Task: a message whose answer is awaited and tracked. Its key is the message's key."""

from enum import StrEnum
from typing import NamedTuple

from postroom.domain.keys import BranchKey, MessageKey, TurnKey


class TaskState(StrEnum):
    """How a task stands; the last three are final. `rules.lifecycle` holds the only legal moves (OP-67)."""

    PENDING = "pending"  # it lies in the mailbox of an agent that has a turn of something else
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


class Task(NamedTuple):
    """One task. `state` and `outcome` hold the words above; `outcome` is empty while it is open."""

    key: MessageKey
    state: str
    outcome: str
    dispatcher: BranchKey
    dispatcher_turn: TurnKey
    target: BranchKey
    parent: MessageKey | None
    turn: TurnKey | None
    description: str
    background: int
    cause: str
    result: str
    result_message: MessageKey | None
    public_id: str
    """`t_` and 14 hexadecimal digits."""
    made_agent: int
    """Whether the task came with an agent of its own; else it was given to one that exists."""
    archives: int
    """Whether its agent is archived when it ends."""
