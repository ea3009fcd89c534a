"""Slots and turns at the moments when somebody ends them from outside."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from postroom.app import Postroom
from postroom.domain.policy import Policy
from postroom.engine.slots import Slots
from postroom.runtime.seats import TurnSeat
from postroom.service.facts import Ring
from postroom.service.start import Started
from postroom.store.tx import Tx
from postroom.testing.world import World
from tests.acceptance.family import Worlds, delegate


async def test_a_turn_that_is_ended_before_its_first_step_gives_its_slot_back(world: World) -> None:
    """A stop in the same commit as the send that started the turn."""
    root = world.puppet("r")
    other = world.puppet("other")
    await world.prompt("r", "begin")
    await root.asked()
    started = await _started(world, "other")
    held, slots = world.room.scheduler.slots_held(), Slots(1)
    await slots.take()

    world.room.scheduler.adopt(slots, started)
    world.room.scheduler.ring(Ring(ended=[started.turn.key]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert not other.is_asked
    assert slots.held == 0
    assert world.room.scheduler.slots_held() == held


async def test_two_calls_of_one_batch_that_wait_for_a_slot_keep_one() -> None:
    slots = Slots(2)
    await slots.take()
    await slots.take()
    seat = TurnSeat(slots, slots, lambda _: None)
    both = [asyncio.ensure_future(seat.take()) for _ in range(2)]
    await asyncio.sleep(0)
    slots.give()
    slots.give()
    await asyncio.gather(*both)

    seat.give()

    assert slots.held == 0


async def test_a_waiter_that_is_cancelled_while_a_slot_comes_free_leaves_in_peace() -> None:
    slots = Slots(1)
    await slots.take()
    waiting = asyncio.ensure_future(slots.take())
    await asyncio.sleep(0)

    waiting.cancel()
    slots.give()
    (outcome,) = await asyncio.gather(waiting, return_exceptions=True)

    assert isinstance(outcome, asyncio.CancelledError)
    assert slots.held == 0


async def test_a_runner_cancelled_while_its_turn_starts_leaves_no_turn_open(world: World) -> None:
    """O-15: the start commits although nobody waits for it any more."""
    world.puppet("r")
    room = await world.open()
    turn = await _waiting_turn(world, "r")
    async with _writer_held(room):
        room.scheduler.ring(turn)
        await asyncio.sleep(0)
        (task,) = (t for t in asyncio.all_tasks() if t.get_name().startswith("turn-"))
        task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert world.view("r").state == "cancelled"
    assert world.view("r").parked == 1
    assert room.scheduler.slots_held() == 0
    await world.check()


async def test_a_turn_whose_place_in_line_is_cancelled_stands_in_line_again(worlds: Worlds) -> None:
    """O-15: only the end of the turn itself may keep it from running."""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root, b = world.puppet("r", delegates_to=("b",)), world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    waiting = world.events("turn.waiting")[-1].facts["turn"]

    (task,) = (t for t in asyncio.all_tasks() if t.get_name() == f"turn-{waiting}")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await root.says("over to you")
    await b.asked()

    await world.check()


async def test_a_turn_that_starts_while_the_room_closes_is_interrupted(world: World) -> None:
    """Not cancelled: a cancelled dispatcher would never hear of its children again."""
    world.puppet("r")
    room = await world.open()
    turn = await _waiting_turn(world, "r")
    async with _writer_held(room):
        room.scheduler.ring(turn)
        await asyncio.sleep(0)
        closing = asyncio.ensure_future(world.close())
        await asyncio.sleep(0)
    await closing

    await world.open()
    ends = world.events("turn.ended")
    assert [e.facts["state"] for e in ends] == ["interrupted"]
    await world.check()


async def _waiting_turn(world: World, profile: str) -> Ring:
    """A prompt is accepted, and its ring kept back: nobody runs its turn yet."""
    office, kept = world.room.office, list[Ring]()
    hear, office.on_ring = office.on_ring, kept.append
    await world.prompt(profile, "begin")
    office.on_ring = hear
    (ring,) = kept
    return ring


async def _started(world: World, profile: str) -> Started:
    """A turn that has started in the store and that nobody runs."""
    ring = await _waiting_turn(world, profile)
    started = await world.room.office.start(ring.woken[0].turn)
    assert isinstance(started, Started)
    return started


@asynccontextmanager
async def _writer_held(room: Postroom) -> AsyncIterator[None]:
    """While this lasts, what is written waits in line."""
    loop, begun, release = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def hold(_tx: Tx) -> None:
        loop.call_soon_threadsafe(begun.set)
        release.wait()

    holding = asyncio.ensure_future(room.store.write(hold))
    await begun.wait()
    try:
        yield
    finally:
        release.set()
        await holding
