"""What a transaction needs to know of an agent's profile, and what it asks the runtime to do after.

Profiles live in files, not in the store, so the transaction is handed a `Directory` that looks them
up in memory. The tool list of a turn is fixed when the turn starts and stored with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from postroom.domain.keys import ProducerKey, TurnKey


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFacts:
    """One profile as the service reads it."""

    profile: str
    tools: str
    """JSON list of the tool names a turn of it gets."""
    exposes_mail: bool
    """Whether `send_message` is among them: only then an envelope carries the reply hint (CK-24)."""
    may_message: frozenset[str]
    """Relations it may write to: `child parent sibling *`."""
    may_delegate: frozenset[str]
    """Profiles it may spawn."""
    rounds_max: int | None
    window_tokens: int
    reserve_tokens: int
    """What the answer may take, and a tenth of the window: never filled with mail."""


Directory: TypeAlias = Callable[[str, str], AgentFacts | None]
"""(team, profile) -> its facts, or nothing when the profile is not there any more."""


class Waiting(NamedTuple):
    """A turn that waits for a slot of its tree."""

    turn: TurnKey
    root: int
    concurrency: int


@dataclass(slots=True)
class Ring:
    """What the runtime should look at after the commit. A hint: losing it costs time, never mail."""

    woken: list[Waiting] = field(default_factory=list[Waiting])
    stopping: list[TurnKey] = field(default_factory=list[TurnKey])
    """Stopped turns whose tools get time to end: their runners end them."""
    ended: list[TurnKey] = field(default_factory=list[TurnKey])
    """Turns ended from outside: their runners are to be cancelled."""
    halted: list[ProducerKey] = field(default_factory=list[ProducerKey])
    """Work of stopped agents and cancelled turns: whoever does it is to end it and say so."""
    answered: list[TurnKey] = field(default_factory=list[TurnKey])
    """Suspended turns whose awaited task has ended."""

    def take(self, other: "Ring") -> None:
        """Look at what the other names, too."""
        self.woken += other.woken
        self.stopping += other.stopping
        self.ended += other.ended
        self.halted += other.halted
        self.answered += other.answered
