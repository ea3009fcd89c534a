"""Held mail of `peer` after a new start, a crash, a fork and a second try: it goes once, in its order."""

from dataclasses import replace

import pytest

from postroom.observe.doctor import examine, repair
from postroom.testing.world import World
from tests.acceptance.damage import sql
from tests.acceptance.family import Worlds
from tests.acceptance.peer_places import directory, kinds, listing, log_of
from tests.acceptance.peers import POLICY, id_of, write
from tests.acceptance.test_peer_held import SLEEPER, asleep, bodies_read, status


@pytest.fixture
def world(worlds: Worlds) -> World:
    """A world whose sessions are of `peer`."""
    return worlds(policy=POLICY)


def delivered(world: World, profile: str = "a") -> int:
    """How much an outbox says to be delivered."""
    return len(kinds(log_of(world, profile), "message.delivered"))


async def test_opening_twice_finds_nothing_the_second_time(world: World) -> None:
    """DS-20, DS-21, DS-27: one delivery, one event, also when it is tried in one process after the other."""
    a, b, b_id = await asleep(world)
    await a.does(write(b_id, "m1"))

    await world.room.open_agent(b_id)
    await world.room.open_agent(b_id)
    await b.asked()
    await b.says("read")
    await a.says("done")
    await world.quiesce()
    for _ in range(2):
        await world.reopen()
        await world.room.open_agent(b_id)
        await world.quiesce()

    assert delivered(world) == 1
    assert len(kinds(log_of(world, "b"), "message.accepted")) == 2
    await world.check()


async def test_a_cold_agent_that_has_its_mail_is_not_woken_for_it_again(world: World) -> None:
    """DS-22"""
    a, b, b_id = await asleep(world)
    await a.does(write(b_id, "m1"))
    await world.room.open_agent(b_id)
    await b.asked()
    await b.says("read")
    await a.says("done")
    await world.quiesce()
    turns = len(kinds(log_of(world, "b"), "turn.started"))

    await world.reopen()
    await world.prompt("a", "go on")
    await a.says("nothing to do")
    await world.quiesce()

    assert len(kinds(log_of(world, "b"), "turn.started")) == turns
    await world.check()


async def test_what_is_held_survives_a_crash_and_stays_held_while_nothing_changed(world: World) -> None:
    """DS-16, DS-36: a start of the process tries it again, and its recipient is as cold as before."""
    a, b, b_id = await asleep(world)
    await a.does(write(b_id, "m1"), write(b_id, "m2"))

    await world.crash()
    await world.open()
    await world.prompt("a", "go on")  # its sender starts a turn: that is a try, too
    await a.asked()

    assert delivered(world) == 0
    assert not b.is_asked
    await world.room.open_agent(b_id)
    await b.asked()
    assert bodies_read(world, "b") == ["m1", "m2"]
    assert delivered(world) == 2
    await b.says("read")
    await world.rest()
    await world.check()


@pytest.mark.parametrize("trigger", ["start of the process", "turn of the sender"])
async def test_mail_without_a_directory_goes_in_order_as_soon_as_it_is_back(
    world: World, trigger: str
) -> None:
    """DS-24, DS-25: of several senders, each in its own order."""
    a, b, b_id = await asleep(world, theirs=POLICY)
    await a.says("later")
    await world.quiesce()
    sender = await world.prompt_new("a", "write", policy=listing(b_id), cwd=directory(world, "two"))
    await a.asked()
    directory(world, "one").rmdir()
    results = await a.does(write(b_id, "m1"), write(b_id, "m2"))
    await a.says("done")
    await world.quiesce()
    assert [status(result) for result in results] == ["queued", "queued"]

    directory(world, "one")
    if trigger == "turn of the sender":
        await world.room.prompt("go on", session=sender.session_id)
        await a.asked()
        await a.says("done")
    else:
        await world.reopen()

    await b.asked()
    assert bodies_read(world, "b") == ["m1", "m2"]
    await b.says("read")
    await world.rest()
    await world.check()


async def test_a_fork_has_no_outbox_of_its_ancestor_and_sends_for_itself(world: World) -> None:
    """DS-23, O-38: m2 goes out once, from A, as soon as its target can be woken."""
    a, b, b_id = await asleep(world)
    a_id = id_of(world, "a")
    await a.does(write(b_id, "m2"))
    await a.says("it is on its way")
    await world.quiesce()

    fork = await world.room.fork(a_id)
    await world.reopen()
    await world.room.prompt("say it again", session=fork.session_id)
    await a.asked()
    (sent,) = await a.does(write(b_id, "m4"))
    await world.room.open_agent(b_id)

    await b.asked()
    assert bodies_read(world, "b") == ["m2"]
    await b.says("I have read that one")  # the other is of another chain: it joins at the next boundary
    await b.asked()
    assert status(sent) == "queued"
    assert bodies_read(world, "b") == ["m2", "m4"]
    assert str(world.requests("b")[-1].items).count("\\nm2\\n") == 1
    assert (delivered(world), len(kinds(log_of(world, "a"), "message.held"))) == (1, 1)
    await b.says("read")
    await world.rest()
    await world.check()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE pair SET held = 9", "DELETE FROM pair", "UPDATE branch SET resident_epoch = 77",
        "UPDATE delivery SET reason = 'approval' WHERE state = 'held'",
    ],
)  # fmt: skip
async def test_the_doctor_mends_what_is_held_and_who_is_in_memory(world: World, damage: str) -> None:
    """G12: the log says both."""
    a, _, b_id = await asleep(world)
    await a.does(write(b_id, "m1"))
    await a.says("later")
    await world.quiesce()
    await world.close()
    sql(world.folder, damage)
    assert not examine(world.folder).ok
    report = repair(world.folder)
    assert report.ok
    assert report.mended
    await world.open()
    await world.check()


async def test_the_policy_of_a_session_is_kept_whatever_the_settings_say_later(world: World) -> None:
    """DS-36: who may wake it was decided when it was made."""
    a, b, b_id = await asleep(world)
    await a.does(write(b_id, "m1"))
    world.policy = replace(SLEEPER, wakes_cold=True)

    await world.reopen()
    await world.prompt("a", "go on")
    await a.asked()

    assert not b.is_asked
    assert delivered(world) == 0
    await world.rest()
    await world.check()
