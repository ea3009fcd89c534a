"""How the calls of a turn wait: without a slot, each for its own doorbell, some only for a time."""

import asyncio
from collections.abc import Awaitable, Callable

from postroom.clock import Clock
from postroom.domain.keys import CallKey
from postroom.runtime.means import Seat


class WaitingDesk:
    """A turn whose calls may wait for a task or for the person."""

    def __init__(self, seat: Seat, clock: Clock) -> None:
        self.seat = seat
        self._clock = clock
        # One event a waiting call: a shared one could be cleared by the call beside it.
        self._waits: dict[CallKey, asyncio.Event] = {}

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
        alarm = asyncio.get_running_loop().create_task(self._clock.sleep_s(timeout_s))
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
