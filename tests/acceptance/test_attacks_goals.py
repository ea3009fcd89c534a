"""Attacks on goals: what an agent waits for is taken away in every way, and it is still kept at its goal."""

import pytest

from postroom.domain.policy import Policy
from postroom.testing.world import World, times
from tests.acceptance.family import Worlds, delegate


async def waiting(world: World, n_children: int) -> str:
    """A root with a goal whose turn has ended, and whose children were stopped before they began."""
    root = world.puppet("r", delegates_to=("b",))
    world.puppet("b")
    session = (await world.prompt("r", "begin")).session_id
    await root.does(*(delegate("b", f"task {n}") for n in range(n_children)))
    await world.room.goal_set(session, "dig a hole")
    for view in world.views():
        if view.profile == "b":
            await world.room.stop(view.session_id)
    await root.says("waiting")
    await world.turn_end("r")
    return session


@pytest.mark.parametrize("n_children", [1, 3])
async def test_a_goal_that_waited_for_tasks_goes_on_when_a_revert_ends_them(
    worlds: Worlds, n_children: int
) -> None:
    """How-to goals: a reminder comes when no task is open any more, whoever has ended the last one."""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    session = await waiting(world, n_children)
    assert not world.puppets["r"].is_asked

    await world.room.revert(session, "1")

    request = await world.puppets["r"].asked()
    assert times("dig a hole", [request]) == 1
    await world.check()


async def test_a_goal_that_waited_for_a_task_goes_on_when_the_person_cancels_it(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    await waiting(world, 1)

    await world.room.cancel(world.view("b").session_id)

    await world.puppets["r"].asked()
    await world.check()
