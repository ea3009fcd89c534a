"""The task tools of `branch`: whose a task is, how it is waited for, and how all of them are listed."""

from dataclasses import replace

import pytest

from postroom.domain.receipt import Refusal
from postroom.errors import Refused
from postroom.observe.lists import task_list
from postroom.testing.puppet import Puppet
from postroom.testing.script import say
from postroom.testing.world import World, texts
from tests.acceptance.branches import POLICY, address, branch_world, crew, dispatch, message, pair, spawn
from tests.acceptance.family import Worlds
from tests.acceptance.task_talk import listing, output, states, stop, task_in
from tests.acceptance.team_work import begins, passes

DEEP = replace(POLICY, generations_max=None)
WIDE = replace(POLICY, fan_out_max=None)


async def test_a_wait_returns_the_result_when_the_task_ends(worlds: Worlds) -> None:
    """OP-71, G13: the tool result is the claim, so no further turn is opened for the result."""
    world = branch_world(worlds)
    a, b = await pair(world)
    (given,) = await a.does(dispatch(address(world, "b"), "count"))
    await b.asked()
    await a.starts(output(task_in(given)))
    await world.event("turn.suspended", agent="a")
    await b.says("seven")
    request = await a.asked()
    await a.says("thanks")
    await world.quiesce()

    assert texts(request)[-1].startswith("seven")
    assert "status=completed" in texts(request)[-1]
    assert len(world.requests("a")) == 3
    await world.check()


@pytest.mark.parametrize(("timeout_ms", "waits_s"), [(1_500, 1.5), (None, 30.0), (9_000_000, 600.0)], ids=str)
async def test_a_wait_ends_at_its_time_and_says_that_the_task_still_runs(
    worlds: Worlds, timeout_ms: int | None, waits_s: float
) -> None:
    """OP-71: milliseconds, 30,000 without a word, never more than 600,000."""
    world = branch_world(worlds)
    a, b = await pair(world)
    (given,) = await a.does(dispatch(address(world, "b")))
    await b.asked()
    await begins(world, a, "a", output(task_in(given), timeout_ms=timeout_ms))
    held = world.room.scheduler.slots_held()

    await passes(world, waits_s - 0.5)
    early = a.is_asked
    await passes(world, 0.5)
    request = await a.asked()

    assert held == 1  # b's: whoever waits holds none
    assert not early
    assert "status=running" in texts(request)[-1]
    a.rests()
    await b.says("late")
    await world.check()


async def test_a_look_does_not_wait(worlds: Worlds) -> None:
    """OP-71: `block=false` is a peek, at a task that runs and at one that has ended."""
    world = branch_world(worlds)
    a, b = await pair(world)
    (given,) = await a.does(dispatch(address(world, "b")))
    await b.asked()
    (early,) = await a.does(output(task_in(given), block=False))
    await b.says("done so")
    await world.event("task.ended")
    (late,) = await a.does(output(task_in(given), block=False))
    await a.says("good")
    await world.quiesce()

    assert "status=running" in early.text
    assert not early.is_error
    assert "done so" in late.text
    assert len(world.requests("a")) == 4
    await world.check()


async def test_an_id_that_names_no_task_is_an_error(worlds: Worlds) -> None:
    """OP-69: unknown id."""
    world = branch_world(worlds)
    a, _ = await pair(world)

    results = await a.does(output("t_00000000000000"), stop("nonsense"))

    assert all(result.is_error for result in results)
    assert [e.facts["code"] for e in world.events("delegation.refused")] == ["unknown_task"] * 2
    await world.check()


async def test_a_foreign_agent_can_neither_read_nor_stop_a_task(worlds: Worlds) -> None:
    """OP-69: neither the agent that runs it, nor one beside it, nor another session."""
    world = branch_world(worlds)
    other = world.puppet("o")
    a, b, s = await crew(world, "b", "s")
    await world.prompt("o", "begin")
    (listed,) = await a.does(listing())
    task = task_in(listed.text.splitlines()[-1])

    from_within = await b.does(output(task), stop(task))
    from_beside = await s.does(output(task, block=False), stop(task))
    from_elsewhere = await other.does(output(task, block=False), stop(task))

    for result in (*from_within, *from_beside, *from_elsewhere):
        assert result.is_error
        assert f"task {task} was not dispatched by this session" in result.text
    assert set(states(world).values()) == {"running"}
    await world.check()


