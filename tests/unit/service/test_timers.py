"""Texts that are said later: durable, once, in the order of their times, and never a way around a pause."""

import asyncio

import pytest

from postroom.errors import Refused
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.world import World, texts, times

MINUTE_US = 60_000_000


async def _agent(world: World) -> tuple[Puppet, str]:
    r = world.puppet("r")
    prompt = await world.prompt("r", "hello")
    await r.says("hello yourself")
    await world.turn_end("r")
    return r, prompt.session_id


def _clock(world: World) -> FakeClock:
    assert isinstance(world.clock, FakeClock)
    return world.clock


async def test_a_text_is_said_at_its_time_and_not_before(world: World) -> None:
    r, session = await _agent(world)
    kept = await world.room.send_at(session, "wake up", world.clock.now_us() + 2 * MINUTE_US)

    await _clock(world).advance(119)
    early = r.is_asked
    await _clock(world).advance(1)
    request = await r.asked()

    assert not early
    assert texts(request)[-1] == "wake up"
    assert await world.room.timers() == []
    with pytest.raises(Refused, match="already_ended"):
        await world.room.cancel_timer(kept.timer_id)
    await world.check()


async def test_texts_are_said_in_the_order_of_their_times(world: World) -> None:
    r, session = await _agent(world)
    now = world.clock.now_us()
    await world.room.send_at(session, "third", now + 3 * MINUTE_US)
    await world.room.send_at(session, "first", now + MINUTE_US)
    await world.room.send_at(session, "second", now + 2 * MINUTE_US)

    waiting = [timer.body for timer in await world.room.timers()]
    await _clock(world).advance(180)
    await world.event("timer.ended", 3)
    r.rests()
    await world.quiesce()

    said = [text for text in texts(world.requests("r")[-1]) if text in ("first", "second", "third")]
    assert waiting == said == ["first", "second", "third"]
    await world.check()


async def test_a_text_survives_a_crash_and_is_said_once_when_it_is_overdue(world: World) -> None:
    r, session = await _agent(world)
    await world.room.send_at(session, "still here", world.clock.now_us() + MINUTE_US)

    await world.crash()
    _clock(world).step_wall(3_600)
    await world.open()
    await r.asked()
    await world.reopen()
    request = await r.asked()

    assert times("still here", [request]) == 1
    await world.check()


async def test_a_text_that_is_taken_back_is_never_said(world: World) -> None:
    r, session = await _agent(world)
    kept = await world.room.send_at(session, "never", world.clock.now_us() + MINUTE_US)

    await world.room.cancel_timer(kept.timer_id)
    await _clock(world).advance(120)
    await world.quiesce()

    assert not r.is_asked
    assert _clock(world).sleepers == 0
    with pytest.raises(Refused, match="unknown_reference"):
        await world.room.cancel_timer("01990000-0000-7000-8000-000000000000")
    await world.check()


async def test_time_ends_no_pause(world: World) -> None:
    """G11: user text or resume does, time does not."""
    r, session = await _agent(world)
    await world.room.send_at(session, "in the night", world.clock.now_us() + MINUTE_US)
    await world.room.stop(session)

    await _clock(world).advance(60)
    await world.event("timer.ended")
    await world.quiesce()
    quiet = r.is_asked
    await world.room.send(session, "good morning", mode="queue")
    r.rests()
    await world.quiesce()
    shown = "".join(texts(world.requests("r")[-1]))

    assert not quiet
    assert shown.index("in the night") < shown.index("good morning")
    await world.check()


async def test_a_clock_that_is_set_back_delays_a_text_by_no_more_than_the_step(world: World) -> None:
    """O-22 d."""
    r, session = await _agent(world)
    await world.room.send_at(session, "now", world.clock.now_us() + MINUTE_US)

    _clock(world).step_wall(-5)
    await _clock(world).advance(60)
    early = r.is_asked
    await _clock(world).advance(5)

    assert not early
    assert texts(await r.asked())[-1] == "now"
    await world.check()


async def test_a_client_id_names_one_timed_text(world: World) -> None:
    """CK-12, for timed texts."""
    _, session = await _agent(world)
    due = world.clock.now_us() + MINUTE_US

    first = await world.room.send_at(session, "later", due, client_id="t-1")
    again = await world.room.send_at(session, "later", due, client_id="t-1")
    with pytest.raises(Refused, match="idempotency_conflict"):
        await world.room.send_at(session, "other", due, client_id="t-1")

    assert again == first
    assert len(await world.room.timers()) == 1
    await world.room.cancel_timer(first.timer_id)
    await world.check()


@pytest.mark.parametrize("body", ["", " \n", "broken \ud83d"])
async def test_what_could_not_be_said_now_cannot_be_said_later(world: World, body: str) -> None:
    """O-27, O-28."""
    _, session = await _agent(world)

    with pytest.raises(Refused, match="invalid_body"):
        await world.room.send_at(session, body, world.clock.now_us() + MINUTE_US)

    assert await world.room.timers() == []
    await world.check()


async def test_a_hundred_overdue_texts_are_each_said_once(world: World) -> None:
    r, session = await _agent(world)
    due = world.clock.now_us() + MINUTE_US
    await asyncio.gather(*(world.room.send_at(session, f"text {n}.", due) for n in range(150)))

    await _clock(world).advance(60)
    await world.event("timer.ended", 150)
    r.rests()
    await world.quiesce()

    assert all(times(f"text {n}.", world.requests("r")) == 1 for n in range(150))
    await world.check()
