"""An entry of a board that is not what the log says."""

from pathlib import Path

import pytest

from postroom.observe.doctor import examine, repair
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.branches import branch_world
from tests.acceptance.damage import codes, sql
from tests.acceptance.family import Worlds

DAMAGES = {
    "an entry is done that was not": ("UPDATE todo SET status = 'completed' WHERE number = 1", "todo"),
    "an entry is another one's": ("UPDATE todo SET owner_branch_id = 9 WHERE number = 1", "todo"),
    "an entry blocks no more": ("UPDATE todo SET blocked_by = '[]' WHERE number = 2", "todo"),
    "a session was never active": ("UPDATE session SET last_active_us = 0", "session"),
}


async def board_store(worlds: Worlds) -> tuple[World, Path]:
    """A store with a board of two entries."""
    world = branch_world(worlds)
    a = world.puppet("a")
    await world.prompt("a", "begin")
    await a.does(call("todo_create", subject="dig"))
    await a.does(call("todo_create", subject="drink", blocked_by="1"))
    await a.says("planned")
    await world.quiesce()
    await world.close()
    return world, world.folder


@pytest.mark.parametrize(("damage", "table"), DAMAGES.values(), ids=DAMAGES)
async def test_a_board_that_differs_from_its_log_is_mended_once(
    worlds: Worlds, damage: str, table: str
) -> None:
    """G12"""
    world, folder = await board_store(worlds)
    assert examine(folder).findings == ()
    sql(folder, damage)

    seen = codes(examine(folder))
    mended = repair(folder)

    assert seen == {("row_differs", table)}
    assert mended.ok, list(mended.lines())
    assert repair(folder).mended == ()
    await world.check()


async def test_an_entry_that_is_gone_is_said_and_stays_gone(worlds: Worlds) -> None:
    """Its words are not in the log."""
    _, folder = await board_store(worlds)
    sql(folder, "DELETE FROM todo WHERE number = 1")

    assert codes(examine(folder)) == {("row_missing", "todo")}
    assert codes(repair(folder)) == {("row_missing", "todo")}
