"""What daemon and clients have agreed on: the document, the frames, and what is passed over (CK-33)."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import cast

import pytest
from jsonschema import Draft202012Validator, ValidationError
from pydantic import TypeAdapter

from postroom.daemon.protocol import PREFIX, PROTOCOL_VERSION
from postroom.daemon.stream_frames import FRAMES
from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.observe.event_view import EventView
from postroom.testing.script import say
from postroom.testing.world import World
from tests.frontends.daemon import serving
from tests.frontends.ear import Heard, listening
from tests.house.tree import ROOT

SCHEMA: dict[str, Json] = json.loads((ROOT / "docs/reference/events-schema.json").read_text(encoding="utf-8"))
EVENT = EventView(
    pos=7, session_id="s", agent="ann", seq=3, ts_us=1, kind="turn.ended", actor="system", visibility="agent",
    branch_id="b", facts={"turn": 1},
)  # fmt: skip
_FROM_A_NEWER_DAEMON: Mapping[str, Json] = {"kind": "mail.folded", "corners": 4, "paper": {"size": "A4"}}
_LEFT_OUT = ("branch_id", "to", "message_id", "ask_id", "facts")


def fits(frame: Heard) -> None:
    """Raise `ValidationError` unless a frame is as the schema says; nothing is said of unknown ones."""
    own = cast("dict[str, Json]", cast("dict[str, Json]", SCHEMA["properties"])[frame.kind])
    Draft202012Validator({**own, "$defs": SCHEMA["$defs"]}).validate(frame.facts)


async def test_every_frame_of_a_stream_is_as_its_schema_says(world: World) -> None:
    """CK-33: replayed and live ones, the text that streams, a reset and a farewell."""
    ann = world.puppet("ann")
    session = (await world.prompt("ann", "begin")).session_id
    await ann.asked()
    async with serving(world.room) as daemon:
        client = daemon.client()
        async with listening(client, after=0, text="all") as ear, listening(client, after="x") as lost:
            await ear.until("live")
            await ann.says("done")
            await ear.until_event("turn.ended")
            await lost.until("live")
            async with listening(client, session=session, after=10_000) as ahead:
                await ahead.until("live")
            await daemon.house.life.close()
            await lost.until("bye")
    heard = [*ear.heard, *lost.heard, *ahead.heard]

    for frame in heard:
        fits(frame)
    assert {frame.kind for frame in heard} == set(FRAMES)


def test_the_schema_names_every_frame_and_tells_right_from_wrong() -> None:
    assert set(cast("dict[str, Json]", SCHEMA["properties"])) == set(FRAMES)
    fits(Heard("log", "7", json.dumps(asdict(EVENT))))
    fits(Heard("log", "7", json.dumps({**asdict(EVENT), **_FROM_A_NEWER_DAEMON})))
    with pytest.raises(ValidationError):
        fits(Heard("log", "7", json.dumps({**asdict(EVENT), "pos": "seven"})))


def test_a_client_that_reads_by_our_types_passes_over_what_it_does_not_know() -> None:
    """CK-33: a kind, a field and an object that are new, and fields that are not there."""
    reading = TypeAdapter(EventView)
    newer = reading.validate_python({**asdict(EVENT), **_FROM_A_NEWER_DAEMON})
    older = reading.validate_python({k: v for k, v in asdict(EVENT).items() if k not in _LEFT_OUT})

    assert (newer.pos, newer.kind, newer.facts) == (7, "mail.folded", {"turn": 1})
    assert (older.pos, older.branch_id, older.facts) == (7, "", {})


def test_the_command_line_prints_events_that_it_does_not_know() -> None:
    """CK-33: `tail` and `log` beside a newer daemon."""
    newer = texts.event_line({**asdict(EVENT), **_FROM_A_NEWER_DAEMON})
    older = texts.event_line({k: v for k, v in asdict(EVENT).items() if k not in _LEFT_OUT})

    assert "mail.folded" in newer
    assert "turn.ended" in older


def test_the_types_of_the_page_are_made_from_the_document() -> None:
    """CK-33: every operation has a name of its own, and the page has it; a house test compares the code."""
    document = json.loads((ROOT / "docs/reference/openapi.json").read_text(encoding="utf-8"))
    types = (ROOT / "web/src/api/schema.ts").read_text(encoding="utf-8")
    names = [str(one["operationId"]) for path in document["paths"].values() for one in path.values()]

    assert len(names) == len(set(names))
    assert [name for name in names if f"    {name}: {{" not in types] == []


async def test_a_stranger_learns_which_protocol_is_spoken(world: World) -> None:
    world.agent("a", say("hello"))
    async with serving(await world.open()) as daemon:
        told = (await daemon.stranger(prefix="").get(f"{PREFIX}/hello")).json()

    assert told["protocol"] == PROTOCOL_VERSION


async def test_a_head_says_what_a_get_would_without_its_body(world: World) -> None:
    """A stream and a login's link have none: the one has no end, the other is good for one time."""
    world.agent("a", say("hello"))
    async with serving(await world.open()) as daemon:
        client, stranger = daemon.client(), daemon.stranger()
        answers = [
            await one.request(method, "/me") for one in (client, stranger) for method in ("GET", "HEAD")
        ]
        stream = await client.head("/events")

    assert [answer.status_code for answer in answers] == [200, 200, 401, 401]
    assert [bool(answer.content) for answer in answers] == [True, False, True, False]
    assert answers[1].headers["content-length"] == answers[0].headers["content-length"]
    assert stream.status_code == 405
