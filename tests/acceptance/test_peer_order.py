"""In which order mail of `peer` is written down, goes, and is read (systems.md 4.3, 4.4)."""

from dataclasses import replace

import pytest

from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import Gate, call
from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.acceptance.peer_places import apart, directory, facts, kinds, log_of
from tests.acceptance.peers import POLICY, data, id_of, write
from tests.acceptance.test_peer_held import asleep, bodies_read, status

OF_MAIL = ("message.sent", "message.held", "message.delivered", "message.accepted")


@pytest.fixture
def world(worlds: Worlds) -> World:
    """A world whose sessions are of `peer`."""
    return worlds(policy=POLICY)


async def test_sent_delivered_and_accepted_stand_in_this_order_of_one_commit(world: World) -> None:
    """DS-16, DS-19: the sender's log first, as its outbox; then the recipient's."""
    a, b, b_id = await apart(world, "one", "one")
    before = world.room.store.look(lambda tx: tx.last_pos())

    (sent,) = await a.does(write(b_id, "m1"))

    events = world.room.store.look(lambda tx: tx.events_after(before, 100))
    told = [event for event in events if event.kind in OF_MAIL]
    assert [event.kind for event in told] == ["message.sent", "message.delivered", "message.accepted"]
    assert [event.pos for event in told] == list(range(told[0].pos, told[0].pos + 3))
    assert len({event.ts_us for event in told}) == 1
    assert told[0].session == told[1].session != told[2].session
    assert all(facts(event)["message"] == facts(told[0])["message"] for event in told)
    assert data(sent)["messageId"]
    await b.asked()
    await b.says("read")
    await world.rest()
    await world.check()


async def test_mail_joins_a_running_agent_at_its_next_step_and_never_within_one(world: World) -> None:
    """DS-11, DS-38: the step that runs ends first."""
    gate = Gate()
    world.slow_tool("dig", gate)
    b, a = world.puppet("b", tools=("dig",)), world.puppet("a")
    await world.prompt("b", "the task of b", cwd=directory(world, "one"))
    await b.starts(call("dig"))
    await world.prompt("a", "the task of a", cwd=directory(world, "one"))
    await a.asked()

    (sent,) = await a.does(write(id_of(world, "b"), "m1"))

    assert status(sent) == "accepted"
    assert not b.is_asked
    gate.open()
    request = await b.asked()
    assert bodies_read(world, "b") == ["m1"]
    assert "done" in str(request.items[-2])
    assert len(kinds(log_of(world, "b"), "turn.started")) == 1
    await b.says("read")
    await world.rest()
    await world.check()


async def test_mail_for_an_idle_agent_opens_a_turn(world: World) -> None:
    """DS-12"""
    a, b, b_id = await apart(world, "one", "one")

    await a.does(write(b_id, "m1"))

    await b.asked()
    assert len(kinds(log_of(world, "b"), "turn.started")) == 2
    await b.says("read")
    await world.rest()
    await world.check()


async def test_the_delivered_message_says_where_it_comes_from_as_a_relay(world: World) -> None:
    """DS-37: the source is the provenance of its item; the text that the model reads names it."""
    a, b, b_id = await apart(world, "one", "one")
    await a.does(write(b_id, "m1"))

    text = str((await b.asked()).items[-1])

    assert f'session="{id_of(world, "a")}"' in text
    assert "session_message" in text
    await b.says("read")
    await world.rest()
    await world.check()


async def test_two_messages_of_one_sender_arrive_in_the_order_in_which_they_were_sent(world: World) -> None:
    """DS-28: also where the first of them could not go at once."""
    a, b, b_id = await asleep(world)
    first, second = await a.does(write(b_id, "m1"), write(b_id, "m2"))
    await world.room.open_agent(b_id)
    (third,) = await a.does(write(b_id, "m3"))

    await b.asked()

    assert [status(one) for one in (first, second, third)] == ["queued", "queued", "accepted"]
    assert bodies_read(world, "b")[:2] == ["m1", "m2"]
    assert kinds(log_of(world, "a"), *OF_MAIL) == [
        "message.accepted",  # the person's first text
        "message.accepted",  # the person's second text
        "message.held", "message.held", "message.sent", "message.delivered", "message.sent",
        "message.delivered", "message.sent", "message.delivered",
    ]  # fmt: skip
    await b.says("read")
    await world.rest()
    await world.check()


async def test_senders_side_by_side_leave_the_order_of_each_of_them_alone(world: World) -> None:
    """DS-29: three agents write four messages each to one that reads all of them in one turn."""
    names = ("s1", "s2", "s3")
    b, puppets = world.puppet("b"), [world.puppet(name) for name in names]
    place = directory(world, "one")
    await world.prompt("b", "the task of b", cwd=place)
    await b.asked()
    for name, puppet in zip(names, puppets, strict=True):
        await world.prompt(name, "write", cwd=place)
        await puppet.asked()

    for name, puppet in zip(names, puppets, strict=True):
        await puppet.starts(*(write(id_of(world, "b"), f"{name}-{n}") for n in range(4)))
    for puppet in puppets:
        await puppet.asked()
    await b.says("first")

    items = str((await b.asked()).items)
    for name in names:
        places = [items.index(f"{name}-{n}") for n in range(4)]
        assert places == sorted(places)
    await b.says("read")
    await world.rest()
    await world.check()


async def test_a_held_message_of_one_sender_does_not_hold_back_those_of_another(world: World) -> None:
    """DS-29: the order is that of each pair."""
    theirs = replace(POLICY, wakes_cold=False)
    c = world.puppet("c")
    a, b, b_id = await asleep(world, theirs=theirs)
    await world.room.set_overlay(id_of(world, "a"), [Rule(action="message", effect=Effect.ASK)])
    (waiting,) = await a.does(write(b_id, "m1"))
    await world.room.open_agent(b_id)
    await world.prompt("c", "the task of c", cwd=directory(world, "one"))
    await c.asked()

    (sent,) = await c.does(write(b_id, "m2"))

    assert [status(waiting), status(sent)] == ["queued", "accepted"]
    await b.asked()
    assert bodies_read(world, "b") == ["m2"]
    await b.says("read")
    await world.rest()
    await world.check()
