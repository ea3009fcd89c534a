"""Pictures that tools give: with their result in every later request, also after a restart."""

from collections.abc import Mapping

from postroom.domain.plain import Json
from postroom.llm.port import Image, ModelRequest, ResultItem
from postroom.testing.script import call
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult

DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c636060606000000005000100d2bfb1a10000000049454e44ae426082"
)


async def _look(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text="a dot", images=(Image(media_type="image/png", data=DOT),))


def _pictures(request: ModelRequest) -> list[tuple[Image, ...]]:
    return [item.images for item in request.items if isinstance(item, ResultItem)]


async def test_a_picture_stays_with_its_result_over_rounds_turns_and_restarts(world: World) -> None:
    world.tool("look", _look)
    r = world.puppet("r", tools=["look"])
    await world.prompt("r", "look")
    shown = (Image(media_type="image/png", data=DOT),)

    await r.does(call("look"))
    same_turn = _pictures(await r.asked())
    await r.says("a dot")
    await world.turn_end("r")
    await world.crash()
    await world.prompt("r", "what was it?")
    after = _pictures(await r.asked())

    assert same_turn == after == [shown]
    await world.check()
