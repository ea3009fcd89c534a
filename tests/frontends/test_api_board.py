"""The board over HTTP: pages of conversations, one tree, and refusals."""

from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.family import family
from tests.frontends.api import Reach, objects


async def test_the_board_says_what_everybody_does_and_goes_back_page_by_page(
    world: World, reach: Reach
) -> None:
    world.agent("done", say("said"))
    await family(world, "k")
    for number in range(3):
        await world.prompt_new("done", f"said {number}")
        await world.turn_end("done", number + 1)
    api = await reach()
    first = await api.shown("/board", limit=2)
    *titles, moving = objects(first["roots"])
    second = await api.shown("/board", limit=2, before=f"{first['before']}")
    tree = await api.shown("/board", session=str(moving["session_id"]))

    assert [one["title"] for one in titles] == ["said 2", "said 1"]
    assert [(one["profile"], one["depth"]) for one in objects(moving["agents"])] == [("r", 0), ("k", 1)]
    assert [one["state"] for one in objects(moving["agents"])] == ["running", "running"]
    assert (moving["surface"], moving["hidden"]) == ("tree", 0)
    assert [one["title"] for one in objects(second["roots"])] == ["said 0", "begin"]
    assert second["before"] is not None
    assert objects(tree["roots"]) == [moving]
    assert await api.refused("GET", "/board?session=nobody") == (404, "not_found")
    await world.rest()
