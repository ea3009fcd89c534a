"""O-40 on `branch`: however a task ends, its dispatcher reads once how, and the list says the same."""

import re
from collections.abc import Mapping
from dataclasses import replace

from postroom.domain.plain import Json
from postroom.errors import ModelFault
from postroom.service.task_list import list_tasks
from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.branches import POLICY, address, branch_world, dispatch, spawn
from tests.acceptance.family import Worlds
from tests.acceptance.task_talk import output, task_in, tasks

NAMES: tuple[str, ...] = ("fatal", "panic", "capped", "empty", "doomed", "killed")
ENDS = {
    "fatal": ("failed", "no such model"),
    "panic": ("failed", "panic raised Panic"),
    "capped": ("round_cap", "round_cap"),
    "empty": ("empty", "empty"),
    "doomed": ("cancelled", "cancel.user"),
    "dropped": ("cancelled", "overflow"),
    "killed": ("interrupted", "the process ended"),
}


class Panic(BaseException):
    """What no tool may raise."""


async def _panic(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
    raise Panic


async def begin(world: World) -> tuple[Puppet, dict[str, Puppet], dict[str, str]]:
    """The root, six agents at work, and the ids of seven tasks; the last one waits behind a turn."""
    world.tool("panic", _panic)
    root = world.puppet("r")
    crew = {
        name: world.puppet(name, tools=("panic",), max_rounds=1 if name == "capped" else None)
        for name in NAMES
    }
    await world.prompt("r", "begin")
    given = await root.does(*(spawn(name, agent_id=name, description=name) for name in NAMES))
    for puppet in crew.values():
        await puppet.asked()
    (dropped,) = await root.does(dispatch(address(world, "killed"), "never", description="dropped"))
    ids = dict(zip((*NAMES, "dropped"), map(task_in, (*given, dropped)), strict=True))
    return root, crew, ids


async def end_each(
    world: World, root: Puppet, crew: Mapping[str, Puppet], ids: Mapping[str, str]
) -> list[str]:
    """Each ends in its own way; what the root reads of the two that it waits for."""
    await crew["fatal"].fails(ModelFault("no such model"))
    await crew["panic"].starts(call("panic"))
    await crew["capped"].starts(call("panic"))
    await crew["empty"].says(" ")
    await world.room.cancel(ids["doomed"])
    await root.does(dispatch(address(world, "killed"), "the next one", description="next"))
    await world.event("task.ended", 6)
    waited = await root.does(output(ids["fatal"]), output(ids["dropped"]))
    await root.says("waiting")
    await world.crash()
    await world.open()
    await world.rest()
    return [result.text for result in waited]


def times_told(told: str, task: str) -> int:
    """How often an end of a task stands in a conversation: as a result, or in a call that waited for it."""
    return len(re.findall(rf"\[result of task {task} |\[task (?:errored|cancelled)\] task_id={task}\n", told))


async def test_seven_ends_are_told_apart_once_each(worlds: Worlds) -> None:
    """O-40: error, panic, cap, no text, cancel, a full mailbox, the death of the process."""
    world = branch_world(worlds, replace(POLICY, mailbox_cap=1, concurrency=8))
    root, crew, ids = await begin(world)
    waited = await end_each(world, root, crew, ids)
    told = "\n".join(texts(world.requests("r")[-1]))
    rows = {row.public_id: row for row in tasks(world)}
    listed = {line.task_id: line for line in world.room.store.look(list_tasks, rows[ids["fatal"]].dispatcher)}

    for name, (outcome, cause) in ENDS.items():
        row, line = rows[ids[name]], listed[ids[name]]
        assert row.outcome == line.outcome == outcome, name
        assert cause in row.cause, name
        assert (line.state, line.cause) == (row.state, row.cause), name
        assert times_told(told, ids[name]) == 1, name
    assert "no such model" in waited[0]
    assert "overflow" in waited[1]
    assert len({rows[ids[name]].cause for name in ENDS}) == len(ENDS)
    await world.check()
