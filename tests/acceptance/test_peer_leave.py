"""Mail of `peer` that is held for the person's leave, and what the person changes that lets it go."""

import pytest

from postroom.domain.ask import ApprovalMode
from postroom.rules.permissions import Effect, Rule
from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.acceptance.peer_places import apart
from tests.acceptance.peers import POLICY, id_of, write
from tests.acceptance.test_peer_held import asleep, bodies_read, held_for, status


@pytest.fixture
def world(worlds: Worlds) -> World:
    """A world whose sessions are of `peer`."""
    return worlds(policy=POLICY)


async def test_what_needs_leave_holds_what_is_written_after_it_until_the_person_decides(
    world: World,
) -> None:
    """DS-28: an approval is one more reason to be held; nothing of the pair overtakes."""
    a, b, b_id = await apart(world, "one", "one")
    await world.room.set_overlay(id_of(world, "a"), [Rule(action="message", effect=Effect.ASK)])

    sent = await a.does(write(b_id, "m1"), write(b_id, "m2"))

    assert [status(one) for one in sent] == ["queued", "queued"]
    assert held_for(world) == ["approval", "approval"]
    first, second = await world.room.asks()
    await world.room.approve(second.ask_id)
    assert not b.is_asked
    await world.room.approve(first.ask_id)

    await b.asked()
    assert bodies_read(world, "b") == ["m1", "m2"]
    await b.says("read")
    await world.rest()
    await world.check()


@pytest.mark.parametrize("how", ["rules", "mode", "leave for the tree"])
async def test_what_is_held_for_leave_goes_when_the_person_wants_to_be_asked_no_more(
    world: World, how: str
) -> None:
    """What the person allows is a setting like others: what is held is tried again."""
    a, b, b_id = await apart(world, "one", "one")
    await world.room.set_overlay(id_of(world, "a"), [Rule(action="message", effect=Effect.ASK)])
    await a.does(write(b_id, "m1"), write(b_id, "m2"))
    first, _ = await world.room.asks()
    assert not b.is_asked

    if how == "rules":
        await world.room.set_overlay(id_of(world, "a"), [])
    elif how == "mode":
        await world.room.set_mode(id_of(world, "a"), "yolo")
    else:
        await world.room.approve(first.ask_id, "tree")

    await b.asked()
    assert bodies_read(world, "b") == ["m1", "m2"]
    assert await world.room.asks() == []
    await b.says("read")
    await world.rest()
    await world.check()


async def test_what_is_held_for_leave_goes_at_the_next_start_when_the_settings_want_none(
    world: World,
) -> None:
    """DS-25: a process reads its settings when it starts, and then tries again what is held."""
    world.ceiling = (Rule(action="message", effect=Effect.ASK),)
    a, b, b_id = await apart(world, "one", "one")
    await a.does(write(b_id, "m1"))
    await a.says("later")
    await world.quiesce()
    await world.reopen()
    await world.quiesce()
    assert not b.is_asked

    world.ceiling = ()
    await world.reopen()

    await b.asked()
    assert bodies_read(world, "b") == ["m1"]
    await b.says("read")
    await world.rest()
    await world.check()


async def test_other_rules_over_the_tree_let_nothing_go_that_they_do_not_allow(world: World) -> None:
    """DS-28: it is asked for still; stricter rules than these leave it where it lies."""
    a, b, b_id = await apart(world, "one", "one")
    own = id_of(world, "a")
    await world.room.set_overlay(own, [Rule(action="message", effect=Effect.ASK)])
    await a.does(write(b_id, "m1"))

    await world.room.set_overlay(own, [Rule(action="message", effect=Effect.DENY)])
    await world.room.set_mode(own, "yolo")

    assert len(await world.room.asks()) == 1
    assert not b.is_asked
    await world.room.set_overlay(own, [Rule(action="message", effect=Effect.ASK)])
    await b.asked()
    await b.says("read")
    await world.rest()
    await world.check()


@pytest.mark.parametrize("mode", [ApprovalMode.ASK, ApprovalMode.YOLO])
async def test_what_may_go_at_last_needs_the_leave_that_rules_want_by_then(
    world: World, mode: ApprovalMode
) -> None:
    """CK-6, DS-36: rules were tightened while it lay with its sender, until its recipient was opened."""
    a, b, b_id = await asleep(world)
    own = id_of(world, "a")
    await a.does(write(b_id, "m1"))
    await world.room.set_overlay(own, [Rule(action="message", effect=Effect.ASK)])
    await world.room.set_mode(own, mode)

    await world.room.open_agent(b_id)

    if mode is ApprovalMode.ASK:
        assert not b.is_asked
        (ask,) = await world.room.asks()
        await world.room.approve(ask.ask_id)
    await b.asked()
    assert bodies_read(world, "b") == ["m1"]
    assert await world.room.asks() == []
    await b.says("read")
    await world.rest()
    await world.check()
