"""One hook that is told of events: in order, at its own speed, and never in anybody's way."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from postroom.domain.plain import Json
from postroom.tools.hooks.gate import HookFailure
from postroom.tools.hooks.hook import Event

BUFFER: Final = 1_024
"""Events that wait for an observer; what comes beyond them is told as a gap."""
GAP: Final = "gap"


@dataclass(slots=True, kw_only=True)
class _Gap:
    """Events that an observer has missed because it was slow."""

    first_pos: int
    last_pos: int
    missed: int

    def event(self) -> Event:
        """As the observer is told of it."""
        facts: dict[str, Json] = {
            "missed": self.missed, "first_pos": self.first_pos, "last_pos": self.last_pos
        }  # fmt: skip
        return {"kind": GAP, "pos": self.last_pos, "facts": facts}


class Ear(Protocol):
    """A hook as far as it is told of events."""

    @property
    def name(self) -> str:
        """As denials, the log and the person read it."""
        ...

    async def hear(self, event: Event) -> HookFailure | None:
        """Tell it of an event; how that failed."""
        ...


class Observer:
    """Tells a hook of events. `on_failure` hears of each that it did not take."""

    def __init__(self, hook: Ear, on_failure: Callable[[HookFailure], None]) -> None:
        self.hook = hook
        self._on_failure = on_failure
        self._waiting: deque[tuple[int, Event] | _Gap] = deque()
        self._arrived = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._task = asyncio.get_running_loop().create_task(self._tell_all())

    def offer(self, pos: int, event: Event) -> None:
        """One more event, in the order of the log. Never waits."""
        last = self._waiting[-1] if self._waiting else None
        if len(self._waiting) < BUFFER:
            self._waiting.append((pos, event))
        elif isinstance(last, _Gap):
            last.last_pos, last.missed = pos, last.missed + 1
        else:
            self._waiting.append(_Gap(first_pos=pos, last_pos=pos, missed=1))
        self._idle.clear()
        self._arrived.set()

    async def finish(self, limit_s: float) -> int:
        """Tell what still waits, for so many real seconds at most; how many events were never told."""
        idle = asyncio.get_running_loop().create_task(self._idle.wait())
        await asyncio.wait((idle,), timeout=limit_s)
        idle.cancel()
        self._task.cancel()
        await asyncio.wait((self._task,))
        return sum(item.missed if isinstance(item, _Gap) else 1 for item in self._waiting)

    async def _tell_all(self) -> None:
        while True:
            await self._arrived.wait()
            while self._waiting:
                item = self._waiting[0]
                event = item.event() if isinstance(item, _Gap) else item[1]
                if isinstance(item, _Gap):
                    self._waiting.popleft()  # from here on a new gap begins
                if (failure := await self.hook.hear(event)) is not None:
                    self._on_failure(failure)
                if not isinstance(item, _Gap):
                    self._waiting.popleft()
            self._arrived.clear()
            self._idle.set()
