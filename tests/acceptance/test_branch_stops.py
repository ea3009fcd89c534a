"""`task_stop`: what it ends, in which order, and what it leaves alone."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import replace

from postroom.domain.plain import Json
from postroom.runtime.scheduler import STOP_GRACE_S
from postroom.testing.clock import FakeClock
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.branches import POLICY, address, branch_world, crew, dispatch, message, pair, spawn
from tests.acceptance.family import Worlds
from tests.acceptance.task_talk import listing, output, states, stop, task_in

DEEP = replace(POLICY, generations_max=None, messages_max=None)


async def test_a_withdrawn_task_never_runs_and_its_agent_goes_on(worlds: Worlds) -> None:
    """OP-55: taken out of the mailbox of a busy agent, whose turn survives."""
    world = branch_world(worlds)
    a, b = await pair(world)
    await world.prompt("b", "something else")
    await b.asked()
    (given,) = await a.does(dispatch(address(world, "b"), "never do this"))
    (stopped,) = await a.does(stop(task_in(given), "not needed"))
    (listed,) = await a.does(listing())
    await a.says("well")
    await b.says("something done")
    await world.quiesce()

    assert "queued" in given.text
    assert "status=cancelled" in stopped.text
    assert "not needed" in listed.text
    assert not any("never do this" in text for request in world.requests("b") for text in texts(request))
    assert [e.facts["state"] for e in world.events("turn.ended", agent="b")][-1] == "finished"
    assert len(world.requests("a")) == 4  # the stop is the notice
    await world.check()


async def test_of_a_running_task_only_its_turn_ends(worlds: Worlds) -> None:
    """OP-56: the agent lives on, and what waited behind the turn comes next."""
    world = branch_world(worlds)
    a, b = await pair(world)
    (first,) = await a.does(dispatch(address(world, "b"), "first"))
    await b.asked()
    (second,) = await a.does(dispatch(address(world, "b"), "second"))
    (stopped,) = await a.does(stop(task_in(first)))
    request = await b.asked()
    await b.says("second done")
    (waited,) = await a.does(output(task_in(second)))

    assert "status=cancelled" in stopped.text
    assert texts(request)[-1].endswith("second")
    assert waited.text.startswith("second done")
    ends = [e.facts["state"] for e in world.events("turn.ended", agent="b")]
    assert ends == ["finished", "cancelled", "finished"]
    await world.check()


async def test_a_stop_of_a_task_that_has_ended_changes_nothing(worlds: Worlds) -> None:
    """OP-57: completed and cancelled ones alike; the view is returned, and nothing is rewritten."""
    world = branch_world(worlds)
    a, b = await pair(world)
    (done,) = await a.does(dispatch(address(world, "b"), "first"))
    await b.says("done")
    await world.event("task.ended")
    (after_end,) = await a.does(stop(task_in(done)))
    (gone,) = await a.does(dispatch(address(world, "b"), "second"))
    await b.asked()
    await a.does(stop(task_in(gone)))
    (again,) = await a.does(stop(task_in(gone)))
    await a.says("waiting")
    request = await a.asked()

    assert (after_end.is_error, again.is_error) == (False, False)
    assert "status=completed" in after_end.text
    assert "status=cancelled" in again.text
    assert "done" in texts(request)[-1]
    assert len(world.events("task.ended")) == 2
    assert len(world.events("branch.cancelled")) == 1
    await world.check()


def _ended(world: World) -> list[str]:
    """The ids of the tasks that have ended, in the order of their ends."""
    ids = {e.facts["task"]: str(e.facts["id"]) for e in world.events("task.queued")}
    return [ids[e.facts["task"]] for e in world.events("task.ended")]


async def test_a_stop_reaches_everything_below_and_nothing_beside(worlds: Worlds) -> None:
    """OP-12, OP-70: descendants end before the root, a queued one never runs, a sibling goes on."""
    world = branch_world(worlds, replace(DEEP, concurrency=3))
    k, never = world.puppet("k"), world.puppet("never")
    a, b, c = await crew(world, "b", "c")
    (for_k,) = await b.does(spawn("deep", agent_id="k"))
    await k.asked()
    (queued,) = await b.does(spawn("deeper", agent_id="never"))
    (below_k,) = await k.does(spawn("deepest", agent_id="never"))
    of_b, of_c = list(states(world))[:2]
    (stopped,) = await a.does(stop(of_b))
    order = _ended(world)
    await c.says("c is done")
    await a.says("waiting")
    request = await a.asked()
    a.rests()
    await world.quiesce()

    assert "3 tasks" in stopped.text
    assert order[-2:] == [task_in(for_k), of_b]
    assert set(order[:2]) == {task_in(queued), task_in(below_k)}
    assert states(world)[of_c] == "completed"
    assert "c is done" in texts(request)[-1]
    assert not never.model.requests
    assert len(world.requests("b")) == 3  # the ends of its own children wake nobody there
    await world.check()


class Wedge:
    """A tool that cannot be cancelled, until the test lets it end."""

    def __init__(self) -> None:
        self.gate = Gate()

    async def __call__(self, _caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        """Wait for the gate, whatever is cancelled."""
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await self.gate.through()
                return ToolResult(text="too late")


async def test_a_tool_that_does_not_let_go_keeps_no_task_and_no_slot(worlds: Worlds) -> None:
    """OP-56: the task is over and its fence raised at once; its slot goes to others after 30 s."""
    world = branch_world(worlds, replace(POLICY, concurrency=1))
    wedge = Wedge()
    world.tool("hold", wedge)
    a, b, c = world.puppet("a"), world.puppet("b", tools=("hold",)), world.puppet("c")
    await world.prompt("a", "begin")
    first, second = await a.does(spawn(agent_id="b"), spawn(agent_id="c"))
    await b.starts(call("hold"))
    await wedge.gate.reached.wait()
    (stopped,) = await a.does(stop(task_in(first)))
    ends = [e.facts["fence"] for e in world.events("turn.ended")]
    was_kept = not c.is_asked
    await _passes(world, STOP_GRACE_S)
    await c.asked()
    wedge.gate.open()
    await c.says("at last")
    (waited,) = await a.does(output(task_in(second)))

    assert "status=cancelled" in stopped.text
    assert (ends, was_kept) == ([2], True)
    assert waited.text.startswith("at last")
    assert len(world.requests("b")) == 1
    await world.check()


async def test_a_dispatcher_hears_of_a_stop_that_came_from_above(worlds: Worlds) -> None:
    """O-19: an ancestor ends K; B, which gave the task, is told once, and by whom it was not asked."""
    world = branch_world(worlds, DEEP)
    k = world.puppet("k")
    a, b = await crew(world, "b")
    (given,) = await b.does(spawn("deep", agent_id="k"))
    await k.asked()
    await b.says("waiting")
    await a.does(stop(task_in(given), "too expensive"))
    request = await b.asked()

    assert "too expensive" in texts(request)[-1]
    assert [e.facts["kind"] for e in world.events("message.accepted")].count("result") == 2
    await world.check()


async def _passes(world: World, seconds: float) -> None:
    assert isinstance(world.clock, FakeClock)
    await world.clock.advance(seconds)


async def test_what_a_stopped_task_has_handed_out_ends_with_it_wherever_it_waits(worlds: Worlds) -> None:
    """OP-12, OP-70, G11: also at agents that go on, and below a task that had ended before."""
    world = branch_world(worlds, DEEP)
    w, k = world.puppet("w"), world.puppet("k")
    a, b = await pair(world)
    to = address(world, "b")
    await world.prompt("b", "something else")
    await b.asked()
    (for_w,) = await a.does(spawn("work", agent_id="w"))
    await w.asked()
    (for_k,) = await w.does(spawn("deep", agent_id="k"))
    await k.asked()
    (by_k,) = await k.does(dispatch(to, "k's errand"))
    await k.says("done so far")
    await world.event("task.ended")
    (by_w,) = await w.does(dispatch(to, "w's errand"))
    (by_a,) = await a.does(dispatch(to, "the person's errand"))
    await world.room.stop(address(world, "a").partition(":")[0])
    found = states(world)
    await b.says("something else done")

    assert [found[task_in(each)] for each in (for_w, by_w, by_k)] == ["cancelled"] * 3
    assert found[task_in(for_k)] == "completed"
    assert _ended(world)[-1] == task_in(for_w)
    assert texts(await b.asked())[-1].endswith("the person's errand")
    assert found[task_in(by_a)] == "pending"  # no task of another has grown from the person's own turn
    await world.check()


async def test_a_task_given_while_a_reply_is_read_belongs_to_the_task_under_which_was_asked(
    worlds: Worlds,
) -> None:
    """OP-75: W asks under P and W, which has ended since; what it gives on the answer ends with P."""
    world = branch_world(worlds, DEEP)
    p, w, k = world.puppet("p"), world.puppet("w"), world.puppet("k")
    a, b = await pair(world)
    (for_p,) = await a.does(spawn("p's work", agent_id="p"))
    await p.asked()
    (for_w,) = await p.does(spawn("w's work", agent_id="w"))
    await w.asked()
    await w.does(message(address(world, "b"), "a question"))
    await w.says("done")
    await b.says("the answer")
    reply = texts(await w.asked())[-1]
    (for_k,) = await w.does(spawn("k's work", agent_id="k"))
    await k.asked()
    (stopped,) = await a.does(stop(task_in(for_p)))

    assert reply.endswith("the answer")
    assert "status=cancelled" in stopped.text
    assert list(states(world)) == [task_in(each) for each in (for_p, for_w, for_k)]
    assert list(states(world).values()) == ["cancelled", "completed", "cancelled"]
    await world.check()
