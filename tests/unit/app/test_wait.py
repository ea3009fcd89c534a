"""Waiting for a tree means until it is quiet, however the first turn of it ended."""

import asyncio

from postroom.errors import ModelAuth
from postroom.testing.script import call
from postroom.testing.world import World


async def test_a_tree_is_waited_for_although_its_first_turn_failed(world: World) -> None:
    """G8: the child's result wakes the root again, and that later end is what counts."""
    root = world.puppet("r", delegates_to=("k",))
    child = world.puppet("k")
    prompt = await world.prompt("r", "begin")
    await root.asked()
    await root.does(call("delegate_subagent", description="d", prompt="p", agent_type="k", background=True))
    waiting = asyncio.create_task(world.room.wait(prompt, tree=True))
    await root.fails(ModelAuth("no"))
    await world.turn_end("r")

    await child.says("it is done")
    await root.says("now all is done")

    end = await waiting
    assert (end.state, end.text) == ("finished", "now all is done")
    await world.check()


async def test_a_first_turn_that_failed_alone_is_the_end_of_its_tree(world: World) -> None:
    """G8: nothing is left that could still change it."""
    root = world.puppet("r")
    prompt = await world.prompt("r", "begin")
    await root.fails(ModelAuth("no"))

    end = await world.room.wait(prompt, tree=True)

    assert end.state == "failed"
    assert end.reason.startswith("model_auth")
    await world.check()
