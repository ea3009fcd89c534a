"""Mail that goes out of date: at its time, after a crash, while it is held, and not while it is read."""

import pytest

from postroom.domain.message import Mode
from postroom.testing.clock import FakeClock
from postroom.testing.world import World, texts
from tests.acceptance.family import Worlds
from tests.acceptance.teams import (
    ASKS,
    address,
    batches,
    code,
    crew,
    message,
    recall,
    receipt,
    status,
    team_world,
)

GONE = "was not read: its time was over"


def clock(world: World) -> FakeClock:
    assert isinstance(world.clock, FakeClock)
    return world.clock


async def test_unread_mail_ends_at_its_time_and_its_sender_is_told(worlds: Worlds) -> None:
    """It was never read; the notice comes at the sender's next boundary, and wakes nobody."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "keep busy"))
    await b.asked()
    (sent,) = await a.does(message(address(world, "b"), "only today", expires_in_s=60))
    (told,) = await a.does(status(receipt(sent).message_id))
    assert "pending: not read yet; expires 20" in told.text

    await clock(world).advance(59)
    assert not world.events("message.discarded")
    await clock(world).advance(1)
    gone = await world.event("message.discarded")

    assert gone.facts["reason"] == "expired"
    (late,) = await a.does(status(receipt(sent).message_id))
    assert "discarded(expired)" in late.text
    (notice,) = [r for batch in batches(await a.asked()) for r in batch.readings if r.kind == "notice"]
    assert GONE in notice.body
    assert "It began: only today" in notice.body
    await b.says("done")
    await world.turn_end("b", 2)
    assert not any("only today" in text for request in world.requests("b") for text in texts(request))
    await world.check()


async def test_mail_that_is_being_read_does_not_go_out_of_date(worlds: Worlds) -> None:
    """Claimed before its time, it is read; and so when the turn that held it was cut."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "read me", expires_in_s=10))
    await b.asked()

    await clock(world).advance(20)
    await world.crash()
    await clock(world).advance(20)
    await world.open()

    assert any("read me" in text for text in texts(await b.asked()))
    assert not world.events("message.discarded")
    await world.check()


async def test_a_start_ends_what_came_due_while_no_process_ran(worlds: Worlds) -> None:
    """Before anybody is woken: no turn reads it."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "keep busy"))
    await b.asked()
    await a.does(message(address(world, "b"), "only today", mode="queue", expires_in_s=60))
    await world.crash()
    await clock(world).advance(120)

    await world.open()

    gone = await world.event("message.discarded")
    assert gone.facts["reason"] == "expired"
    await world.rest()
    assert not any("only today" in text for request in world.requests("b") for text in texts(request))
    await world.check()


async def test_held_mail_goes_out_of_date_with_its_ask(worlds: Worlds) -> None:
    """The person is asked no more, and what waits behind it is decided by its own ask."""
    world = team_world(worlds, ASKS)
    a, b = await crew(world, "b")
    (sent,) = await a.does(message(address(world, "b"), "soon", expires_in_s=60))
    await a.does(message(address(world, "b"), "whenever"))
    one, two = await world.room.asks()
    await world.room.approve(two.ask_id)
    assert not b.is_asked

    await clock(world).advance(61)

    gone = await world.event("message.discarded")
    assert gone.facts["reason"] == "expired"
    read = texts(await b.asked())
    assert any("whenever" in text for text in read)
    assert not any("soon" in text for text in read)
    assert [ask.ask_id for ask in await world.room.asks()] == []
    (told,) = await a.does(status(receipt(sent).message_id))
    assert "discarded(expired)" in told.text
    assert one.message_id == receipt(sent).message_id
    await world.check()


async def test_a_message_that_was_recalled_does_not_expire_and_an_expired_one_stays_so(
    worlds: Worlds,
) -> None:
    """Each ends once, with one notice at most."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "keep busy"))
    await b.asked()
    first, second = await a.does(
        message(address(world, "b"), "one", expires_in_s=60),
        message(address(world, "b"), "two", expires_in_s=60),
    )
    await a.does(recall(receipt(first).message_id))
    await clock(world).advance(61)
    await world.event("message.discarded", 2)

    (late,) = await a.does(recall(receipt(second).message_id))

    assert code(late) == "already_ended"
    reasons = [e.facts["reason"] for e in world.events("message.discarded")]
    assert reasons == ["recalled", "expired"]
    await world.check()


@pytest.mark.parametrize("step_s", [-3_600, 3_600])
async def test_a_step_of_the_wall_clock_moves_the_time_by_no_more_than_the_step(
    worlds: Worlds, step_s: int
) -> None:
    """O-22 on `team`: a step back lets mail live longer by the step, and never ends it early."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "keep busy"))
    await b.asked()
    await a.does(message(address(world, "b"), "only today", expires_in_s=7_200))

    clock(world).step_wall(step_s)
    await clock(world).advance(7_200 - step_s - 1 if step_s < 0 else 7_200)
    if step_s < 0:
        assert not world.events("message.discarded")
        await clock(world).advance(2)

    assert (await world.event("message.discarded")).facts["reason"] == "expired"
    await world.check()


async def test_nothing_sleeps_where_nothing_is_due(worlds: Worlds) -> None:
    """One sleeping task, none when nothing is due."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "keep busy"))
    await b.asked()
    before = clock(world).sleepers
    await a.does(
        message(address(world, "b"), "one", expires_in_s=60),
        message(address(world, "b"), "two", expires_in_s=90, mode=str(Mode.QUEUE)),
    )
    assert clock(world).sleepers == before + 1

    await clock(world).advance(91)
    await world.event("message.discarded", 2)
    await world.room.store.write(lambda tx: tx.now_us)

    assert clock(world).sleepers == before
    await world.check()
