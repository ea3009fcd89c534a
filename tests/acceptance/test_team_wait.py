"""`wait` of a team: what ends it, what it returns, and that mail which may join the turn ends it early."""

import pytest

from postroom.testing.script import call
from postroom.testing.world import texts
from tests.acceptance.family import Worlds
from tests.acceptance.team_work import (
    code,
    crew,
    output,
    passes,
    root,
    spawn,
    wait,
    waited,
    world_of,
)


async def test_a_wait_for_several_tasks_ends_when_all_of_them_have_ended(worlds: Worlds) -> None:
    """Tasks and waits, 2: the call claims every result, so none of them opens a turn or is read twice."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await team.a.starts(wait(*team.tasks))
    await world.event("turn.suspended", agent="a")
    held = world.room.scheduler.slots_held()

    await b.says("five")
    await world.event("task.ended")
    early = team.a.is_asked
    await c.says("seven")
    request = await team.a.asked()
    found = waited(request.items[-1])
    await team.a.says("twelve")
    await world.quiesce()

    assert held == 2
    assert not early
    assert (found.reason, set(found.done), found.still_running) == ("done", set(team.tasks), ())
    assert "five" in found.text
    assert "seven" in found.text
    assert found.mail_waiting == 0
    assert sum("five" in text for text in texts(request)) == 1
    assert len(world.requests("a")) == 3
    await world.check()
