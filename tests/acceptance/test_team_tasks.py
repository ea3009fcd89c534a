"""Tasks in a team for agents that exist, and agents that go when their task has ended."""

from postroom.testing.puppet import results_of
from postroom.testing.script import call
from postroom.testing.world import texts, times
from tests.acceptance.family import Worlds
from tests.acceptance.team_work import (
    agent_in,
    code,
    crew,
    dispatch,
    root,
    spawn,
    task_in,
    view_of,
    wait,
    waited,
    world_of,
)
from tests.acceptance.teams import message


async def test_a_task_for_an_agent_that_exists_runs_in_a_turn_of_its_own(worlds: Worlds) -> None:
    """Tasks and waits, 1; the result comes back by itself."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    (given,) = await team.a.does(dispatch(team.addresses[0], "and now this"))
    await b.says("dug")
    request = await b.asked()
    await b.says("done that")
    await team.a.says("I wait")
    await world.event("task.ended", 2)
    told = await team.a.asked()

    assert "It begins when its turn ends" in given.text
    assert "and now this" in texts(request)[-1]
    assert any("done that" in text for text in texts(told))
    assert len(world.events("turn.started", agent="b")) == 2
    await world.check()


async def test_a_task_for_an_agent_that_exists_can_be_waited_for_in_the_call(worlds: Worlds) -> None:
    """`background=false` with `to`: the result is the call's."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await b.says("dug")
    await team.a.does(wait(*team.tasks))
    await team.a.starts(dispatch(team.addresses[0], "and now this", background=False))
    await b.asked()
    await world.event("call.waiting", agent="a")
    await b.says("done that")
    request = await team.a.asked()
    (found,) = results_of(request)
    await team.a.says("good")
    await world.quiesce()

    assert found.text.startswith("done that")
    assert agent_in(found) == team.addresses[0]
    assert times("done that", world.requests("a")) == 1
    await world.check()


async def test_a_task_that_is_waited_for_is_refused_where_its_agent_waits_for_the_caller(
    worlds: Worlds,
) -> None:
    """G13: nothing is sent then; the same task in the background is."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await team.a.starts(wait(*team.tasks))
    await world.event("turn.suspended", agent="a")
    (refused,) = await b.does(dispatch(root(world), "help me", background=False))
    before = len(world.events("task.queued"))
    (given,) = await b.does(dispatch(root(world), "help me"))

    assert code(refused) == "would_deadlock"
    assert before == 1
    assert not given.is_error
    await world.check()


async def test_a_waited_for_task_is_waited_for_again_by_the_next_process(worlds: Worlds) -> None:
    """The call is made again, finds its task, and nothing is given twice."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await b.says("dug")
    await team.a.does(wait(*team.tasks))
    await team.a.starts(dispatch(team.addresses[0], "and now this", background=False))
    await b.asked()
    await world.event("turn.suspended", agent="a")
    await world.crash()
    await world.open()
    await b.asked()
    await b.says("done that")
    (found,) = results_of(await team.a.asked())

    assert found.text.startswith("done that")
    assert len(world.events("task.queued")) == 2
    await world.check()


async def test_an_agent_may_be_archived_when_it_is_done(worlds: Worlds) -> None:
    """Its task has ended well or not; its session takes no mail any more, and can be read."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    (made,) = await a.does(spawn("dig", profile="b", archive_when_done=True))
    await b.asked()
    await b.says("dug")
    await world.event("branch.archived")
    (sent,) = await a.does(message(agent_in(made), "more"))
    (read,) = await a.does(call("read_conversation", session_id=view_of(world, agent_in(made)).session_id))

    assert code(sent) == "archived"
    assert "dug" in read.text
    await world.check()


async def test_a_foreground_agent_that_mail_has_cut_off_is_still_archived_when_done(worlds: Worlds) -> None:
    """The wait ended, not the task."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    await a.starts(spawn("dig", background=False, profile="b", archive_when_done=True))
    await b.asked()
    await b.does(message(root(world), "where?"))
    await a.asked()
    await b.says("dug")
    archived = await world.event("branch.archived")
    await a.does(wait())

    assert archived
    await world.check()


async def test_waits_and_tasks_of_one_turn_are_read_once_each(worlds: Worlds) -> None:
    """Tasks and waits, 2: what a wait has returned is not in the mailbox, and not in the next wait."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await b.says("five")
    await world.event("task.ended")
    (one,) = await team.a.does(wait(team.tasks[0]))
    (again,) = await team.a.does(wait(team.tasks[0]))
    await c.says("six")
    await world.event("task.ended", 2)
    (rest,) = await team.a.does(wait())
    await team.a.says("eleven")
    await world.quiesce()

    assert waited(one).done == waited(again).done == (team.tasks[0],)
    assert "five" not in again.text
    assert "read its result before" in again.text
    assert waited(rest).done == (team.tasks[1],)
    assert len([e for e in world.events("message.claimed", agent="a") if e.facts.get("node") is None]) == 2
    assert len(world.events("turn.started", agent="a")) == 1
    await world.check()


async def test_a_task_that_needs_leave_is_held_and_nobody_waits_for_it(worlds: Worlds) -> None:
    """product.md section 5, 'an ask on a send': the call returns at once, also in the foreground."""
    world = world_of(worlds)
    a, o = world.puppet("a"), world.puppet("o")
    await world.prompt("o", "hello")
    await o.says("hello")
    await world.turn_end("o")
    await world.prompt("a", "begin")
    (given,) = await a.does(dispatch(root(world, "o"), "help me", background=False))
    (asked,) = await world.room.asks()
    await world.room.approve(asked.ask_id)
    await o.asked()
    await o.says("helped")
    await world.event("task.ended")
    (found,) = await a.does(wait(task_in(given)))

    assert given.text.startswith("[task held]")
    assert waited(found).done == (task_in(given),)
    assert "helped" in found.text
    await world.check()
