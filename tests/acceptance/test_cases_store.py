"""Case O-36 as agents see it: a foreign program holds the write lock of the store for three seconds."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass

from postroom.clock import SystemClock
from postroom.domain.policy import Policy
from postroom.llm.port import ResultItem
from postroom.store.connect import DATABASE_NAME
from postroom.testing.puppet import Puppet
from postroom.testing.world import World
from tests.acceptance.family import Worlds, accepted, family, send

HELD_S = 3.0
TICK_S = 0.01


class Heartbeat:
    """Looks at the store every ten milliseconds, as long as the loop lets it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._loop = asyncio.get_running_loop()
        self._looks: list[asyncio.Task[object]] = []
        self._handle = self._loop.call_later(TICK_S, self._beat)

    def _beat(self) -> None:
        if all(look.done() for look in self._looks):
            self._looks.append(self._loop.create_task(self._world.room.agents_view()))
        self._handle = self._loop.call_later(TICK_S, self._beat)

    async def stop(self) -> int:
        """End it; how often it could look."""
        self._handle.cancel()
        await asyncio.gather(*self._looks)
        return len(self._looks)


async def test_a_foreign_lock_delays_sends_and_fails_none(worlds: Worlds) -> None:
    """O-36: 64 senders, 8 recipients, a reader, and a session that starts meanwhile."""
    policy = Policy(surface="tree", concurrency=100, waiting_max=100)
    world = worlds(policy=policy, clock=SystemClock())
    newcomer = world.puppet("new", may_message=("child",), delegates_to=("t0",))
    names, sinks = [f"s{n}" for n in range(64)], [f"t{n}" for n in range(8)]
    _, *puppets = await family(world, *names, *sinks)
    handles = [world.handle(sink) for sink in sinks]
    before = len(world.events("message.accepted"))

    under_lock = await _under_lock(world, puppets[:64], handles)

    assert under_lock.early == 0
    assert len({accepted(r).message_id for r in under_lock.results}) == 64
    assert len(world.events("message.accepted")) == before + 64 + 1
    assert HELD_S <= under_lock.took_s < 15
    assert under_lock.looks > 20
    tools = {tool.name for tool in (await newcomer.asked()).tools}
    mail = {"delegate_subagent", "get_subagent_result", "cancel_subagent", "send_message"}
    assert tools == {*mail, "ask_user"}
    await world.check()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderLock:
    """What 64 sends and a new session came to; `early`: how many returned while the lock was held."""

    results: list[ResultItem]
    early: int
    took_s: float
    looks: int
    """How often the store could be read meanwhile: a loop that waits for the lock itself reads nothing."""


async def _under_lock(world: World, senders: list[Puppet], handles: list[str]) -> UnderLock:
    """Everybody sends at once, and the person opens a session, while a foreign connection writes."""
    loop, released = asyncio.get_running_loop(), asyncio.Event()
    started_s = loop.time()
    with closing(sqlite3.connect(world.folder / DATABASE_NAME, isolation_level=None)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        sends = [
            asyncio.ensure_future(s.does(send(handles[n % 8], f"from {n}"))) for n, s in enumerate(senders)
        ]
        prompting = asyncio.ensure_future(world.prompt("new", "begin"))
        heartbeat = Heartbeat(world)
        loop.call_later(HELD_S, released.set)
        await released.wait()
        looks = await heartbeat.stop()
        early = sum(s.done() for s in sends) + prompting.done()
        foreign.rollback()
    async with asyncio.timeout(15 - HELD_S):
        results = await asyncio.gather(*sends)
        await prompting
    return UnderLock(
        results=[r for (r,) in results],
        early=early,
        took_s=loop.time() - started_s,
        looks=looks,
    )
