"""What a start of the process finds of tasks: those of a dead one end and are reported, the others stay."""

import sqlite3
from contextlib import closing

from postroom.store.connect import DATABASE_NAME
from postroom.testing.world import texts
from tests.acceptance.branches import address, branch_world, crew, dispatch, pair, spawn
from tests.acceptance.family import Worlds
from tests.acceptance.task_talk import listing, states, task_in, tasks


async def test_tasks_of_a_dead_process_end_as_errors_and_are_reported(worlds: Worlds) -> None:
    """OP-68, O-40: interrupted, with its cause; what had ended before is not touched."""
    world = branch_world(worlds)
    a, b, c = await crew(world, "b", "c")
    await b.says("done before")
    await world.event("task.ended")
    await a.says("waiting")
    await a.asked()
    await a.says("noted")
    await world.turn_end("a", 2)
    before = tasks(world)

    await world.crash()
    await world.open()
    request = await a.asked()
    (listed,) = await a.does(listing())
    after = tasks(world)

    assert [row.state for row in before] == ["completed", "running"]
    assert [row.state for row in after] == ["completed", "errored"]
    assert after[0] == before[0]
    assert (after[1].outcome, after[1].cause) == ("interrupted", "the process ended")
    assert "the process ended" in texts(request)[-1]
    assert "errored" in listed.text
    assert not c.is_asked
    await world.check()


async def test_tasks_that_wait_outlive_the_process(worlds: Worlds) -> None:
    """OP-68: a pending task is the same row after a restart, and runs when its agent is free."""
    world = branch_world(worlds)
    a, b = await pair(world)
    await world.prompt("b", "something else")
    await b.asked()
    (given,) = await a.does(dispatch(address(world, "b"), "the task", description="a label"))
    await a.says("waiting")
    await world.turn_end("a")
    (before,) = tasks(world)
    await world.reopen()
    after = world.room.store.look(lambda tx: tx.task_row(before.key))
    assert after is not None
    assert (before.state, before.public_id) == ("pending", task_in(given))
    assert after.public_id == before.public_id
    await world.rest()

    assert states(world)[task_in(given)] == "completed"
    await world.check()


async def test_rows_that_say_running_and_hang_in_a_circle_end_at_the_start(worlds: Worlds) -> None:
    """OP-68, O-18: two old tasks, each the parent of the other, which no turn runs."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("a", "begin")
    await a.does(spawn(agent_id="b"), spawn(agent_id="b"))
    b.rests()
    a.rests()
    await world.quiesce()
    await world.close()
    with closing(sqlite3.connect(world.folder / DATABASE_NAME)) as connection:
        first, second = (key for (key,) in connection.execute("SELECT id FROM task ORDER BY id"))
        for key, parent in ((first, second), (second, first)):
            connection.execute(
                "UPDATE task SET state = 'running', parent_task_id = ? WHERE id = ?", (parent, key)
            )
        connection.commit()
    await world.open()
    await world.quiesce()

    assert list(states(world).values()) == ["errored", "errored"]
