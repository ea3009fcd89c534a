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
