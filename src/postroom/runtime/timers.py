"""Timed texts and the ends of asks, when their time comes: one sleeping task, none when nothing is due.

A sleep lasts as long as wall time promised when it began. If the clock was set back meanwhile the rest is
slept too, so a text comes late by no more than the step, and never early.
"""

import asyncio

from postroom.clock import Clock
from postroom.errors import StoreClosed
from postroom.service.office import Office

_LONGEST_S = 86_400.0
"""A sleeping machine may not count; once a day the wall clock is looked at again."""


class Timers:
    """The one task that waits. All of it on one event loop."""

    def __init__(self, office: Office, clock: Clock) -> None:
        self._office = office
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self._due_us: int | None = None

    def arm(self, due_us: int | None) -> None:
        """Wait for this time instead, if it is sooner than what is waited for, or nothing is."""
        is_sooner = self._due_us is None or (due_us is not None and due_us < self._due_us)
        if due_us is not None and is_sooner:
            self._cancel()
            self._due_us = due_us
            self._task = asyncio.get_running_loop().create_task(self._wait(due_us))

    def close(self) -> None:
        """Wait no longer."""
        self._cancel()

    def _cancel(self) -> None:
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = self._due_us = None

    async def _wait(self, due_us: int) -> None:
        while (left_s := (due_us - self._clock.now_us()) / 1_000_000) > 0:
            await self._clock.sleep_s(min(left_s, _LONGEST_S))
        self._due_us = None
        try:
            fired = await self._office.fire_timers()
        except StoreClosed:
            return
        self.arm(fired.next_us)
