"""After `close` nothing of a room is left: no task, timer, thread, socket, file or waiter."""

import asyncio
import contextlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from postroom.domain.plain import Json
from postroom.testing.puppet import results_of
from postroom.testing.script import Gate, call
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import Worlds
from tests.acceptance.peers import POLICY, data, id_of, spawn, write

THREE_DAYS_US = 3 * 86_400_000_000
"""Later than the quiet day of `World.check`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """What a process holds."""

    tasks: frozenset[asyncio.Task[object]]
    threads: frozenset[threading.Thread]
    files: frozenset[tuple[str, str]]
    """Descriptors with what they lead to; sockets and pipes are among them."""


def census() -> Census:
    """What this process holds now."""
    return Census(
        tasks=frozenset(asyncio.all_tasks()), threads=frozenset(threading.enumerate()), files=_descriptors()
    )


def _descriptors() -> frozenset[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for place in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the one by which this folder is read
            found.append((place.name, str(place.readlink())))
    return frozenset(found)


async def at_work(worlds: Worlds) -> World:
    """A room in the middle of everything: turns, tools, waits, an ask, held mail, a timed text, a child."""
    world = worlds(policy=replace(POLICY, wakes_cold=False))
    gate = Gate()
    world.slow_tool("dig", gate)
    a, b = world.puppet("a"), world.puppet("b", tools=["dig"])
    c, d = world.puppet("c"), world.puppet("d")
    await world.prompt("c", "hello")
    await c.says("ready")
    await world.quiesce()
    await world.reopen()  # c is not in memory any more
    await world.prompt("b", "work")
    await b.starts(call("dig"))
    await gate.reached.wait()
    await world.prompt("a", "work")
    (held,) = await a.does(write(id_of(world, "c"), "for later"))
    assert data(held)["status"] == "queued"
    await a.starts(spawn("help"), call("session_wait", target_ids=[id_of(world, "b")]))
    await world.event("call.waiting")
    await world.prompt("d", "work")
    await d.starts(call("ask_user", question="may I?"))
    await world.event("ask.opened")
    await world.room.send_at(id_of(world, "c"), "later", world.clock.now_us() + THREE_DAYS_US)
    return world


async def ended(world: World) -> None:
    """Open it once more and let everything come to its end; who waits for the person is stopped."""
    assert not world.is_open
    await world.open()
    await world.room.stop(id_of(world, "d"))
    await world.check()


async def test_closing_in_the_middle_of_everything_leaves_nothing_behind(worlds: Worlds) -> None:
    """DS-26: what waits, what is due, what runs and what is held all end with the room."""
    before = census()
    world = await at_work(worlds)
    during = census()

    await world.close()

    after = census()
    assert during.tasks > before.tasks
    assert after.tasks == before.tasks
    assert after.threads == before.threads
    assert after.files == before.files
    await ended(world)


async def test_no_listener_and_no_watch_is_left_where_all_waits_ended(worlds: Worlds) -> None:
    """DS-26: also while the room stays open, a wait that is over holds nothing."""
    world = worlds(policy=POLICY)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("b", "hello")
    await b.says("ready")
    await world.quiesce()
    await world.prompt("a", "hello")
    await a.asked()
    listeners = world.room.store.doorbell.n_listeners

    for n in range(1, 4):
        await a.starts(call("session_wait"))
        await world.event("call.waiting", n)
        await world.prompt("b", "go on")
        await b.says("done")
        await world.turn_end("b", n + 1)
        await a.asked()

    assert world.room.store.doorbell.n_listeners == listeners
    await world.check()


@pytest.mark.parametrize("times", [2])
async def test_closing_twice_is_closing_once(worlds: Worlds, times: int) -> None:
    """DS-26: stop is idempotent, also from two places at once."""
    before = census()
    world = await at_work(worlds)
    room = world.room

    await asyncio.gather(*(room.close() for _ in range(times)))
    await world.close()

    assert census() == before
    await ended(world)


async def test_a_send_that_a_closing_room_cuts_has_sent_nothing_and_says_so(worlds: Worlds) -> None:
    """DS-26, DS-16: the code is the result of its call, in the words of its own tool."""
    world = worlds(policy=POLICY)
    gate = Gate()
    reached = gate.reached

    async def act(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        await gate.through()
        return ToolResult(text="done")

    world.tool("dig", act, parallel=False)
    a, b = world.puppet("a", tools=["dig"]), world.puppet("b")
    await world.prompt("b", "hello")
    await b.says("ready")
    await world.prompt("a", "work")
    await a.starts(call("dig"), write(id_of(world, "b"), "cut"))
    await reached.wait()

    await world.reopen()
    await world.prompt("a", "what now?")

    unsent = results_of(await a.asked())[1]
    assert unsent.text.startswith("session_send:engine_shutdown: ")
    assert world.events("message.sent", agent="a") == []
    gate.open()
    await world.check()
