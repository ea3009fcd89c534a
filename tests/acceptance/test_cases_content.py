"""Cases O-27 and O-28: characters that break encoders, and text that is not there."""

import asyncio
import json

import pytest

from postroom.domain.policy import Policy
from postroom.observe.export import Ask, each_record
from postroom.observe.export_markdown import markdown
from postroom.observe.export_parts import Record
from postroom.observe.glance import Glance
from postroom.observe.logs import RoomLog
from postroom.testing.script import ScriptedAnswer, call, call_raw
from postroom.testing.world import World, texts, times
from tests.acceptance.family import Worlds, accepted, code, family, send

BROKEN = {"high half": r"\ud83d", "low half": r"\udc00", "nul": r"\u0000", "no character": r"\ufffe"}


def _raw(to: str, body: str) -> ScriptedAnswer:
    """A send whose body is this JSON text, escapes and all."""
    return call_raw("send_message", f'{{"to": "{to}", "body": "{body}"}}')


async def test_broken_characters_are_refused_and_harm_nothing_after(worlds: Worlds) -> None:
    """O-27: also after a crash, in the next rounds, in the stream and in the history."""
    world = worlds(policy=Policy(surface="tree", rendered_chars_max=1_000))
    root, b = await family(world, "b")
    to = world.handle("b")
    before = len(world.events("message.accepted"))

    broken = await root.does(*(_raw(to, f"x{escape}y") for escape in BROKEN.values()))
    stored = len(world.events("message.accepted"))
    (good,) = await root.does(_raw(to, r"a \ud83d\ude00 b"))
    (long,) = await root.does(send(to, "🧑‍🚀" * 700))
    await world.crash()
    await world.open()
    for _ in range(3):
        await b.does(call("nothing"))

    assert [code(r) for r in broken] == ["invalid_body"] * 4
    assert stored == before
    accepted(good)
    accepted(long)
    shown = "".join(texts(world.requests("b")[-1]))
    assert "a 😀 b" in shown
    assert "left out" in shown
    for item in await world.room.history(to):
        item.text.encode()
    json.dumps([e.facts for e in world.events()]).encode()
    await world.check()


async def test_broken_characters_of_a_model_or_a_tool_are_replaced(world: World) -> None:
    """O-27: in an answer they become U+FFFD, everywhere alike."""
    root, b = await family(world, "b")

    await b.says("half \ud83d a character \x00")
    await world.turn_end("b")
    await root.says("noted")
    report = texts(await root.asked())[-1]

    assert "half \ufffd a character \ufffd" in report
    history = await world.room.history(world.handle("b"))
    assert history[-1].text == "half \ufffd a character \ufffd"
    await world.check()


async def test_broken_characters_reach_no_export_no_stream_and_no_log(world: World) -> None:
    """O-27: what a model, a tool call and a broken call say, read in every way there is."""
    root, b = await family(world, "b")
    streamed: list[str] = []

    async def watch() -> None:
        async for piece in world.room.texts():
            streamed.append(piece.text)  # noqa: PERF401 -- the stream has no end

    log = RoomLog(world.folder, level="debug")
    watching = asyncio.create_task(watch())
    await root.does(*(_raw(world.handle("b"), f"x{escape}y") for escape in BROKEN.values()))
    await b.says("half \ud83d a character \x00, and a whole one \U0001f600")
    await world.turn_end("b")
    await root.does(call_raw("nothing", r'{"\udc00": "\ud83d \u0000"}'))
    await log.catch_up(world.room.store)
    watching.cancel()
    log.close()

    assert "".join(streamed) == "half \ufffd a character \ufffd, and a whole one \U0001f600"
    with Glance(world.folder) as glance:
        found: list[Record] = []
        each_record(glance, Ask(full=True), found.append)
    page = "".join(map(markdown, found))
    lines = [json.dumps(record, ensure_ascii=False) for record in found]
    for text in (page, *lines, (world.folder / "logs" / "postroom.log").read_text("utf-8")):
        text.encode()
        assert not [escape for escape in BROKEN.values() if escape in text]
    assert "and a whole one \U0001f600" in page
    assert any("and a whole one \U0001f600" in line for line in lines)


@pytest.mark.parametrize("body", ["", "  \n\t\r\n", "\u200b\u200d\u2060", "\ufeff", "\u2028\u2029\x1f"])
async def test_a_blank_body_is_refused(world: World, body: str) -> None:
    """O-28: and the next five rounds work."""
    root, b = await family(world, "b")

    (refused,) = await root.does(send(world.handle("b"), body))
    for _ in range(5):
        await root.does(call("nothing"))
        await b.does(call("nothing"))

    assert code(refused) == "invalid_body"
    assert not world.events("message.sent", agent="r")[1:]
    await world.check()


async def test_children_that_say_nothing_leave_a_history_that_works(world: World) -> None:
    """O-28: a blank final text becomes a report in our own words, and both agents go on."""
    root, a, b = await family(world, "a", "b")
    await a.says("")
    await b.says("\n")
    await world.turn_end("a")
    await world.turn_end("b")

    for n in range(5):
        await root.does(send(world.handle("a"), f"round {n}"), send(world.handle("b"), f"round {n}"))
        for child in (a, b):
            await child.does(call("nothing"))
            await child.says("" if n % 2 else f"answer {n}")
        await world.turn_end("a", n + 2)
        await world.turn_end("b", n + 2)

    assert times("ended without any text", world.requests("r")) == 2
    assert all(text.strip() for text in texts(world.requests("a")[-1])[2:] if text)
    await world.check()
