"""The doctor knows what calls wait for, and puts it back (G12)."""

import pytest

from postroom.observe.doctor import examine, repair
from tests.acceptance.damage import codes, sql
from tests.acceptance.family import Worlds
from tests.acceptance.team_work import crew, waited, waits, world_of

DAMAGES = {
    "its targets are gone": "DELETE FROM wait_target",
    "it has another target": "UPDATE wait_target SET task_id = NULL, branch_id = 1 WHERE task_id IS NOT NULL",
    "it is gone": "DELETE FROM wait",
    "mail does not end it": "UPDATE wait SET by_mail = 0",
    "it ends with the first": "UPDATE wait SET kind = 'first'",
    "it looks at changes": "UPDATE wait SET since_pos = 7",
}


@pytest.mark.parametrize("damage", list(DAMAGES))
async def test_a_wait_that_differs_from_its_log_is_mended_once(worlds: Worlds, damage: str) -> None:
    """Then the turn goes on in the next process, and its wait returns what it was for."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await waits(world, team, *team.tasks, team.addresses[0])
    await world.crash()
    sql(world.folder, DAMAGES[damage])

    found = examine(world.folder)
    repair(world.folder)
    after = examine(world.folder)
    await world.open()
    (b,) = team.others
    await b.asked()
    await b.says("dug")
    result = waited(await team.a.asked())

    assert {table for _, table in codes(found)} == {"wait"}
    assert not after.findings
    assert (result.reason, set(result.done)) == ("done", {*team.tasks, *team.addresses})
    await world.check()
