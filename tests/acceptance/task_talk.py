"""Calls of the task tools of the `branch` surface, and what their results say."""

import re

from postroom.domain.task import Task
from postroom.llm.port import ResultItem
from postroom.store.tx import Tx
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World

TASK = re.compile(r"t_[0-9a-f]{14}")


def output(task_id: str, *, block: bool = True, timeout_ms: int | None = None) -> ScriptedAnswer:
    """A call of `task_output`; without a timeout the tool's own holds."""
    if timeout_ms is None:
        return call("task_output", task_id=task_id, block=block)
    return call("task_output", task_id=task_id, block=block, timeout=timeout_ms)


def stop(task_id: str, reason: str = "") -> ScriptedAnswer:
    """A call of `task_stop`."""
    return call("task_stop", task_id=task_id, reason=reason)


def listing() -> ScriptedAnswer:
    """A call of `list_tasks`."""
    return call("list_tasks")


def task_in(result: ResultItem | str) -> str:
    """The id of the task that a call has given, or that a line names."""
    text = result if isinstance(result, str) else result.text
    found = TASK.search(text)
    assert found is not None, text
    return found[0]


def tasks(world: World) -> list[Task]:
    """Every task as it is stored, in the order in which they were given."""
    keys = [int(str(e.facts["task"])) for e in world.events("task.queued")]

    def read(tx: Tx) -> list[Task]:
        return [row for key in keys if (row := tx.task_row(key)) is not None]

    return world.room.store.look(read)


def states(world: World) -> dict[str, str]:
    """Id of every task -> its state, in the same order."""
    return {row.public_id: row.state for row in tasks(world)}
