"""How the calls of a turn wait: without a slot, each for its own doorbell, some only for a time."""

import asyncio
from collections.abc import Awaitable, Callable

from postroom.domain.keys import CallKey
from postroom.runtime.means import Means, Seat
from postroom.service.start import Started

_SECOND_US = 1_000_000


class WaitingDesk:
    """A turn whose calls may wait for a task or for the person."""

    def __init__(self, means: Means, started: Started, seat: Seat) -> None:
        self.means = means
        self.office = means.office
        self.started = started
        self.turn = started.turn
        self.seat = seat
        # One event a waiting call: a shared one could be cleared by the call beside it.
        self._waits: dict[CallKey, asyncio.Event] = {}

    async def _left_s(self, call: CallKey, timeout_s: float) -> float:
        """What is left of a call's time. What has passed since another process began to wait counts, by the
        wall clock; if that was set back, the call waits as long again at most.
        """
        begun_us = None
        if self.started.left is not None:
            begun_us = await self.office.began_to_wait(self.turn, call)
        if begun_us is None:
            return timeout_s
        passed_s = (self.means.clock.now_us() - begun_us) / _SECOND_US
        return min(max(timeout_s - passed_s, 0.0), timeout_s)

    async def _wait(
        self, call: CallKey, collected: Callable[[], Awaitable[bool]], timeout_s: float | None = None
    ) -> None:
        """Wait for a task or for the person. No slot is held.

        After `timeout_s` of the room's clock it looks once more; without one there is no deadline here.
        """
        if not self._waits:
            self.seat.give()
        answered = self._waits[call] = asyncio.Event()
        alarm = None if timeout_s is None else self._alarm(answered, timeout_s)
        try:
            while not await collected():
                await answered.wait()
                answered.clear()
        finally:
            del self._waits[call]
            if alarm is not None:
                alarm.cancel()
        if not self._waits:
            await self.seat.take()
        if self._waits:  # another call of the batch began to wait meanwhile: it must hold no slot
            self.seat.give()

    def _alarm(self, answered: asyncio.Event, timeout_s: float) -> asyncio.Task[None]:
        alarm = asyncio.get_running_loop().create_task(self.means.clock.sleep_s(timeout_s))
        alarm.add_done_callback(lambda _: answered.set())
        return alarm

    def answer_waits(self) -> None:
        """A task that one of the calls awaits has ended: each looks whether it was its own."""
        for answered in self._waits.values():
            answered.set()

    def answer_wait(self, call: CallKey) -> None:
        """What the person was asked for this call is decided."""
        if (answered := self._waits.get(call)) is not None:
            answered.set()
