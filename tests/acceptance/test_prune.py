"""Pruning: the texts of conversations that are over go, the line of who wrote to whom stays."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.config import Config, MirrorSettings, read_config
from postroom.errors import ConfigFault, Refused
from postroom.observe.doctor import examine
from postroom.observe.find import find_message
from postroom.observe.mail_timeline import mail_view
from postroom.observe.transcript import transcript
from postroom.profiles.retention_settings import RetentionSettings, duration_s
from postroom.service.prune import prune_step
from postroom.store.tx import Tx
from postroom.testing.clock import FakeClock
from postroom.testing.script import call, say
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.bus_team import assistant, make, post, roster_world, workers
from tests.acceptance.family import Worlds, family, send
from tests.acceptance.test_tree_delete import SECRET, holding

DAY_S = 86_400.0


async def pass_days(world: World, days: float) -> None:
    assert isinstance(world.clock, FakeClock)
    await world.clock.advance(days * DAY_S)


def digest(tx: Tx, message_id: str) -> tuple[int, str] | None:
    key = find_message(tx, message_id)
    assert key is not None
    return tx.digest_of_body(key)


async def talked(world: World) -> str:
    """A conversation with a call and an answer that is at rest; its session id."""

    async def act(_caller: Caller, _arguments: object) -> ToolResult:
        return ToolResult(text=f"result: {SECRET}")

    world.tool("look", act)
    world.agent(
        "r", say(f"calling: {SECRET}", call("look", where=SECRET)), say(f"answer: {SECRET}"), tools=("look",)
    )
    session_id = (await world.prompt("r", f"prompt: {SECRET}")).session_id
    await world.quiesce()
    return session_id


async def test_the_texts_go_and_the_line_stays(world: World) -> None:
    """G12: bodies, answers, arguments and results go, also from the search; the log still gives the rest."""
    await talked(world)
    (message,) = [event.message_id for event in world.events("message.accepted")]
    found = len(await world.room.search("combination"))
    before = world.events()
    await pass_days(world, 31)

    gone = await world.room.prune(30 * DAY_S)

    assert (found, gone.sessions, gone.messages, gone.nodes, gone.kept) == (4, 1, 1, 4, 0)
    assert await world.room.search("combination") == []
    assert holding(world.folder, SECRET) == []
    body = f"prompt: {SECRET}".encode()
    assert world.room.store.look(digest, message) == (len(body), hashlib.sha256(body).hexdigest())
    assert world.events()[: len(before)] == before
    assert [event.facts["done"] for event in world.events("session.pruned")] == [1]
    assert examine(world.folder).findings == ()
    await world.check()


async def test_what_is_over_stays_readable_and_takes_nothing_new(world: World) -> None:
    session_id = await talked(world)
    await pass_days(world, 31)
    await world.room.prune(30 * DAY_S)

    assert [item.text for item in await world.room.history(session_id) if item.text] == []
    with pytest.raises(Refused, match="archived"):
        await world.room.prompt("go on", session=session_id)
    with pytest.raises(Refused, match="pruned"):
        await world.room.fork(session_id)
    assert (await world.room.prune(0)).sessions == 0
    await world.check()


async def test_a_reader_is_told_what_was_pruned(world: World) -> None:
    """G12: the transcript and the message say how long a text was, and its hash, in place of nothing."""
    session_id = await talked(world)
    (message,) = [event.message_id for event in world.events("message.accepted")]
    await pass_days(world, 31)
    await world.room.prune(30 * DAY_S)

    page = world.room.store.look(transcript, session_id)
    (row,) = [row for row in page.rows if row.kind == "text"]
    mail = world.room.store.look(mail_view, message)
    body = f"prompt: {SECRET}".encode()
    left = (len(body), hashlib.sha256(body).hexdigest())
    assert page.agent.pruned
    assert [(part.text, part.pruned_bytes, part.pruned_sha256) for part in row.parts] == [("", *left)]
    assert mail is not None
    assert (mail.body, mail.pruned_bytes, mail.pruned_sha256) == ("", *left)


async def test_a_dry_run_says_what_would_go_and_takes_nothing(world: World) -> None:
    await talked(world)
    await pass_days(world, 31)
    before = world.events()

    would = await world.room.prune(30 * DAY_S, dry_run=True)

    assert world.events() == before
    did = await world.room.prune(30 * DAY_S)
    assert (would.sessions, would.messages, would.nodes, would.body_bytes) == (
        did.sessions,
        did.messages,
        did.nodes,
        did.body_bytes,
    )


async def test_what_moves_waits_or_is_unread_is_not_over(world: World) -> None:
    root, b = await family(world, "b")
    await pass_days(world, 31)
    assert (await world.room.prune(0)).sessions == 0  # turns are open
    await b.says("done")
    await root.says("waiting")
    await root.says("noted")
    await world.quiesce()
    assert (await world.room.prune(30 * DAY_S)).sessions == 0  # it has just moved
    session_id = world.view("r").session_id
    await world.room.prompt("go on", session=session_id)
    await root.asked()
    await world.room.send(session_id, "unread", mode="queue")
    await world.room.stop(session_id)
    await world.quiesce()
    await pass_days(world, 31)
    assert (await world.room.prune(30 * DAY_S)).sessions == 0  # something is unread
    await world.room.resume(session_id)
    await world.rest()
    timer = await world.room.send_at(session_id, "later", world.clock.now_us() + int(90 * DAY_S) * 1_000_000)
    await pass_days(world, 31)
    assert (await world.room.prune(30 * DAY_S)).sessions == 0  # a text waits for its time
    await world.room.cancel_timer(timer.timer_id)
    assert (await world.room.prune(30 * DAY_S)).sessions == 2
    await world.check()


async def test_a_whole_tree_goes_or_nothing_of_it(world: World) -> None:
    root, b = await family(world, "b")
    await b.does(send(world.view("r").session_id, SECRET))
    await b.says(f"done: {SECRET}")
    await root.says("waiting")
    await root.says("noted")
    await world.quiesce()
    await pass_days(world, 10)
    await world.room.prompt("again", session=world.view("r").session_id)
    await root.says("again noted")
    await world.quiesce()
    await pass_days(world, 25)
    assert (await world.room.prune(30 * DAY_S)).sessions == 0
    assert holding(world.folder, SECRET)

    await pass_days(world, 6)
    assert (await world.room.prune(30 * DAY_S)).sessions == 2

    assert holding(world.folder, SECRET) == []
    await world.check()


async def test_what_a_fork_begins_with_stays_until_the_fork_is_over_too(world: World) -> None:
    model = world.agent("r", *[say(f"answer: {SECRET}") for _ in range(8)])
    root_id = (await world.prompt("r", f"prompt: {SECRET}")).session_id
    await world.quiesce()
    await pass_days(world, 20)
    fork = await world.room.fork(root_id)
    await pass_days(world, 20)

    first = await world.room.prune(30 * DAY_S)
    await world.room.prompt("go on", session=fork.session_id)
    await world.quiesce()

    assert (first.sessions, first.nodes, first.kept) == (1, 0, 2)
    assert texts(model.requests[-1]) == [f"prompt: {SECRET}", f"answer: {SECRET}", "go on"]
    await pass_days(world, 31)
    await world.room.prune(30 * DAY_S)
    assert holding(world.folder, SECRET) == []
    await world.check()


async def test_what_was_said_on_a_bus_goes_with_its_tree(worlds: Worlds) -> None:
    """G12: broadcasts, what nobody read, and the record of that; the rows of the bus stay."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"one": [post("everyone", SECRET), say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(make("researcher", "one"))
    await a.does(post("researcher", f"again {SECRET}"))
    await a.says("done")
    await world.quiesce()
    await pass_days(world, 31)

    gone = await world.room.prune(30 * DAY_S)

    assert gone.sessions == len(world.views())
    assert holding(world.folder, SECRET) == []
    assert world.events("bus.opened")
    assert examine(world.folder).findings == ()
    await world.check()


