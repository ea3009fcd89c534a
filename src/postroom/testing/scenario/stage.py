"""Where a scenario is played: a room in this process, or one in a process of its own that can be killed.

A stage is one life of the room. Whatever is looked at is read from files (`record`), so a stage only
acts. Times are microseconds of the scenario's wall clock; the caller keeps them from life to life.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from postroom.domain.plain import Json
from postroom.testing.scenario.reading import Read


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How a life begins."""

    read: Read
    policy: str
    """The preset that the file is run on."""
    folder: Path
    """Holds the store and the journal of requests."""
    now_us: int
    open_gates: Sequence[str]


class Stage(Protocol):
    """One life of a room."""

    async def do(self, command: str, arguments: dict[str, Json]) -> Json:
        """A command of the control door. Raises a `Fault`, or `Told` with its code."""
        ...

    async def open_gates(self, names: Sequence[str]) -> None:
        """Let everybody through."""
        ...

    async def shut_gates(self, names: Sequence[str]) -> None:
        """Hold who comes from now on."""
        ...

    async def arrivals(self, gate: str) -> int:
        """How many have come to a gate in this life."""
        ...

    async def pass_time(self, seconds: float) -> int:
        """Move the clock; what time it is then."""
        ...

    async def step_wall(self, seconds: float) -> int:
        """Step the wall clock alone; what time it is then."""
        ...

    async def quiesce(self) -> int:
        """Wait until no turn runs or waits, letting time pass where one sleeps; what time it is then."""
        ...

    async def changed(self, after: int) -> int:
        """A number that grows with every change, as soon as it is larger than `after`."""
        ...

    async def slots_held(self) -> int:
        """How many slots of all trees are taken."""
        ...

    async def arm(self, point: str) -> None:
        """Let the process die at a crash point, `name` or `name:n`."""
        ...

    async def close(self) -> None:
        """Close the room in good order. Idempotent."""
        ...
