"""What pauses a goal, and how it goes on (systems.md 3.7)."""

from postroom.domain.policy import Policy
from postroom.testing.world import World, times
from tests.acceptance.family import Worlds
from tests.acceptance.goal_talk import (
    chains,
    goal_of,
    notices,
    reminders,
    root_id,
    told_root,
    update,
)


async def test_after_three_reminders_without_a_change_the_goal_pauses_itself(world: World) -> None:
    root = world.puppet("r")
    await told_root(world, root)
    for _ in range(3):
        await root.says("I do nothing.")
    await world.turn_end("r", 4)
    await world.quiesce()
    quiet = len(world.requests("r"))
    await world.prompt("r", "why so quiet?")
    request = await root.asked()

    assert quiet == 4
    assert len(reminders(request)) == 3
    assert await goal_of(world) == ("paused", 3)
    assert notices(world) == ["goal_no_progress"]
    assert times("[notice] The goal is paused: after 3 reminders", [request]) == 1
    root.rests()
    await world.check()


async def test_a_change_of_the_list_begins_the_count_anew(world: World) -> None:
    root = world.puppet("r")
    await told_root(world, root)
    for step in range(3):
        await root.says("Nothing.")
        await root.asked()
        await root.does(update((f"step {step}", False)))
    changed = await goal_of(world)
    root.rests()
    await world.quiesce()

    assert changed == ("active", 0)
    assert await goal_of(world) == ("paused", 3)
    assert len(world.events("goal.reminded")) == 7
    await world.check()


async def test_resuming_a_paused_goal_counts_from_nothing_in_a_new_chain(world: World) -> None:
    root = world.puppet("r")
    await told_root(world, root)
    for _ in range(3):
        await root.says("I do nothing.")
    await world.turn_end("r", 4)
    await world.room.goal_resume(root_id(world))
    request = await root.asked()

    assert reminders(request)[-1].startswith('<goal_reminder count="1 of 3">')
    assert await goal_of(world) == ("active", 1)
    assert chains(world)[-1] not in chains(world)[:-1]
    root.rests()
    await world.check()


async def test_a_paused_goal_reminds_nobody(world: World) -> None:
    root = world.puppet("r")
    await told_root(world, root)
    await world.room.goal_pause(root_id(world))
    again = await world.room.goal_pause(root_id(world))
    await root.says("A break, then.")
    await world.quiesce()

    assert again.state == "paused"
    assert len(world.requests("r")) == 2
    assert len(world.events("goal.moved")) == 1
    await world.check()


async def test_a_spent_chain_pauses_the_goal(worlds: Worlds) -> None:
    """The limit of a chain bounds the loop, whatever the list says."""
    world = worlds(policy=Policy(surface="tree", chain_turns_max=3))
    root = world.puppet("r")
    await told_root(world, root)
    for step in range(3):
        await root.asked()
        await root.does(update((f"step {step}", False)))
        await root.says("Next.")
    await world.turn_end("r", 4)
    await world.quiesce()
    quiet = len(world.requests("r"))
    spent = await goal_of(world)
    await world.room.goal_resume(root_id(world))
    request = await root.asked()

    assert quiet == 7
    assert spent == ("paused", 0)
    assert notices(world) == ["goal_chain_spent"]
    assert times("[notice] The goal is paused: the budget of its chain", [request]) == 1
    root.rests()
    await world.check()


async def test_a_reminder_that_no_turn_survives_pauses_its_goal(world: World) -> None:
    """Else the next one would be read by five more turns that die."""
    root = world.puppet("r")
    await told_root(world, root)
    for attempt in range(5):
        await world.request("r", 2 + attempt)
        await world.crash()
        await world.open()
    await world.quiesce()

    assert len(world.requests("r")) == 6
    assert await goal_of(world) == ("paused", 1)
    assert notices(world) == ["quarantined", "goal_quarantined"]
    await world.check()
