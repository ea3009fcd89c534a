"""Goal: what a root agent has set out to do, with a list of what is to be done for it."""

from enum import StrEnum
from typing import NamedTuple

from postroom.domain.keys import BranchKey, GoalKey, MessageKey


class GoalState(StrEnum):
    """How a goal stands; the last two are final."""

    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"  # only with a list that is not empty and all done
    CANCELLED = "cancelled"


FINAL_STATES = frozenset({GoalState.COMPLETED, GoalState.CANCELLED})


class Goal(NamedTuple):
    """One goal. `items` is a JSON list of {text, done}; `reminders` counts those since the list changed."""

    key: GoalKey
    public_id: str
    branch: BranchKey
    text: str
    items: str
    state: str
    reminders: int
    message: MessageKey | None
