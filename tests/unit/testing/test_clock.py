"""The clock that tests move by hand."""

import asyncio

from postroom.testing.clock import START_US, FakeClock


async def test_a_sleeper_wakes_when_the_clock_has_passed_its_end() -> None:
    clock, woken = FakeClock(), list[float]()

    async def sleeper(seconds: float) -> None:
        await clock.sleep_s(seconds)
        woken.append(clock.monotonic_s())

    sleepers = [asyncio.ensure_future(sleeper(s)) for s in (2.0, 1.0, 5.0)]
    await asyncio.sleep(0)
    await clock.advance(3.0)

    assert woken == [1.0, 2.0]
    assert clock.sleepers == 1
    assert clock.now_us() == START_US + 3_000_000
    await clock.advance(2.0)
    await asyncio.gather(*sleepers)


async def test_a_sleeper_that_sleeps_again_wakes_within_the_same_advance() -> None:
    clock, woken = FakeClock(), list[float]()

    async def ticking() -> None:
        for _ in range(3):
            await clock.sleep_s(1.0)
            woken.append(clock.monotonic_s())

    ticks = asyncio.ensure_future(ticking())
    await asyncio.sleep(0)
    await clock.advance(10.0)
    await ticks

    assert woken == [1.0, 2.0, 3.0]


async def test_a_step_of_the_wall_clock_wakes_nobody() -> None:
    """O-22 d"""
    clock = FakeClock()
    sleeper = asyncio.ensure_future(clock.sleep_s(1.0))
    await asyncio.sleep(0)

    clock.step_wall(60.0)
    await asyncio.sleep(0)

    assert not sleeper.done()
    assert clock.monotonic_s() == 0.0
    await clock.advance(1.0)
    await sleeper


async def test_a_cancelled_sleeper_is_forgotten() -> None:
    clock = FakeClock()
    sleeper = asyncio.ensure_future(clock.sleep_s(1.0))
    await asyncio.sleep(0)
    sleeper.cancel()
    await asyncio.gather(sleeper, return_exceptions=True)

    assert clock.sleepers == 0
    await clock.advance(2.0)


async def test_time_passes_until_something_has_happened() -> None:
    clock = FakeClock()

    async def late() -> str:
        await clock.sleep_s(7.0)
        return "at last"

    assert await clock.passes_until(late()) == "at last"
    assert clock.monotonic_s() >= 7.0
