"""Case O-36 as agents see it: a foreign program holds the write lock of the store for a while."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass

from postroom.clock import SystemClock
from postroom.domain.policy import Policy
from postroom.llm.port import ResultItem
from postroom.store.connect import DATABASE_NAME
from postroom.testing.puppet import Puppet
from postroom.testing.world import PATIENCE_S, World
from tests.acceptance.family import Worlds, accepted, family, send

HELD_S = 0.5


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
    tools = {tool.name for tool in (await newcomer.asked()).tools}
    mail = {"delegate_subagent", "get_subagent_result", "cancel_subagent", "send_message"}
    assert tools == {*mail, "ask_user"}
    await world.check()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderLock:
    """What 64 sends and a new session came to; `early`: how many returned while the lock was held."""

    results: list[ResultItem]
    early: int


async def _under_lock(world: World, senders: list[Puppet], handles: list[str]) -> UnderLock:
    """Everybody sends at once, and the person opens a session, while a foreign connection writes.

    The store can be read meanwhile: a loop that waited for the lock itself would read nothing.
    """
    _be_patient(world)
    with closing(sqlite3.connect(world.folder / DATABASE_NAME, isolation_level=None)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        sends = [
            asyncio.ensure_future(s.does(send(handles[n % 8], f"from {n}"))) for n, s in enumerate(senders)
        ]
        prompting = asyncio.ensure_future(world.prompt("new", "begin"))
        await asyncio.wait(sends, timeout=HELD_S)
        for _ in range(20):
            await world.room.agents_view()
        early = sum(s.done() for s in sends) + prompting.done()
        foreign.rollback()
    async with asyncio.timeout(PATIENCE_S):
        results = await asyncio.gather(*sends)
        await prompting
    return UnderLock(results=[r for (r,) in results], early=early)


def _be_patient(world: World) -> None:
    """However long a busy machine holds the lock: the store's own patience is tested where it is kept."""
    writing = world.room.store._connection  # noqa: SLF001 -- the world of a test reaches behind the store
    assert writing is not None
    writing.execute("PRAGMA busy_timeout = 60000")
