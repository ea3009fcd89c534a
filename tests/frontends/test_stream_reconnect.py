"""A client that comes and goes hears the log once, whatever becomes of its connection or of the daemon."""

import contextlib
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from postroom.clock import SystemClock
from postroom.domain.plain import Json
from postroom.observe.backup import back_up
from postroom.observe.doctor import examine
from postroom.observe.looks import as_json, newest_pos
from postroom.observe.restore import restore
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.world import World
from tests.acceptance.asking import asking, the_ask
from tests.acceptance.family import delegate, send
from tests.frontends.daemon import Daemon, serving
from tests.frontends.ear import Heard, listening
from tests.frontends.test_api_protocol import fits

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


def where(heard: Sequence[Heard]) -> dict[str, str]:
    """What a client asks with: the last id that was not empty, or everything."""
    ids = [frame.id for frame in heard if frame.id]
    return {"last_id": ids[-1]} if ids else {"after": "0"}


async def hears(daemon: Daemon, seen: list[Heard], count: int) -> None:
    """So many more events, and then the connection drops."""
    async with listening(daemon.client(), **where(seen)) as ear:
        for _ in range(count):
            await ear.until("log")
        seen += ear.heard


async def sees_only_the_opening(daemon: Daemon, seen: list[Heard]) -> None:
    """The connection drops before any event."""
    async with listening(daemon.client(), **where(seen)) as ear:
        seen.append(await ear.next())
    assert seen[-1].kind == "open"


async def hears_all_and_beats(daemon: Daemon, seen: list[Heard]) -> None:
    """Everything that there is, and then nothing but that the other side lives."""
    async with listening(daemon.client(), **where(seen)) as ear:
        await ear.until("live")
        await ear.until(":")
        await ear.until(":")
        seen += ear.heard


async def hears_what_happens(daemon: Daemon, seen: list[Heard], world: World) -> None:
    """What comes while it is live."""
    async with listening(daemon.client(), **where(seen)) as ear:
        await ear.until("live")
        await world.prompt("r", "once more")
        await ear.until_event("turn.ended")
        await world.quiesce()
        await ear.until_pos(world.events()[-1].pos)
        seen += ear.heard


async def begins_anew(daemon: Daemon, cursor: int, reason: str) -> None:
    """A stream of the store that cannot begin where it was asked to."""
    client = daemon.client()
    newest = daemon.room.store.look(newest_pos, 0)
    async with listening(client, last_id=str(cursor)) as ear:
        reset = (await ear.until("reset")).facts
        await ear.until("live")
    assert (reset["reason"], reset["pos"]) == (reason, newest)
    assert reset["snapshot"] == {**(await client.get("/board")).json(), "asks": []}
    assert not ear.log


async def test_a_client_that_comes_and_goes_hears_the_log_once(world: World) -> None:
    """O-37: joined, what it saw equals the log; no control frame moves its number, a restart changes none."""
    root, child = await asking(world)
    seen = list[Heard]()
    async with a_daemon(world) as daemon:
        await hears(daemon, seen, 9)
        before = len(world.events())
        await much_happens(world, root, child)
        assert len(world.events()) - before >= 30
        await sees_only_the_opening(daemon, seen)
        await hears_all_and_beats(daemon, seen)
    await world.close()
    async with a_daemon(world) as daemon:
        await hears_what_happens(daemon, seen, world)
        whole = [as_json(event) for event in world.events()]
        assert told(seen) == whole
        again = list[Heard]()
        await hears_all_and_beats(daemon, again)
        assert told(again) == whole  # the same kinds and facts live and replayed


async def test_a_client_that_cannot_come_back_begins_anew(world: World) -> None:
    """O-37: an id older than what `prune` kept, and one of the future, get a reset and what is now."""
    root, child = await asking(world)
    async with a_daemon(world) as daemon:
        await much_happens(world, root, child)
        early = world.events()[5].pos
        assert isinstance(world.clock, FakeClock)
        await world.clock.advance(A_YEAR_S)
        pruned = (await daemon.client().post("/prune", json={"older_than_s": 86_400})).json()
        assert pruned["sessions"] == len(world.views())
        newest = world.events()[-1].pos
        await begins_anew(daemon, early, "pruned")
        await begins_anew(daemon, newest + 1, "future")
        async with listening(daemon.client(), last_id=str(newest - 1)) as ear:
            await ear.until("live")
        assert [frame.id for frame in ear.log] == [str(newest)]


async def test_a_stream_of_a_pruned_session_begins_anew_as_well(world: World) -> None:
    """O-37: there the number to go on from is that of the session."""
    root, child = await asking(world)
    async with a_daemon(world) as daemon:
        await much_happens(world, root, child)
        assert isinstance(world.clock, FakeClock)
        await world.clock.advance(A_YEAR_S)
        await world.room.prune(86_400)
        session = world.view("r").session_id
        own = [event.seq for event in world.events() if event.session_id == session]
        async with listening(daemon.client(), f"/sessions/{session}/events", last_id="1") as ear:
            reset = (await ear.until("reset")).facts
            await ear.until("live")
    assert (reset["reason"], reset["seq"]) == ("pruned", own[-1])


async def test_a_client_of_a_store_that_a_backup_replaced_begins_anew(world: World, tmp_path: Path) -> None:
    """O-37: its numbers are those of another log, also where this one has them; what it gets then counts."""
    await asking(world)
    file, session = tmp_path / "early.db", world.view("r").session_id
    back_up(world.folder, file)
    await world.close()
    restore(file, world.folder, force=True)

    async with a_daemon(world) as daemon:
        for path in ("/events", f"/sessions/{session}/events"):
            async with listening(daemon.client(), path, last_id="3") as ear:
                reset = (await ear.until("reset")).facts
                await ear.until("live")
                assert (reset["reason"], ear.log) == ("restored", [])
                fits(ear.heard[0])
                fits(ear.heard[1])
            whole = await listened(daemon, path, "0")
            assert told(await listened(daemon, path, whole[3].id)) == told(whole)[4:]
            assert whole[-1].id == f"{reset.get('seq', reset['pos'])}.{reset['tag']}"
    await world.close()
    assert examine(world.folder).ok


async def listened(daemon: Daemon, path: str, last_id: str) -> list[Heard]:
    """What a stream holds behind an id."""
    async with listening(daemon.client(), path, last_id=last_id) as ear:
        await ear.until("live")
        return ear.log
