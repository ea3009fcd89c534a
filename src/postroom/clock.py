"""Time, passed in. Stored times are wall-clock microseconds; durations use the monotonic clock."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """What the code may ask of time. The shipped fake is `postroom.testing.clock.FakeClock`."""

    def now_us(self) -> int:
        """Wall time in microseconds since 1970."""
        ...

    def monotonic_s(self) -> float:
        """Seconds that never step back, for durations inside this process."""
        ...

    async def sleep_s(self, seconds: float) -> None:
        """Wait that long by the monotonic clock."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_us(self) -> int:
        """Wall time in microseconds since 1970."""
        return time.time_ns() // 1_000

    def monotonic_s(self) -> float:
        """Seconds of the machine's monotonic clock."""
        return time.monotonic()

    async def sleep_s(self, seconds: float) -> None:
        """Sleep on the event loop."""
        await asyncio.sleep(seconds)
