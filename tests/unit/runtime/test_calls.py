"""Foreign tools that behave badly."""

import asyncio
from collections.abc import Mapping

from postroom.llm.port import Json
from postroom.testing.script import call, say
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult


async def test_a_tool_that_cancels_itself_gives_a_result_and_the_turn_goes_on(world: World) -> None:
    """O-15"""

    async def act(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        raise asyncio.CancelledError

    world.tool("quit", act)
    world.agent("r", call("quit"), say("never mind"), tools=("quit",))

    await world.prompt("r", "begin")
    second = await world.request("r", 2)

    assert "cancelled" in second.items[-1].text
    await world.check()


async def test_a_fault_that_cannot_be_printed_is_still_a_result(world: World) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    async def act(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        raise Mute

    world.tool("mutter", act)
    world.agent("r", call("mutter"), say("never mind"), tools=("mutter",))

    await world.prompt("r", "begin")
    second = await world.request("r", 2)

    assert second.items[-1].text == "Mute"
    await world.check()
