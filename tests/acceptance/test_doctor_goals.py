"""A goal that is not what the log says."""

from pathlib import Path

import pytest

from postroom.observe.doctor import examine, repair
from postroom.testing.world import World
from tests.acceptance.damage import codes, sql
from tests.acceptance.goal_talk import told_root, update

DAMAGES = {
    "a goal is reached that was not": "UPDATE goal SET state = 'completed'",
    "a goal was never paused": "UPDATE goal SET state = 'active'",
    "a reminder was not counted": "UPDATE goal SET reminders = 2",
    "a reminder is another message": "UPDATE goal SET message_id = 1",
}


async def goal_store(world: World) -> Path:
    """A root whose goal has paused itself."""
    root = world.puppet("r")
    await told_root(world, root)
    await root.does(update(("dig", False)))
    root.rests()
    await world.quiesce()
    await world.close()
    return world.folder


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_goal_that_differs_from_its_log_is_mended_once(world: World, damage: str) -> None:
    """G12"""
    folder = await goal_store(world)
    assert examine(folder).findings == ()
    sql(folder, damage)

    seen = codes(examine(folder))
    mended = repair(folder)

    assert seen == {("row_differs", "goal")}
    assert mended.ok, list(mended.lines())
    assert repair(folder).mended == ()
    await world.check()


async def test_a_goal_that_is_gone_is_said_and_stays_gone(world: World) -> None:
    """Its words are not in the log."""
    folder = await goal_store(world)
    sql(folder, "DELETE FROM goal")

    assert codes(examine(folder)) == {("row_missing", "goal")}
    assert codes(repair(folder)) == {("row_missing", "goal")}
