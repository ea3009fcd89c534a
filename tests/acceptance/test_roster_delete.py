"""`roster`: what was said on a bus goes with the last session that has read it."""

from postroom.observe.doctor import examine
from postroom.testing.script import say
from tests.acceptance.bus_team import assistant, make, post, roster_world, workers
from tests.acceptance.family import Worlds
from tests.acceptance.test_tree_delete import holding

SECRET = "the combination is 4711"


async def test_the_texts_of_a_bus_go_with_the_last_session_that_read_them(worlds: Worlds) -> None:
    """G12: broadcasts, joined items, what nobody read, and the record of that."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"one": [post("everyone", SECRET), say("done")]})
    root = (await world.prompt("assistant", "begin")).session_id
    await a.does(make("researcher", "one"))
    await world.prompt("assistant", f"and {SECRET}")
    await a.does(post("researcher", f"again {SECRET}"))
    await a.says("done")
    await world.quiesce()
    child = world.view("researcher").session_id
    assert await world.room.search("combination")

    await world.room.delete(root)
    left = holding(world.folder, SECRET)
    await world.room.delete(child)

    assert "message" in left
    assert await world.room.search("combination") == []
    assert holding(world.folder, SECRET) == []
    assert examine(world.folder).findings == ()
    await world.check()
