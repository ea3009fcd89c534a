"""Stop in a team: paused with its mail kept; waits say so; slots are held by nobody who only waits."""

from dataclasses import replace

import pytest

from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.testing.puppet import results_of
from postroom.testing.script import Gate, call, held, say
from postroom.testing.world import texts, times
from tests.acceptance.family import Worlds
from tests.acceptance.task_talk import states
from tests.acceptance.team_work import (
    crew,
    dispatch,
    output,
    root,
    spawn,
    task_in,
    wait,
    waited,
    world_of,
)
from tests.acceptance.teams import message, receipt


async def test_a_wait_for_a_task_of_an_agent_that_is_stopped_says_so(worlds: Worlds) -> None:
    """product.md section 4, Stop: its task ends cancelled, which is what the wait returns."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await team.a.starts(wait(*team.tasks))
    await world.event("turn.suspended", agent="a")
    await world.room.stop(team.addresses[0])
    found = waited(await team.a.asked())

    assert (found.reason, found.done) == ("done", team.tasks)
    assert "cancel.user" in found.text
    await world.check()


async def test_a_wait_for_an_agent_that_is_stopped_returns(worlds: Worlds) -> None:
    """`target_stopped`: while it waits, and when it begins to."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    await team.a.starts(wait(*team.addresses))
    await world.event("turn.suspended", agent="a")
    await world.room.stop(team.addresses[0])
    found = waited(await team.a.asked())
    (again,) = await team.a.does(wait(team.addresses[0]))

    assert (found.reason, found.done, set(found.still_running)) == ("target_stopped", (), set(team.addresses))
    assert team.addresses[0] in found.text
    assert team.addresses[1] not in found.text
    assert waited(again).reason == "target_stopped"
    await world.check()


async def test_a_task_for_an_agent_that_is_stopped_waits_until_it_may_go_on(worlds: Worlds) -> None:
    """The receipt says so, a wait returns `target_stopped`, and after `resume` the task runs."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await world.room.stop(team.addresses[0])
    (given,) = await team.a.does(dispatch(team.addresses[0], "later"))
    (blocked,) = await team.a.does(dispatch(team.addresses[0], "also later", background=False))
    (one,) = await team.a.does(wait(task_in(given)))
    (looked,) = await team.a.does(output(task_in(given)))
    before = states(world)[task_in(given)]
    await world.room.resume(team.addresses[0])
    await b.asked()
    await b.says("done later")
    await b.asked()
    await b.says("done also later")
    (two,) = await team.a.does(wait(task_in(given), task_in(blocked)))

    assert "stopped by the user" in given.text
    assert "was stopped by the person" in blocked.text
    assert (waited(one).reason, before) == ("target_stopped", "pending")
    assert "status=stopped" in looked.text
    assert waited(two).reason in ("done", "mail")
    await world.check()


async def test_mail_for_an_agent_that_is_stopped_is_kept_and_read_when_it_goes_on(worlds: Worlds) -> None:
    """O-17 on `team`: nothing runs again until the person speaks, also after a restart; nothing is lost."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await world.room.stop(team.addresses[0])
    (sent,) = await team.a.does(message(team.addresses[0], "keep this"))
    await team.a.says("well")
    await world.quiesce()
    await world.reopen()
    await world.quiesce()
    before = len(world.requests("b"))
    await world.room.resume(team.addresses[0])
    request = await b.asked()

    assert receipt(sent).line.state == "queued"
    assert before == 1
    assert "keep this" in texts(request)[-1]
    await world.check()