async def test_an_ancestor_reads_a_task_and_its_result_stays_for_the_dispatcher(worlds: Worlds) -> None:
    """OP-69: whoever is above the dispatcher may look, and takes nothing away."""
    world = branch_world(worlds, DEEP)
    k = world.puppet("k")
    a, b = await crew(world, "b")
    (given,) = await b.does(spawn("deep", agent_id="k"))
    await b.says("waiting")
    await k.says("found it")
    await b.asked()
    await b.says("noted")
    (seen,) = await a.does(output(task_in(given)))

    assert "found it" in seen.text
    assert any("found it" in text for request in world.requests("b") for text in texts(request))
    await world.check()


async def test_a_task_that_grew_out_of_a_message_belongs_to_the_line_it_grew_from(worlds: Worlds) -> None:
    """OP-69, OP-75: B hands out K while it answers mail that A wrote under its own task."""
    world = branch_world(worlds, DEEP)
    k, c = world.puppet("k"), world.puppet("c")
    root, b = await crew(world, "b")
    await world.prompt("c", "hello")
    await c.says("hello")
    await world.turn_end("c")
    await b.does(message(address(world, "c"), "please look"))
    await c.asked()
    (given,) = await c.does(spawn("dig", agent_id="k"))
    await k.asked()

    (by_line,) = await b.does(output(task_in(given), block=False))
    (by_root,) = await root.does(stop(task_in(given)))

    assert "status=running" in by_line.text
    assert not by_root.is_error
    assert states(world)[task_in(given)] == "cancelled"
    await world.check()


async def test_whoever_asks_from_no_conversation_may(worlds: Worlds) -> None:
    """OP-69: the person reads and ends every task."""
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    (task,) = states(world)

    (seen,) = world.room.store.look(task_list, None)
    stopped = await world.room.office.end_any_task(task)
    again = await world.room.office.end_any_task(task)
    missing = await world.room.office.end_any_task("t_1")

    assert (seen.task_id, seen.state) == (task, "running")
    assert not isinstance(stopped, Refusal)
    assert (stopped.view.had_ended, stopped.view.task.status) == (False, "cancelled")
    assert not isinstance(again, Refusal)
    assert again.view.had_ended
    assert isinstance(missing, Refusal)
    assert missing.code == "unknown_task"
    await a.says("waiting")
    assert "cancelled" in texts(await a.asked())[-1]
    assert not b.is_asked
    await world.check()


async def test_the_person_cancels_one_task_by_its_id_and_the_turn_before_it_goes_on(worlds: Worlds) -> None:
    """OP-55, OP-57: as `task_stop` does; twice is refused."""
    world = branch_world(worlds)
    a, b = await pair(world)
    await world.prompt("b", "something else")
    await b.asked()
    (given,) = await a.does(dispatch(address(world, "b")))
    await world.room.cancel(task_in(given))
    with pytest.raises(Refused) as again:
        await world.room.cancel(task_in(given))
    with pytest.raises(Refused) as unknown:
        await world.room.cancel("t_00000000000000")
    await b.says("something done")
    await a.says("waiting")

    assert (again.value.refusal_code, unknown.value.refusal_code) == ("already_ended", "unknown_task")
    assert "cancel.user" in texts(await a.asked())[-1]
    assert [e.facts["state"] for e in world.events("turn.ended", agent="b")] == ["finished"] * 2
    await world.check()


