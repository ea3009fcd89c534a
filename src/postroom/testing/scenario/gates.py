"""Gates that hold models, tools and commits, and the pulse that tells of every change.

A gate that a model or a tool comes to waits on the event loop; one at a commit holds the thread that
writes, and with it every write. Both open the same way.
"""

import asyncio
import threading
from collections.abc import Iterable, Mapping

from postroom import faults
from postroom.testing.scenario.parts.team import GatePart

HELD_S = 30.0
"""Real seconds after which a held commit goes on by itself: a bound for files that forget it."""


class Pulse:
    """Counts changes. `after` returns as soon as the count has grown past a number."""

    def __init__(self) -> None:
        self._count = 0
        self._beat = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def beat(self) -> None:
        """Something has changed."""
        self._count += 1
        self._beat.set()
        self._beat = asyncio.Event()

    def beat_from_thread(self) -> None:
        """The same, called by another thread."""
        self._loop.call_soon_threadsafe(self.beat)

    async def after(self, count: int) -> int:
        """The count, once it is larger than this."""
        while self._count <= count:
            await self._beat.wait()
        return self._count


class Gate:
    """One gate."""

    def __init__(self, part: GatePart, pulse: Pulse, *, is_open: bool) -> None:
        self.part = part
        self.arrivals = 0
        self._pulse = pulse
        self._opened = threading.Event()
        if is_open:
            self._opened.set()

    @property
    def is_open(self) -> bool:
        """Whether everybody goes through."""
        return self._opened.is_set()

    def open(self) -> None:
        """Let everybody through."""
        self._opened.set()
        self._pulse.beat()

    def shut(self) -> None:
        """Hold who comes from now on."""
        self._opened.clear()

    async def through(self) -> None:
        """Wait here on the event loop."""
        self._arrive()
        seen = -1
        while not self.is_open:
            seen = await self._pulse.after(seen)

    def hold_thread(self) -> None:
        """Wait here in the thread that writes."""
        if not self.is_open:
            self.arrivals += 1
            self._pulse.beat_from_thread()
            self._opened.wait(HELD_S)

    def _arrive(self) -> None:
        self.arrivals += 1
        self._pulse.beat()


class Gates:
    """The gates of one life of a scenario."""

    def __init__(self, parts: Mapping[str, GatePart], open_ones: Iterable[str], pulse: Pulse) -> None:
        opened = set(open_ones)
        self._gates = {name: Gate(part, pulse, is_open=name in opened) for name, part in parts.items()}
        self._calls: dict[str, int] = {}
        for gate in self._gates.values():
            if gate.part.commit is not None:
                faults.watch(gate.part.commit, gate.hold_thread)

    def named(self, name: str) -> Gate:
        """One gate."""
        return self._gates[name]

    def open(self, names: Iterable[str]) -> None:
        """Open some."""
        for name in names:
            self._gates[name].open()

    def shut(self, names: Iterable[str]) -> None:
        """Shut some."""
        for name in names:
            self._gates[name].shut()

    async def for_model(self, agent: str, purpose: str, round_number: int) -> None:
        """A model call goes through every gate that holds it."""
        for gate in self._gates.values():
            part = gate.part
            is_meant = part.purpose in {None, purpose} and part.round in {None, round_number}
            if part.model == agent and is_meant:
                await gate.through()

    async def for_tool(self, tool: str) -> None:
        """The same for a call of a tool."""
        self._calls[tool] = number = self._calls.get(tool, 0) + 1
        for gate in self._gates.values():
            part = gate.part
            if part.tool == tool and part.call in {None, number}:
                await gate.through()

    async def for_work(self, tool: str) -> None:
        """The same for the end of background work."""
        for gate in self._gates.values():
            if gate.part.work == tool:
                await gate.through()

    def close(self) -> None:
        """Hold no commit any more: the room closes, which ends whoever else still waits."""
        for gate in self._gates.values():
            if gate.part.commit is not None:
                faults.unwatch(gate.part.commit, gate.hold_thread)
                gate.open()
