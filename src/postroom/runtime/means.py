"""What a turn works with: the service, the clock, its slot, what stands before its calls."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from postroom.clock import Clock
from postroom.domain.keys import BranchKey
from postroom.errors import ModelUnavailable
from postroom.runtime.change_watch import ChangeWatch
from postroom.runtime.residents import Residents
from postroom.runtime.texts import OnPiece
from postroom.runtime.works import Works
from postroom.service.office import Office
from postroom.service.start import Started
from postroom.tools.hooks.asking import HookGate
from postroom.tools.hooks.bus import Bus


class Seat(Protocol):
    """The slot of a turn, and the door for turns that its sends start at once."""

    async def take(self) -> None:
        """Wait for a slot of the tree."""
        ...

    def give(self) -> None:
        """Give the slot back."""
        ...

    def try_second(self) -> bool:
        """Take a second slot of the tree, for the recipient of a send, if one is free."""
        ...

    def give_second(self) -> None:
        """Give the second slot back unused."""
        ...

    def adopt(self, started: Started) -> None:
        """Run a turn that a send of this one has started, on the second slot."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What every turn works with."""

    office: Office
    residents: Residents
    clock: Clock
    random_source: random.Random
    works: Works
    gate: HookGate
    """The hooks that look at a call before it is made."""
    bus: Bus
    """Who is told of what happens, and who is asked before a turn ends."""
    changes: ChangeWatch
    """Who waits for a change of another session."""
    on_text: Callable[[BranchKey, str], None]
    on_piece: OnPiece
    on_wait: Callable[[BranchKey, float, ModelUnavailable], None]
