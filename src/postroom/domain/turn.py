"""Turn, call and chain: one run of an agent, what it called, and what it grew out of."""

from dataclasses import dataclass
from enum import StrEnum

from postroom.domain.keys import BranchKey, CallKey, ChainKey, MessageKey, SessionKey, TurnKey


class TurnState(StrEnum):
    """How a turn stands (product.md section 4, How things end)."""

    WAITING = "waiting"  # for a slot
    RUNNING = "running"
    SUSPENDED = "suspended"  # only waits, holds no slot
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


LIVE_STATES = frozenset({TurnState.RUNNING, TurnState.SUSPENDED})
"""States in which a turn's holder may write."""
OPEN_STATES = LIVE_STATES | {TurnState.WAITING}
"""States of a turn that has not ended."""


class CallState(StrEnum):
    """A tool call is open until its one result is durable."""

    OPEN = "open"
    ENDED = "ended"


class EndedBy(StrEnum):
    """Who gave a call its result."""

    TOOL = "tool"  # the tool itself
    CANCEL = "cancelled"
    STOP = "stopped"
    DEATH = "interrupted"
    CAP = "not_executed"
    BUDGET = "over_budget"  # not executed either: its chain has spent what it may
    FAILURE = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn as its runner holds it. Every write carries `key` and `fence`; a stale one is refused."""

    key: TurnKey
    public_id: str
    branch: BranchKey
    session: SessionKey
    fence: int
    chain: ChainKey
    task: MessageKey | None
    rounds: int
    rounds_max: int
    answers: MessageKey | None = None
    """The mail whose sender is owed what this turn says."""
    kept: str = ""
    """The file with the whole of its last text, where its reader will be shown the ends only."""
    is_last: bool = False
    """Whether only one answer without tools is left to it: its cap on rounds is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of a committed answer; its own durable id is (turn, round, position)."""

    key: CallKey
    turn: TurnKey
    round: int
    position: int
    tool: str
    arguments: str
    """As they are used: the model's, or those that a hook put in their place."""
    changed_by: str = ""
    """The hook that changed them."""

    @property
    def call_id(self) -> str:
        """The id models see: at most 40 characters of `[a-z0-9_]`, never the provider's (O-04)."""
        return call_id(self.turn, self.round, self.position)


def call_id(turn: int, round_: int, position: int) -> str:
    """The model-visible id of a call."""
    return f"c_{turn}_{round_}_{position}"