async def test_a_list_shows_the_newest_fifty_clipped(worlds: Worlds) -> None:
    """OP-72: newest first, at most 50 rows, a subject of at most 80 characters."""
    world = branch_world(worlds, WIDE)
    a = world.puppet("a")
    world.agent("k", *([say("done")] * 60))
    await world.prompt("a", "begin")
    await a.does(*(spawn(f"number {n}", agent_id="k", description=f"number {n}") for n in range(51)))
    await a.does(spawn("x" * 300, agent_id="k"), dispatch(address(world, "k"), "word " * 40))
    (listed,) = await a.does(listing())

    lines = listed.text.splitlines()
    assert len(lines) == 50
    assert "word word" in lines[0]
    assert "xxx" in lines[1]
    assert "number 50" in lines[2]
    assert "number 3" in lines[-1]
    subjects = [line.partition(" — ")[2].rpartition(" to=")[0] for line in lines[:2]]
    assert all(len(subject) <= 80 for subject in subjects)
    await world.check()


async def test_a_list_holds_what_descendants_have_handed_out_and_nothing_of_others(worlds: Worlds) -> None:
    """OP-72: of the caller's branch and of those below it."""
    world = branch_world(worlds, DEEP)
    k = world.puppet("k")
    a, b, c = await crew(world, "b", "c")
    await b.does(spawn("below", agent_id="k"))
    await k.asked()

    (of_a,) = await a.does(listing())
    (of_b,) = await b.does(listing())
    (of_c,) = await c.does(listing())

    assert len(of_a.text.splitlines()) == 3
    assert len(of_b.text.splitlines()) == 1
    assert of_c.text == "(no tasks)"
    await world.check()


async def test_each_step_of_a_task_is_in_the_log(worlds: Worlds) -> None:
    """OP-73: given, lined up behind another turn, started, ended; one event for each transition."""
    world = branch_world(worlds)
    a, b = await pair(world)
    await world.prompt("b", "something else")
    await b.asked()
    (given,) = await a.does(dispatch(address(world, "b")))
    pending = states(world)[task_in(given)]
    await b.says("something done")
    await b.asked()
    running = states(world)[task_in(given)]
    await b.says("task done")
    await world.event("task.ended")

    kinds = [e.kind for e in world.events() if e.kind.startswith("task.")]
    assert (pending, running) == ("pending", "running")
    assert kinds == ["task.queued", "task.lined_up", "task.started", "task.ended"]
    assert world.events("task.queued")[0].facts["id"] == task_in(given)
    await world.check()


async def waits_for_b(world: World) -> tuple[Puppet, Puppet]:
    """A, which waits for a task that B runs."""
    a, b = await pair(world)
    (given,) = await a.does(dispatch(address(world, "b")))
    await b.asked()
    await a.starts(output(task_in(given)))
    await world.event("turn.suspended", agent="a")
    return a, b


async def test_a_wait_for_whoever_waits_for_the_caller_is_refused(worlds: Worlds) -> None:
    """G13: A waits for B, and B would wait for what lies behind A's turn; a look is no wait."""
    world = branch_world(worlds)
    _, b = await waits_for_b(world)
    (given,) = await b.does(dispatch(address(world, "a")))
    (waited,) = await b.does(output(task_in(given)))
    (looked,) = await b.does(output(task_in(given), block=False))

    assert waited.is_error
    assert [e.facts["code"] for e in world.events("delegation.refused")] == ["would_deadlock"]
    assert "status=pending" in looked.text
    await world.check()


async def test_a_circle_of_waits_over_a_third_agent_is_refused(worlds: Worlds) -> None:
    """G13: A waits for B, B waits for C, and C would wait for A."""
    world = branch_world(worlds)
    c = world.puppet("c")
    _, b = await waits_for_b(world)
    await world.prompt("c", "hello")
    await c.says("hello")
    await world.turn_end("c")
    (for_c,) = await b.does(dispatch(address(world, "c")))
    await c.asked()
    await b.starts(output(task_in(for_c)))
    await world.event("turn.suspended", 2)
    (for_a,) = await c.does(dispatch(address(world, "a")))
    (waited,) = await c.does(output(task_in(for_a)))

    assert waited.is_error
    assert "would_deadlock" in waited.text
    await world.check()