async def heard_by_two(worlds: Worlds) -> World:
    """A broadcast that two agents of a tree have read one after the other, long ago."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"one": [say("done")], "two": [say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", SECRET))
    await a.does(make("researcher", "one"))
    await a.does(make("researcher", "two"))
    await a.says("done")
    await world.quiesce()
    await pass_days(world, 31)
    return world


async def test_a_dry_run_counts_what_several_sessions_have_read(worlds: Worlds) -> None:
    """The text goes with the last of them: both runs count it there, once."""
    world = await heard_by_two(worlds)

    would = await world.room.prune(30 * DAY_S, dry_run=True)
    did = await world.room.prune(30 * DAY_S)

    assert replace(would, dry_run=False) == did
    assert did.messages == len({event.message_id for event in world.events() if event.message_id})
    assert holding(world.folder, SECRET) == []
    await world.check()


async def test_a_text_that_a_fork_begins_with_does_not_go_with_its_other_readers(worlds: Worlds) -> None:
    """Whichever of them is over last: the conversation of the fork shows it."""
    world = await heard_by_two(worlds)
    fork = await world.room.fork(world.view("researcher").session_id)

    would = await world.room.prune(30 * DAY_S, dry_run=True)
    did = await world.room.prune(30 * DAY_S)
    shown = [item.text for item in await world.room.history(fork.session_id) if SECRET in item.text]

    assert replace(would, dry_run=False) == did
    assert len(shown) == 1
    await world.room.delete(fork.session_id)
    assert holding(world.folder, SECRET) == []
    await world.check()


async def test_a_long_conversation_goes_in_steps(world: World) -> None:
    """No commit takes more than a bounded number of texts, and who is cut off may begin again."""
    world.agent("r", *[say(f"answer {n}: {SECRET}") for n in range(5)])
    for n in range(5):
        await world.prompt("r", f"prompt {n}: {SECRET}")
        await world.quiesce()
    await pass_days(world, 31)
    key = (await world.room.session_of(world.view("r").session_id)).key
    before_us = world.clock.now_us()
    first = await world.room.store.write(prune_step, key, before_us, at_once=3)
    assert first is not None
    assert first.place is not None
    second = await world.room.store.write(prune_step, key, before_us, first.place, at_once=3)
    assert second is not None
    assert [(step.messages, step.nodes) for step in (first, second)] == [(3, 3), (2, 3)]
    assert examine(world.folder).findings == ()

    gone = await world.room.prune(0)

    assert holding(world.folder, SECRET) == []
    assert gone.messages == 0
    assert [event.facts["done"] for event in world.events("session.pruned")] == [0, 0, 1]
    await world.check()


async def test_the_lines_of_the_mirror_go_as_well(world: World) -> None:
    world.mirror = MirrorSettings(enabled=True)
    session_id = await talked(world)
    await pass_days(world, 31)
    await world.close()
    await world.open()
    file = world.folder / "events" / f"{session_id}.jsonl"
    assert SECRET in file.read_text("utf-8")

    await world.room.prune(30 * DAY_S)
    await world.close()

    assert not file.exists() or SECRET not in file.read_text("utf-8")


async def test_texts_go_by_themselves_when_the_person_has_said_so(world: World) -> None:
    """`[retention]`: what is over for long enough at a start goes then, the rest when its time has come."""
    await talked(world)
    clock = world.clock
    assert isinstance(clock, FakeClock)
    await pass_days(world, 29)
    await world.close()
    config = Config(store=world.folder, retention=RetentionSettings(consumed_after="30d"))
    async with Postroom.open(world.folder, clock=clock, config=config) as room:
        await clock.advance(0.9 * DAY_S)
        assert holding(world.folder, SECRET)
        await clock.passes_until(pruned(room), step_s=600)
    assert holding(world.folder, SECRET) == []
    await world.open()
    assert [event.actor for event in world.events("session.pruned")] == ["system"]


async def pruned(room: Postroom) -> None:
    """Wait until a session was pruned."""
    async for event in room.subscribe():
        if event.kind == "session.pruned":
            return


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30d", 30 * 86_400),
        ("1d12h", 129_600),
        ("90m", 5_400),
        ("5s", 5),
        ("", None),
        ("soon", None),
        ("d", None),
    ],
)
def test_how_a_length_of_time_is_written(text: str, seconds: int | None) -> None:
    assert duration_s(text) == seconds


def test_a_setting_that_is_no_length_of_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match="CONSUMED_AFTER"):
        read_config(environ={"POSTROOM_RETENTION_CONSUMED_AFTER": "soon"}, person_file=tmp_path / "none.toml")