async def test_a_stop_of_the_root_ends_every_wait_below_and_keeps_all_mail(worlds: Worlds) -> None:
    """G11: everything below is paused, no wait is left, and no report wakes anybody."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await b.does(message(team.addresses[1], "for c", mode="queue"))
    await b.starts(wait(team.addresses[1]))
    await world.event("turn.suspended", agent="b")
    await team.a.starts(wait(*team.tasks))
    await world.event("turn.suspended", agent="a")
    await world.room.stop(root(world))
    await world.quiesce()

    assert not c.is_asked
    assert {e.facts["state"] for e in world.events("turn.ended")} == {"stopped"}
    assert not world.room.scheduler.slots_held()
    await world.prompt("a", "go on")
    await team.a.asked()
    await c.asked()
    assert any("for c" in text for text in texts(world.requests("c")[-1]))
    await world.check()


async def test_the_person_reaches_an_agent_that_waits(worlds: Worlds) -> None:
    """G13, G11: a steer ends the wait; the waited-for agent goes on."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await team.a.starts(wait(*team.tasks))
    await world.event("turn.suspended", agent="a")
    await world.room.send(root(world), "how far?", mode="steer")
    request = await team.a.asked()

    assert waited(request).reason == "mail"
    assert team.others[0].is_asked
    await world.check()


async def test_grandchildren_report_to_whoever_gave_the_task(worlds: Worlds) -> None:
    """O-19 on `team`: P has ended before its children; the results wake it, and R above sees their tasks."""
    world = world_of(worlds)
    r, p = world.puppet("r", delegates_to=("p",)), world.puppet("p", delegates_to=("k",))
    k = world.puppet("k")
    await world.prompt("r", "begin")
    await r.does(spawn("work", profile="p", description="p"))
    (given,) = await p.does(spawn("one", profile="k"))
    await p.says("waiting for mine")
    await world.turn_end("p")
    (listed,) = await r.does(call("list_tasks"))
    await k.says("first result")
    woken = await p.asked()

    assert task_in(given) in listed.text
    assert "first result" in texts(woken)[-1]
    assert times("first result", world.requests("r")) == 0
    await world.check()


async def test_results_for_an_agent_that_was_archived_go_to_the_nearest_above(worlds: Worlds) -> None:
    """O-19 on `team`: with P archived, R reads what P asked for, once."""
    world = world_of(worlds)
    r, p = world.puppet("r", delegates_to=("p",)), world.puppet("p", delegates_to=("k",))
    k = world.puppet("k")
    await world.prompt("r", "begin")
    await r.does(spawn("work", profile="p", description="p"))
    await p.does(spawn("one", profile="k"))
    await p.says("waiting for mine")
    await world.turn_end("p")
    await r.does(call("archive_agent", to="p"))
    await k.says("second result")
    await world.event("task.ended", 2)
    await r.says("I wait")
    heir = await r.asked()

    assert times("second result", [heir]) == 1
    assert len(world.requests("p")) == 2
    await world.check()


@pytest.mark.parametrize("slots", [3, 1])
async def test_parents_that_wait_keep_no_slot_from_their_children(worlds: Worlds, slots: int) -> None:
    """O-20 on `team`: three parents block on a child each, which blocks on one more; all of them end."""
    world = world_of(worlds, replace(TEAM_POLICY, concurrency=slots, generations_max=3))
    r = world.puppet("r", delegates_to=("p",))
    world.agent("p", spawn("work", background=False, profile="k"), say("mine has ended"), delegates_to=("k",))
    world.agent("k", spawn("work", background=False, profile="g"), say("mine too"), delegates_to=("g",))
    world.agent("g", say("nobody is below me"))
    await world.prompt("r", "begin")
    made = await r.does(*(spawn("work", profile="p") for _ in range(3)))
    (found,) = await r.does(wait(*map(task_in, made)))
    await r.says("all done")
    await world.quiesce()

    assert waited(found).reason == "done"
    assert {e.facts["outcome"] for e in world.events("task.ended")} == {"succeeded"}
    assert len(world.events("task.ended")) == 9
    await world.check()


async def test_a_process_runs_eight_turns_at_once_and_the_rest_waits(worlds: Worlds) -> None:
    """product.md section 5, 'turns at once': 8 per process; the person's own turn takes none of them."""
    world = world_of(worlds, replace(TEAM_POLICY, fan_out_max=None))
    gate, r = Gate(), world.puppet("r", delegates_to=("w",))
    world.agent("w", *([held(gate, say("done"))] * 10))
    await world.prompt("r", "begin")
    made = await r.does(*(spawn(f"work {n}", profile="w") for n in range(10)))
    await world.request("w", 8)
    (listed,) = await r.does(call("list_agents"))
    gate.open()
    (found,) = await r.does(wait(*map(task_in, made)))

    assert sum(" works" in line for line in listed.text.splitlines()) == 9
    assert sum("waits for a slot" in line for line in listed.text.splitlines()) == 2
    assert len(waited(found).done) == 10
    await world.check()


