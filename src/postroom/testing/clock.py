"""Time that a test moves by hand: nothing is due until somebody says that it is.

Wall time and monotonic time move together, except where a test steps the wall clock alone (O-22).
"""

import asyncio
import heapq
from collections.abc import Awaitable
from itertools import count
from typing import TypeVar

T = TypeVar("T")

START_US = 1_796_000_000_000_000
"""Where a fake wall clock begins: some day in November 2026."""
SETTLE_ROUNDS = 3
"""How often the loop may run between two sleepers that `advance` wakes."""


class FakeClock:
    """A clock for one event loop. `sleep_s` waits until `advance` has passed its end."""

    def __init__(self, start_us: int = START_US) -> None:
        self._wall_us = start_us
        self._elapsed_s = 0.0
        self._tickets = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._slept = asyncio.Event()

    def now_us(self) -> int:
        """Wall time in microseconds since 1970."""
        return self._wall_us

    def monotonic_s(self) -> float:
        """Seconds that `advance` has moved this clock by."""
        return self._elapsed_s

    async def sleep_s(self, seconds: float) -> None:
        """Wait until the clock was moved that far; nothing to wait for lets others run once."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        ticket = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed_s + seconds, next(self._tickets), ticket))
        self._slept.set()
        await ticket

    async def sleeping(self, count: int = 1) -> None:
        """Return once so many wait for this clock.

        What a commit tells of may begin to wait only after everybody can read the commit. So await its
        sleep too before time passes that it is to sleep through.
        """
        while self.sleepers < count:
            self._slept.clear()
            await self._slept.wait()

    def step_wall(self, seconds: float) -> None:
        """Set the wall clock forward or back, as a person or a time server does; nothing becomes due."""
        self._wall_us += round(seconds * 1_000_000)

    async def advance(self, seconds: float) -> None:
        """Move both clocks, waking sleepers one after the other, each at its own moment."""
        end_s = self._elapsed_s + seconds
        while self._sleepers and self._sleepers[0][0] <= end_s:
            due_s, _, ticket = heapq.heappop(self._sleepers)
            if ticket.done():
                continue
            self._move_to(due_s)
            ticket.set_result(None)
            for _ in range(SETTLE_ROUNDS):
                await asyncio.sleep(0)
        self._move_to(end_s)
        await asyncio.sleep(0)

    async def passes_until(self, wanted: Awaitable[T], step_s: float = 0.25) -> T:
        """Let time pass until something has happened; how much passes depends on the machine."""
        waiting = asyncio.ensure_future(wanted)
        while not waiting.done():
            await self.advance(step_s)
        return waiting.result()

    @property
    def sleepers(self) -> int:
        """How many wait for this clock now."""
        return sum(not ticket.done() for *_, ticket in self._sleepers)

    def _move_to(self, elapsed_s: float) -> None:
        self._wall_us += round((elapsed_s - self._elapsed_s) * 1_000_000)
        self._elapsed_s = elapsed_s
