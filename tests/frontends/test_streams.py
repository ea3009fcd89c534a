"""Streams of events: replay then live, numbers, text, beats, and how a reader is left."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
import pytest

from postroom.daemon.stream_hub import BEAT_S
from postroom.daemon.stream_reader import Bounds
from postroom.domain.keys import SessionKey
from postroom.domain.plain import Json
from postroom.domain.token import Scope
from postroom.observe.event_frames import FRAMES_AT_ONCE
from postroom.observe.looks import as_json
from postroom.store.tx import Tx
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.world import World
from tests.frontends.daemon import Daemon, serving
from tests.frontends.ear import PATIENCE_S, Ear, listening

A_LOT = 6_000_000
"""More bytes than all buffers between a daemon and a reader on this machine hold."""


@pytest.fixture
def ann(world: World) -> Puppet:
    return world.puppet("ann")


@pytest.fixture
async def daemon(world: World, ann: Puppet) -> AsyncIterator[Daemon]:
    """A daemon in whose log one turn has begun."""
    await world.prompt("ann", "begin")
    await ann.asked()
    async with serving(world.room) as daemon:
        yield daemon


def log_of(world: World) -> list[Json]:
    """The log as a stream should tell it."""
    return [as_json(event) for event in world.events()]


def told(ear: Ear) -> list[Json]:
    """The events that were heard."""
    return [json.loads(frame.data) for frame in ear.log]


async def test_without_a_number_a_stream_begins_now(daemon: Daemon, world: World, ann: Puppet) -> None:
    newest = world.events()[-1].pos
    async with listening(daemon.client()) as ear:
        assert (await ear.next()).facts["pos"] == newest
        assert (await ear.next()).kind == "live"
        await ann.says("done")
        await ear.until_event("turn.ended")
    assert told(ear) == log_of(world)[newest : newest + len(ear.log)]


async def test_the_past_comes_first_and_then_what_happens(daemon: Daemon, world: World, ann: Puppet) -> None:
    async with listening(daemon.client(), after=0) as ear:
        await ear.until("live")
        assert told(ear) == log_of(world)
        await ann.says("done")
        await ear.until_event("turn.ended")
        await world.quiesce()
        await ear.until_pos(world.events()[-1].pos)
    assert told(ear) == log_of(world)
    assert [int(frame.id) for frame in ear.log] == [event.pos for event in world.events()]


async def test_what_is_replayed_is_what_was_live(daemon: Daemon, world: World, ann: Puppet) -> None:
    start = world.events()[-1].pos
    async with (
        listening(daemon.client(), after=start) as live,
        listening(daemon.client(), after=start) as other,
    ):
        await live.until("live")
        await ann.says("done")
        await world.quiesce()
        end = world.events()[-1].pos
        await live.until_pos(end)
        await other.until_pos(end)
    async with listening(daemon.client(), after=start) as again:
        await again.until("live")
    assert live.log == other.log == again.log


async def test_a_session_has_its_own_numbers(daemon: Daemon, world: World, ann: Puppet) -> None:
    first = world.view("ann").session_id
    await world.prompt_new("ann", "another one")
    await ann.says("done")
    await ann.says("done as well")
    await world.quiesce()
    own = [event for event in world.events() if event.session_id == first]
    async with listening(daemon.client(), f"/sessions/{first}/events", after=0) as ear:
        await ear.until("live")
    assert told(ear) == [as_json(event) for event in own]
    assert [int(frame.id) for frame in ear.log] == [event.seq for event in own]
    assert [frame.facts["pos"] for frame in ear.log] == [event.pos for event in own]
    async with listening(daemon.client(), f"/sessions/{first}/events", last_id="2") as rest:
        await rest.until("live")
        await world.prompt("ann", "go on")
        await ann.says("again")
        await rest.until_event("turn.ended")
    heard = [int(frame.id) for frame in rest.log]
    assert heard == list(range(3, 3 + len(heard)))


def notify(tx: Tx, session: SessionKey, count: int) -> None:
    """So many events at once."""
    for number in range(count):
        tx.notify_person(session, "told", f"notice {number}")


async def test_a_long_past_is_joined_to_what_happens_meanwhile(daemon: Daemon, world: World) -> None:
    store, key = world.room.store, (await world.room.session_of(world.view("ann").session_id)).key
    await store.write(notify, key, FRAMES_AT_ONCE + 100)
    client, session = daemon.client(), world.view("ann").session_id
    async with (
        listening(client, after=0) as everything, listening(client, after=400) as half,
        listening(client, f"/sessions/{session}/events", after=0) as own, asyncio.TaskGroup() as readers,
    ):  # fmt: skip
        for _ in range(10):
            await store.write(notify, key, FRAMES_AT_ONCE // 20)
        for ear in (everything, half, own):
            readers.create_task(ear.until_pos(world.events()[-1].pos))
    log = log_of(world)
    assert told(everything) == log
    assert told(half) == log[400:]
    assert told(own) == [as_json(event) for event in world.events() if event.session_id == session]


async def test_the_last_id_goes_before_the_address(daemon: Daemon) -> None:
    async with listening(daemon.client(), after=0, last_id="3") as ear:
        assert (await ear.until("log")).id == "4"


async def test_only_events_have_ids(daemon: Daemon, world: World, ann: Puppet) -> None:
    async with listening(daemon.client(), after="none", text="all") as ear:
        await ear.until("live")
        await ann.says("some words")
        await ear.until_event("turn.ended")
    assert {frame.kind for frame in ear.heard} == {"open", "reset", "live", "text", "log"}
    assert all(bool(frame.id) == (frame.kind == "log") for frame in ear.heard)


@pytest.mark.parametrize(
    ("cursor", "reason"),
    [
        ("999999", "future"),
        ("12x", "unusable"),
        ("-1", "unusable"),
        ("9" * 40, "unusable"),
        ("٣", "unusable"),
    ],
)
async def test_a_number_that_leads_nowhere_is_answered_with_how_it_stands(
    daemon: Daemon, world: World, ann: Puppet, cursor: str, reason: str
) -> None:
    newest = world.events()[-1].pos
    async with listening(daemon.client(), after=cursor) as ear:
        reset = (await ear.until("reset")).facts
        assert (reset["reason"], reset["pos"]) == (reason, newest)
        board = (await daemon.client().get("/board")).json()
        assert reset["snapshot"] == {**board, "asks": []}
        await ear.until("live")
        await ann.says("done")
        assert (await ear.until("log")).facts["pos"] == newest + 1


async def test_text_comes_as_it_streams_to_those_who_asked(daemon: Daemon, world: World, ann: Puppet) -> None:
    client, words = daemon.client(), "a word " * 50
    session = world.view("ann").session_id
    async with (
        listening(client, text="all") as everything, listening(client, text=session) as of_ann,
        listening(client) as silent, listening(client, f"/sessions/{session}/events", text="all") as own,
    ):  # fmt: skip
        ears = (everything, of_ann, own, silent)
        for ear in ears:
            await ear.until("live")
        await ann.says(words)
        for ear in ears:
            await ear.until_event("turn.ended")
    for ear in (everything, of_ann, own):
        pieces = [frame.facts for frame in ear.heard if frame.kind == "text"]
        assert "".join(str(piece["text"]) for piece in pieces) == words
        assert {str(piece["branch_id"]) for piece in pieces} == {world.view("ann").branch_id}
    assert not [frame for frame in silent.heard if frame.kind == "text"]


async def test_a_quiet_stream_beats(daemon: Daemon) -> None:
    clock = daemon.house.streams.clock = FakeClock()
    async with listening(daemon.client()) as ear:
        await ear.until("live")
        for _ in range(3):
            await clock.advance(BEAT_S)
            assert (await ear.next()).kind == ":"


async def fall_behind(daemon: Daemon, world: World, ann: Puppet) -> None:
    """Let more come than lies on the way to a reader that takes nothing: it is too slow when this returns."""
    async with listening(daemon.client()) as quick:
        await quick.until("live")
        await ann.says("x" * A_LOT)
        await quick.until_event("turn.ended")
        for letter in ("a", "b", "c", "d"):
            await world.prompt_new("ann", letter)
        await quick.until_pos(world.events()[-1].pos)
        await world.prompt_new("ann", "what is told after it was looked who is behind")
        await quick.until_pos(world.events()[-1].pos)


async def test_a_reader_that_is_too_slow_is_told_and_may_come_back(
    daemon: Daemon, world: World, ann: Puppet
) -> None:
    daemon.house.streams.bounds = Bounds(events_max=10, farewell_s=PATIENCE_S)
    start = world.events()[-1].pos
    async with listening(daemon.client(), text="all") as slow:
        await slow.until("live")
        await fall_behind(daemon, world, ann)
        assert (await slow.to_the_end())[-1].facts == {"reason": "slow"}
    last_id = slow.log[-1].id if slow.log else str(start)
    async with listening(daemon.client(), last_id=last_id) as again:
        await again.until("live")
    assert told(slow) + told(again) == log_of(world)[start:]


async def test_a_reader_that_takes_nothing_at_all_is_cut_off(
    daemon: Daemon, world: World, ann: Puppet
) -> None:
    daemon.house.streams.bounds = Bounds(events_max=10, farewell_s=0.05)
    async with listening(daemon.client(), text="all") as deaf:
        await deaf.until("live")
        await fall_behind(daemon, world, ann)
        async with asyncio.timeout(PATIENCE_S):
            await daemon.house.streams.left()
        with pytest.raises((httpx2.ReadError, httpx2.RemoteProtocolError)):
            await deaf.to_the_end()
    assert "bye" not in {frame.kind for frame in deaf.heard}


async def test_a_reader_that_stalls_is_cut_off_though_little_waits_for_it(
    daemon: Daemon, world: World, ann: Puppet
) -> None:
    """Nothing new needs to happen for that: every beat looks. Who reads again just before is told so."""
    clock = daemon.house.streams.clock = FakeClock()
    daemon.house.streams.bounds = Bounds(farewell_s=0.05)
    async with listening(daemon.client(), text="all") as deaf:
        await deaf.until("live")
        await ann.says("x" * A_LOT)
        async with asyncio.timeout(PATIENCE_S):
            await clock.passes_until(daemon.house.streams.left(), BEAT_S)
        try:
            await deaf.to_the_end()
        except (httpx2.ReadError, httpx2.RemoteProtocolError):
            return
    assert deaf.heard[-1].kind == "bye"


async def test_every_reader_shares_one_look_at_the_log(daemon: Daemon, world: World) -> None:
    before = world.room.store.doorbell.n_listeners
    async with listening(daemon.client()) as one, listening(daemon.client()) as other:
        await one.until("live")
        await other.until("live")
        assert world.room.store.doorbell.n_listeners == before + 1
        assert daemon.house.streams.n_readers == 2


async def test_who_hangs_up_leaves_nothing_behind(daemon: Daemon, world: World) -> None:
    before = world.room.store.doorbell.n_listeners
    async with listening(daemon.client()) as ear:
        await ear.until("live")
    async with asyncio.timeout(PATIENCE_S):
        await daemon.house.streams.left()
    assert world.room.store.doorbell.n_listeners == before


async def test_the_end_of_the_daemon_is_said(world: World, ann: Puppet) -> None:
    await world.prompt("ann", "begin")
    async with serving(world.room) as daemon:
        client = daemon.client()
        async with listening(client) as ear:
            await ear.until("live")
            closing = asyncio.ensure_future(daemon.house.streams.close())
            assert (await ear.to_the_end())[-1].facts == {"reason": "shutdown"}
            await closing


async def test_a_token_that_is_revoked_ends_its_streams(daemon: Daemon) -> None:
    client = daemon.client()
    made = (await client.post("/tokens", json={"name": "watcher", "scope": Scope.READ})).json()
    watcher = daemon.stranger()
    watcher.headers["authorization"] = f"Bearer {made['secret']}"
    async with listening(watcher) as ear, listening(client) as other:
        await ear.until("live")
        await other.until("live")
        await client.delete(f"/tokens/{made['token']['token_id']}")
        assert (await ear.to_the_end())[-1].facts == {"reason": "revoked"}
        assert daemon.house.streams.n_readers == 1


async def test_a_stream_of_nobody_is_refused(daemon: Daemon) -> None:
    client = daemon.client()
    assert (await client.get("/sessions/nobody/events")).status_code == 404
    assert (await client.get("/events", params={"text": "nobody"})).status_code == 404
    outdated = await client.get("/events", params={"protocol": 0})
    assert outdated.json()["error"]["code"] == "protocol_mismatch"


async def test_nothing_on_the_way_may_keep_a_stream_back(daemon: Daemon) -> None:
    async with listening(daemon.client()) as ear:
        heads = ear.response.headers
    assert heads["content-type"].startswith("text/event-stream")
    assert heads["x-accel-buffering"] == "no"
    assert "no-store" in heads["cache-control"]
