"""A room that closes while agents work: what they read of it afterwards."""

import asyncio
from collections.abc import Mapping

from postroom.domain.plain import Json
from postroom.llm.port import ResultItem
from postroom.testing.script import Gate, call
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import delegate, send


async def test_a_send_that_a_closing_room_cuts_says_that_nothing_was_sent(world: World) -> None:
    """CK-35: the model reads the code as the result of its call, and accept is all or nothing."""
    gate, begun = Gate(), asyncio.Event()

    async def act(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        begun.set()
        await gate.through()
        return ToolResult(text="done")

    world.tool("slow", act, parallel=False)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",), tools=("slow",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    await root.starts(call("slow"), send(world.handle("b"), "cut"))
    await begun.wait()

    await world.reopen()
    await world.prompt("r", "what now?")

    results = [item for item in (await root.asked()).items if isinstance(item, ResultItem)]
    (unsent,) = [item for item in results if item.tool == "send_message"]
    assert unsent.text.startswith("send_message:engine_shutdown: ")
    assert not [e for e in world.events("message.accepted", agent="b") if e.facts["kind"] == "mail"]
    gate.open()
    await world.check()