async def test_a_blocking_agent_that_is_stopped_gives_the_turn_back(worlds: Worlds) -> None:
    """The child is paused and its task ended by the person: the call says so and is an error."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    await a.starts(spawn("dig", background=False, profile="b"))
    await b.asked()
    await world.event("call.waiting", agent="a")
    await world.room.stop(world.handle("b"))
    (found,) = results_of(await a.asked())

    assert found.is_error
    assert "cancel" in found.text
    await world.check()


async def test_a_wait_that_is_cancelled_takes_nothing_with_it(worlds: Worlds) -> None:
    """Cancel ends one turn: what it only waits for goes on, and is a notice to it then."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await team.a.starts(wait(*team.tasks))
    await world.event("turn.suspended", agent="a")
    await world.room.cancel(root(world))
    await b.says("dug")
    await world.quiesce()
    await world.prompt("a", "and now?")
    request = await team.a.asked()

    assert b
    assert any("dug" in text for text in texts(request))
    assert [e.facts["state"] for e in world.events("turn.ended", agent="a")] == ["cancelled"]
    await world.check()


async def test_eight_results_wake_an_idle_agent_for_two_calls_at_most(worlds: Worlds) -> None:
    """O-14 on `team`: what comes before the opening boundary is in it, the rest joins at the next one."""
    world = world_of(worlds)
    gate, r = Gate(), world.puppet("r", delegates_to=("w",))
    world.agent("w", *([held(gate, say("done"))] * 8))
    await world.prompt("r", "begin")
    await r.does(*(spawn(f"work {n}", profile="w") for n in range(8)))
    await r.says("I wait")
    await world.turn_end("r")
    before = len(world.requests("r"))
    gate.open()
    await world.event("task.ended", 8)
    r.rests()
    await world.quiesce()

    assert len(world.requests("r")) - before <= 2
    assert len(world.events("turn.started", agent="r")) == 2
    await world.check()


async def test_a_wait_for_a_message_to_an_agent_that_is_stopped_returns(worlds: Worlds) -> None:
    """`target_stopped`: it will not be read before the person lets that agent go on."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (sent,) = await team.a.does(message(team.addresses[0], "for later", mode="queue"))
    await team.a.starts(wait(receipt(sent).message_id))
    await world.event("turn.suspended", agent="a")
    await world.room.stop(team.addresses[0])
    found = waited(await team.a.asked())

    assert found.reason in ("target_stopped", "mail")
    assert found.still_running == (receipt(sent).message_id,)
    await world.check()


async def test_a_wait_names_the_agent_that_is_stopped_whatever_is_awaited(worlds: Worlds) -> None:
    """A task and a message cannot be stopped; who was, is an agent."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await world.room.stop(team.addresses[0])
    (sent,) = await team.a.does(message(team.addresses[0], "for later"))
    (given,) = await team.a.does(dispatch(team.addresses[0]))

    for target in (team.addresses[0], receipt(sent).message_id, task_in(given)):
        (found,) = await team.a.does(wait(target))
        assert waited(found).reason == "target_stopped"
        assert found.text.splitlines()[1].endswith(f": {team.addresses[0]}.")
    await world.check()


async def test_a_wait_for_whatever_comes_returns_when_nothing_can_come(worlds: Worlds) -> None:
    """All that the agent has handed out waits for agents that the person has stopped."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await team.others[0].says("dug")
    await team.a.does(wait(*team.tasks))
    await team.a.does(message(team.addresses[0], "think"))
    await team.others[0].asked()
    (given,) = await team.a.does(dispatch(team.addresses[0], "later"))
    await team.a.starts(wait())
    await world.event("turn.suspended", agent="a")
    await world.room.stop(team.addresses[0])
    found = waited(await team.a.asked())

    assert (found.reason, found.still_running) == ("target_stopped", (task_in(given),))
    await world.check()
