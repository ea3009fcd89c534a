"""Events of the bus on the `branch` surface: what a page and a log of events are told, live."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from postroom.config import MirrorSettings
from postroom.domain.bus import EVENT_TYPES, BusEvent
from postroom.domain.plain import Json
from postroom.observe.export import Ask, each_record
from postroom.observe.export_parts import Record
from postroom.observe.glance import Glance
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.branches import address, branch_world, branches, crew, dispatch, message, pair, spawn
from tests.acceptance.family import Worlds
from tests.house.tree import SRC, parsed, python_files

_TYPE = re.compile(r"[a-z_]+(\.[a-z_]+)*")
MIRRORED = MirrorSettings(enabled=True)


async def told(world: World, *types: str) -> list[BusEvent]:
    """Everything of these types from now on."""
    found: list[BusEvent] = []
    (await world.open()).bus.subscribe(found.append, types)
    return found


def mirrored(world: World, session_id: str) -> list[dict[str, Json]]:
    """The lines of a session in the mirror of a room that is closed."""
    file = world.folder / "events" / f"{session_id}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n")[:-1]]


def of_type(records: list[dict[str, Json]], name: str) -> list[dict[str, Json]]:
    """The payloads of one type."""
    return [record["payload"] for record in records if record["type"] == name]  # pyright: ignore[reportReturnType]


async def test_a_spawn_is_in_the_log_of_its_session_and_in_its_mirror(worlds: Worlds) -> None:
    """OP-2."""
    world = branch_world(worlds)
    world.mirror = MIRRORED
    a, b = await crew(world, "b")
    await a.says("waiting")
    await b.says("forty-two")
    await a.asked()
    session_id = branches(world)[0].public_id
    logged = [event.kind for event in world.events() if event.session_id == session_id]
    await world.check()

    assert {"branch.made", "task.queued", "task.started", "task.ended"} <= set(logged)
    records = mirrored(world, session_id)
    started, ended = of_type(records, "subagent.started"), of_type(records, "subagent.ended")
    assert [one["agent"] for one in started] == ["b"]
    assert [(one["agent"], one["state"], one["outcome"]) for one in ended] == [
        ("b", "completed", "succeeded")
    ]
    assert of_type(records, "branches_list")[0]["change"] == "made"


async def test_a_send_to_another_session_changes_both_pages_while_they_are_watched(worlds: Worlds) -> None:
    """OP-9, the data of it: each session is told of its own side."""
    world = branch_world(worlds)
    a, b = await pair(world)
    events = await told(world)
    home, away = (row.public_id for row in sorted(branches(world), key=lambda row: row.profile))
    await a.does(message(address(world, "b"), "how far are you?"))
    await b.asked()
    await b.says("half way")
    await a.says("asked")
    await a.asked()
    await world.check()

    def at(session_id: str) -> list[str]:
        return [event.type for event in events if event.metadata["session_id"] == session_id]

    assert [one for one in at(home) if one == "branch_message"] == ["branch_message"] * 2
    assert {"branch.message_sent", "tool.after", "turn.end"} <= set(at(home))
    assert {"turn.start", "model.response_completed", "turn.end"} <= set(at(away))


async def test_mail_is_told_with_both_addresses_and_shown_in_one_line(worlds: Worlds) -> None:
    """OP-32."""
    world = branch_world(worlds)
    a, b = await pair(world)
    events = await told(world, "branch.message_sent", "branch.message_replied", "branch_message")
    mine, theirs = address(world, "a"), address(world, "b")
    await a.does(message(theirs, "how far\nare you? " + "x" * 500))
    await b.asked()
    await b.says("half way")
    await a.says("asked")
    await a.asked()
    await world.check()

    by_type = {event.type: event.payload for event in events if event.type != "branch_message"}
    frames = [event.payload for event in events if event.type == "branch_message"]
    assert (by_type["branch.message_sent"]["from"], by_type["branch.message_sent"]["to"]) == (mine, theirs)
    assert (by_type["branch.message_replied"]["from"], by_type["branch.message_replied"]["to"]) == (
        theirs, mine,
    )  # fmt: skip
    session_id = mine.partition(":")[0]
    assert [(one["session_id"], one["kind"], one["peer"]) for one in frames] == [
        (session_id, "sent", theirs), (session_id, "replied", theirs),
    ]  # fmt: skip
    summaries = [str(one["summary"]) for one in frames]
    assert summaries[0].startswith("how far are you? xxx")
    assert (len(summaries[0]), summaries[1]) == (120, "half way")


async def test_a_task_is_shown_at_each_step_with_its_start_and_its_end(worlds: Worlds) -> None:
    """OP-73: the frame at every transition, the two events in between; a dispatch behind a turn waits."""
    world = branch_world(worlds)
    a, b = await pair(world)
    await world.prompt("b", "do this first")
    await b.asked()
    events = await told(world, "task_status", "subagent.started", "subagent.ended")
    await a.does(dispatch(address(world, "b"), "count the files"))
    await b.says("first things done")
    await b.asked()
    await a.says("given")
    await b.says("seven files")
    await a.asked()
    home = address(world, "a").partition(":")[0]
    await world.check()

    steps = [str(event.payload.get("status", event.type)) for event in events]
    assert steps == ["pending", "queued", "running", "subagent.started", "completed", "subagent.ended"]
    ids = {str(event.payload["task_id"]) for event in events}
    assert len(ids) == 1
    assert all(event.metadata["session_id"] == home for event in events)
    frames = [event.payload for event in events if event.type == "task_status"]
    assert all(one["session_id"] == home for one in frames)
    assert frames[-1]["outcome"] == "succeeded"


async def test_each_gate_is_one_line_with_its_verdict_and_what_names_no_session_is_elsewhere(
    worlds: Worlds,
) -> None:
    """OP-90."""
    world = branch_world(worlds)
    world.mirror = MIRRORED
    a = world.puppet("a")
    room = await world.open()
    room.bus.guard(lambda event: "not that" if event.payload["tool"] == "agent" else None, ["tool.before"])
    session_id = (await world.prompt("a", "begin")).session_id
    refused = (await a.does(spawn(agent_id="a"), call("list_tasks")))[0]
    room.bus.emit("plugin.enable", {"plugin": "none"})
    await world.check()

    gates = [record for record in mirrored(world, session_id) if record["type"] == "tool.before"]
    verdicts = [gate["verdict"] for gate in gates]
    assert refused.is_error
    assert [isinstance(one, dict) and (one["allowed"], one["subscribers"]) for one in verdicts] == [
        (False, 1), (True, 1),
    ]  # fmt: skip
    others = (world.folder / "logs" / "events.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line)["type"] for line in others.splitlines()] == ["plugin.enable"]


async def test_a_mirror_that_was_cut_goes_on_behind_its_last_whole_line(worlds: Worlds) -> None:
    """O-34: a start, a message and another start; nothing that was whole is lost."""
    world = branch_world(worlds)
    world.mirror = MIRRORED
    a = world.puppet("a")
    session_id = (await world.prompt("a", "begin")).session_id
    await a.says("done")
    await world.turn_end("a")
    await world.close()
    file = world.folder / "events" / f"{session_id}.jsonl"
    before = mirrored(world, session_id)
    file.write_bytes(file.read_bytes()[:-20] + bytes(64))

    await world.prompt("a", "again")
    await a.says("done again")
    await world.turn_end("a", 2)
    await world.close()
    await world.prompt("a", "and again")
    await a.says("done for good")
    await world.check()

    after = mirrored(world, session_id)
    assert after[: len(before) - 1] == before[:-1]
    assert [one["text"] for one in of_type(after, "user.prompt_submitted")] == ["begin", "again", "and again"]


async def test_nothing_of_the_mirror_is_in_an_export_and_a_deleted_session_leaves_it(worlds: Worlds) -> None:
    """G12: what only the person sees stays with the person."""
    world = branch_world(worlds)
    world.mirror = MIRRORED
    a = world.puppet("a")
    room = await world.open()
    room.bus.guard(lambda _: "a secret reason", ["turn.stop"])
    session_id = (await world.prompt("a", "begin")).session_id
    await a.says("done")
    a.rests()
    await world.turn_end("a")
    await world.close()
    exported: list[Record] = []
    with Glance(world.folder) as glance:
        each_record(glance, Ask(session=session_id), exported.append)
    file = world.folder / "events" / f"{session_id}.jsonl"
    ids = [str(record["id"]) for record in mirrored(world, session_id)]
    await (await world.open()).delete(session_id)
    await world.close()

    assert ids
    assert not any(one in json.dumps(exported) for one in (*ids, "duration_ms", "subscribers"))
    assert not file.exists()


def test_every_type_that_the_source_tells_or_asks_is_registered_and_no_other() -> None:
    """OP-91."""
    named = {name for path in python_files(SRC) for name in _told_in(path)}

    assert named == set(EVENT_TYPES)


def _told_in(path: Path) -> Iterator[str]:
    """What is told by name, and the names of gates, which are constants."""
    for node in ast.walk(parsed(path)):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="emit" | "tell"), args=[ast.Constant(value=str() as name), *_]
            ) if _TYPE.fullmatch(name):
                yield name
            case ast.AnnAssign(value=ast.Constant(value=str() as name)) if name in EVENT_TYPES:
                yield name
            case _:
                pass
