"""A client that comes and goes hears the log once, whatever becomes of its connection or of the daemon."""

import contextlib
import json
from collections.abc import AsyncGenerator, Sequence

from postroom.clock import SystemClock
from postroom.domain.plain import Json
from postroom.observe.looks import as_json
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.world import World
from tests.acceptance.asking import asking, the_ask
from tests.acceptance.family import delegate, send
from tests.frontends.daemon import Daemon, serving
from tests.frontends.ear import Ear, Heard, listening

A_YEAR_S = 366 * 86_400.0
QUICK = 200.0


class QuickClock(SystemClock):
    """The machine's clock, but all waits are shorter: a stream beats while a test looks on."""

    async def sleep_s(self, seconds: float) -> None:
        """Wait a part of it."""
        await super().sleep_s(seconds / QUICK)


@contextlib.asynccontextmanager
async def a_daemon(world: World) -> AsyncGenerator[Daemon]:
    """One life of the daemon over the store of the world."""
    async with serving(await world.open()) as daemon:
        daemon.house.streams.clock = QuickClock()
        yield daemon


async def much_happens(world: World, root: Puppet, child: Puppet) -> None:
    """Mail of both modes, tasks, an ask that is decided: more than thirty events."""
    child_address = world.handle("b")
    await root.starts(send(child_address, "steer this"))
    ask = await the_ask(world)
    await world.room.approve(ask.ask_id)
    await root.asked()
    await child.does(send(world.view("r").session_id, "read me"))
    await world.room.send(child_address, "queue this", mode="queue")
    await child.says("done")
    await root.does(delegate("b"))
    await world.rest()


def told(heard: Sequence[Heard]) -> list[Json]:
    """The events among what was heard."""
    return [json.loads(frame.data) for frame in heard if frame.kind == "log"]


def last_id(heard: Sequence[Heard]) -> str:
    """What a client remembers: the last id that was not empty."""
    return [frame.id for frame in heard if frame.id][-1]


async def beats(ear: Ear) -> None:
    """Listen until the stream has only beaten for a while."""
    await ear.until("live")
    await ear.until(":")
    await ear.until(":")


async def test_a_client_that_comes_and_goes_hears_the_log_once(world: World) -> None:
    """O-37: joined, what it saw equals the log; no control frame moves its number, a restart changes none."""
    root, child = await asking(world)
    seen = list[Heard]()
    async with a_daemon(world) as daemon:
        async with listening(daemon.client(), after=0) as ear:
            for _ in range(9):  # to event k, and then it drops
                await ear.until("log")
            seen += ear.heard
        before = len(world.events())
        await much_happens(world, root, child)
        assert len(world.events()) - before >= 30
        async with listening(daemon.client(), last_id=last_id(seen)) as ear:
            seen.append(await ear.next())  # drops before any event
            assert seen[-1].kind == "open"
        async with listening(daemon.client(), last_id=last_id(seen)) as ear:
            await beats(ear)
            seen += ear.heard
    await world.close()
    async with a_daemon(world) as daemon:  # the daemon restarts
        async with listening(daemon.client(), last_id=last_id(seen)) as ear:
            await ear.until("live")
            await world.prompt("r", "once more")
            await ear.until_event("turn.ended")
            await world.quiesce()
            await ear.until_pos(world.events()[-1].pos)
            seen += ear.heard
        whole = [as_json(event) for event in world.events()]
        assert told(seen) == whole
        async with listening(daemon.client(), after=0) as again:
            await again.until("live")
        assert told(again.heard) == whole  # the same kinds and facts live and replayed


async def test_a_client_that_cannot_come_back_begins_anew(world: World) -> None:
    """O-37: an id older than what `prune` kept, and one of the future, get a reset and what is now."""
    root, child = await asking(world)
    async with a_daemon(world) as daemon:
        await much_happens(world, root, child)
        session = world.view("r").session_id
        early = world.events()[5]
        assert isinstance(world.clock, FakeClock)
        await world.clock.advance(A_YEAR_S)
        client = daemon.client()
        pruned = (await client.post("/prune", json={"older_than_s": 86_400})).json()
        assert pruned["sessions"] == len(world.views())
        newest = world.events()[-1].pos
        for cursor, reason in ((str(early.pos), "pruned"), (str(newest + 1), "future")):
            async with listening(client, last_id=cursor) as ear:
                reset = (await ear.until("reset")).facts
                assert (reset["reason"], reset["pos"]) == (reason, newest)
                assert reset["snapshot"] == {**(await client.get("/board")).json(), "asks": []}
                await ear.until("live")
                assert not ear.log
        async with listening(client, f"/sessions/{session}/events", last_id="1") as ear:
            reset = (await ear.until("reset")).facts
            own = [event for event in world.events() if event.session_id == session]
            assert (reset["reason"], reset["seq"]) == ("pruned", own[-1].seq)
            await ear.until("live")
        async with listening(client, last_id=str(newest - 1)) as ear:
            await ear.until("live")
        assert [frame.id for frame in ear.log] == [str(newest)]
