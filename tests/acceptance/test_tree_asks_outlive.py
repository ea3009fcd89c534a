"""Asks outlive every end of a process, and what was decided meanwhile counts."""

import pytest

from postroom.errors import Refused
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import results_of
from postroom.testing.world import World, texts
from tests.acceptance.asking import ASK_PARENT, asking, question, the_ask
from tests.acceptance.family import Worlds, accepted, code, delegate, send


async def test_two_asks_outlive_a_crash_and_each_decision_reaches_its_own_call(world: World) -> None:
    """O-23: ids are stable over the restart; the one that is approved goes on, the other is denied."""
    root = world.puppet("r", delegates_to=("a", "b"))
    a, b = (world.puppet(name, rules=ASK_PARENT) for name in "ab")
    prompt = await world.prompt("r", "begin")
    await root.does(delegate("a"), delegate("b"))
    await a.starts(send(prompt.session_id, "from a"))
    await b.starts(send(prompt.session_id, "from b"))
    await world.event("ask.opened", 2)
    before = {ask.text: ask.ask_id for ask in await world.room.asks()}
    await world.room.approve(before["from b"])
    await b.asked()

    await world.crash()
    await world.open()

    assert {ask.text: ask.ask_id for ask in await world.room.asks()} == {"from a": before["from a"]}
    await world.room.deny(before["from a"], "no")
    (result,) = results_of(await a.asked())
    assert code(result) == "permission_denied"
    assert "no" in result.text
    bodies = [text for text in texts(await root.asked()) if "agent_message" in text]
    assert ["from b" in text for text in bodies] == [True]
    await world.check()


@pytest.mark.parametrize("what", ["approval", "question"])
async def test_a_room_that_closes_in_good_order_leaves_what_is_asked_open(world: World, what: str) -> None:
    """Issue 4, point 3: an ask survives any restart, not only a crash."""
    root, child = await asking(world)
    to = world.handle("b")
    await root.starts(send(to, "may I?") if what == "approval" else question("may I?"))
    ask = await the_ask(world)

    await world.reopen()

    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await (world.room.approve(ask.ask_id) if what == "approval" else world.room.answer(ask.ask_id, "yes"))
    (result,) = results_of(await root.asked())
    assert not result.is_error
    if what == "approval":
        assert any("may I?" in text for text in texts(await child.asked()))
    await world.check()


async def test_an_approval_given_while_nobody_ran_the_store_is_used_at_the_next_start(world: World) -> None:
    """Issue 4, point 3: the turn was suspended, so it was not cut."""
    root, child = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)
    await world.crash()
    store_only = await world.open(idle=True)
    await store_only.approve(ask.ask_id)
    await world.close()

    await world.open()

    accepted(results_of(await root.asked())[0])
    assert any("may I?" in text for text in texts(await child.asked()))
    await world.check()


async def test_a_due_time_that_passed_meanwhile_ends_the_ask_at_the_start(worlds: Worlds) -> None:
    """O-23: closed at once as expired, never minutes later."""
    clock = FakeClock()
    world = worlds(clock=clock)
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    await the_ask(world)
    await world.crash()
    await clock.advance(31)

    await world.open()

    assert code(results_of(await root.asked())[0]) == "approval_expired"
    await world.check()


async def test_nobody_decides_an_ask_whose_time_is_over(worlds: Worlds) -> None:
    """O-23: not even where no process has written its end yet."""
    clock = FakeClock()
    world = worlds(clock=clock)
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)
    await world.crash()
    await clock.advance(31)
    room = await world.open(idle=True)

    with pytest.raises(Refused) as refused:
        await room.approve(ask.ask_id)

    assert (refused.value.refusal_code, refused.value.facts["state"]) == ("already_decided", "expired")
    await world.close()
    await world.open()
    assert code(results_of(await root.asked())[0]) == "approval_expired"
    await world.check()
