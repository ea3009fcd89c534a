"""`roster`: how long a turn may go on, and what a take that fails costs it (systems.md 2.4, 4.10)."""

from dataclasses import replace

import pytest

from postroom.faults import unwatch, watch
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx
from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.testing.clock import FakeClock
from postroom.testing.world import World, texts
from tests.acceptance.bus_team import assistant, look, post, roster_world
from tests.acceptance.family import Worlds

ROUNDS, TIMES = 3, 2


def short(worlds: Worlds) -> World:
    """A world with turns of few rounds, which begin anew a few times."""
    return worlds(policy=replace(ROSTER_POLICY, rounds_max=ROUNDS, extensions_max=TIMES))


def turn(world: World) -> TurnRow:
    """The turn that is alive."""
    found = world.room.store.look(lambda tx: tx.turn_row(tx.live_turns()[0]))
    assert found is not None
    return found


def warnings(world: World) -> list[str]:
    """What the person was told of rounds."""
    notices = world.room.store.look(Tx.person_notices_after, 0, 100)
    return [notice.body for notice in notices if notice.code == "extensions_spent"]


async def test_a_delivery_begins_the_rounds_of_its_reader_anew(worlds: Worlds) -> None:
    """KK-37: the base moves to the round of the delivery."""
    world = short(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.does(look())
    await a.does(post("assistant", "go on"))

    grown = turn(world)
    assert (grown.rounds, grown.rounds_max, grown.extensions) == (2, 2 + ROUNDS, 1)
    (event,) = world.events("turn.grew")
    assert (event.facts["rounds_max"], event.facts["extensions"]) == (2 + ROUNDS, 1)
    await world.check()


async def test_beyond_the_last_time_mail_is_read_and_begins_nothing_anew(worlds: Worlds) -> None:
    """KK-37, KK-24: a run that writes to itself is bounded; the person is told once."""
    world = short(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    for n in range(TIMES + 2):
        await a.does(post("assistant", f"note {n}."))
        assert f"note {n}." in texts(await a.asked())[-1]

    own = turn(world)
    assert (own.extensions, own.rounds_max) == (TIMES, TIMES + ROUNDS)
    assert len(warnings(world)) == 1
    await a.starts(look())
    last = await a.asked()
    assert last.force_text
    await a.says("the end")
    ended = await world.turn_end("assistant")
    assert ended.facts["end_reason"] == "round_cap"
    await world.check()


async def test_rounds_begin_anew_no_oftener_than_an_agent_has_of_them(worlds: Worlds) -> None:
    """KK-37: an agent with two rounds has two such times, whatever the surface allows at most."""
    world = roster_world(worlds)
    a = world.puppet("assistant", tools=("messaging",), max_rounds=2)
    await world.prompt("assistant", "begin")
    for n in range(3):
        await a.does(post("assistant", f"note {n}."))

    own = turn(world)
    assert (own.extensions, own.rounds_max) == (2, 4)
    assert len(warnings(world)) == 1
    await world.check()


async def test_a_message_each_on_the_last_round_gives_the_square_of_the_cap(worlds: Worlds) -> None:
    """KK-37: mail that waits at the cap keeps the turn going while it may."""
    world = short(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    for _ in range(TIMES + 1):
        for _ in range(ROUNDS - 1):
            await a.does(look())
        await a.asked()
        await world.prompt("assistant", "one more thing")
        await a.does(look())

    own = turn(world)
    assert (own.rounds, own.extensions) == (ROUNDS * (TIMES + 1), TIMES)
    await a.says("enough")
    await world.turn_end("assistant")
    await world.check()


@pytest.mark.parametrize("times", [1, 3])
async def test_a_take_that_fails_between_rounds_costs_the_turn_nothing(worlds: Worlds, times: int) -> None:
    """KK-38: it is told once, the round goes on, and the mail is read as soon as it can be."""
    world = roster_world(worlds)
    a = assistant(world)
    left = [times]

    def breaks() -> None:
        if left[0]:
            left[0] -= 1
            raise RuntimeError("rubbish")

    await world.prompt("assistant", "begin")
    watch("bus.taken", breaks)
    try:
        await a.does(post("assistant", "read me"))
        for _ in range(times):
            assert "read me" not in "".join(texts(await a.asked()))
            await a.does(look())
    finally:
        unwatch("bus.taken", breaks)

    assert texts(await a.asked())[-1] == "[message from assistant] read me"
    notices = world.room.store.look(Tx.person_notices_after, 0, 100)
    assert [notice.code for notice in notices] == ["take_failed"]
    await world.check()


async def test_a_turn_does_not_end_without_what_it_could_not_take(worlds: Worlds) -> None:
    """KK-38: at its end the take is tried again until it succeeds."""
    world = roster_world(worlds)
    a = assistant(world)
    left = [2]

    def breaks() -> None:
        if left[0]:
            left[0] -= 1
            raise RuntimeError("rubbish")

    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "read me")
    watch("bus.taken", breaks)
    try:
        await a.says("over")
        assert isinstance(world.clock, FakeClock)
        await world.clock.passes_until(a.asked())
    finally:
        unwatch("bus.taken", breaks)

    assert texts(await a.asked())[-1] == "read me"
    assert [fault.code for fault in world.pauses] == ["take_failed"]
    assert len(world.events("turn.started")) == 1
    await world.check()
