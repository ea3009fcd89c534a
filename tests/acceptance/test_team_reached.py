"""Who waits in a team can be reached: mail that may join the turn ends a wait, other mail does not (G13)."""

from postroom.testing.puppet import results_of
from postroom.testing.script import call
from postroom.testing.world import texts, times
from tests.acceptance.family import Worlds
from tests.acceptance.team_work import (
    crew,
    output,
    passes,
    root,
    spawn,
    wait,
    waited,
    waits,
    world_of,
)
from tests.acceptance.teams import message, receipt


async def test_an_orchestrator_redirects_a_worker_that_it_waits_for(  # noqa: PLR0915 -- a whole story
    worlds: Worlds,
) -> None:
    """G13: the question ends the wait, is read in the same turn, is answered, and the wait goes on."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await waits(world, team, *team.tasks)

    await b.does(message(root(world), "left or right?"))
    asked = await team.a.asked()
    early = waited(asked)
    (sent,) = await team.a.does(message(team.addresses[0], "right"))
    await team.a.starts(wait(*team.tasks))
    await world.event("turn.suspended", 2, agent="a")
    await b.does(call("list_agents"))
    told = await b.asked()
    await b.says("dug right")
    late = waited(await team.a.asked())
    await team.a.says("good")
    await world.quiesce()

    assert (early.reason, early.done, early.mail_waiting) == ("mail", (), 1)
    assert "left or right?" in texts(asked)[-1]
    assert receipt(sent).line.state == "running"
    assert any("right" in text for text in texts(told))
    assert (late.reason, late.done) == ("done", team.tasks)
    assert "dug right" in late.text
    assert len(world.events("turn.started", agent="a")) == 1
    assert times("left or right?", world.requests("a")) == 1
    await world.check()


async def test_queued_mail_does_not_end_a_wait_and_is_only_counted(worlds: Worlds) -> None:
    """G13: other waiting mail is named in the result; it opens the next turn."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await waits(world, team, *team.tasks, timeout_s=20)

    await b.does(message(root(world), "for later", mode="queue"))
    early = team.a.is_asked
    await passes(world, 20)
    found = waited(await team.a.asked())

    assert not early
    assert (found.reason, found.still_running, found.mail_waiting) == ("timeout", team.tasks, 1)
    await team.a.says("I rest")
    assert "for later" in texts(await team.a.asked())[-1]
    await world.check()


async def test_the_persons_steer_ends_a_wait_and_queued_text_does_not(worlds: Worlds) -> None:
    """G13: text of the person may join the running turn as mail may."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await waits(world, team, *team.tasks)

    await world.room.send(root(world), "for later", mode="queue")
    early = team.a.is_asked
    await world.room.send(root(world), "look up", mode="steer")
    request = await team.a.asked()

    assert not early
    assert (waited(request).reason, waited(request).mail_waiting) == ("mail", 2)
    assert "look up" in texts(request)[-1]
    await world.check()


async def test_mail_that_waits_already_ends_a_wait_at_once(worlds: Worlds) -> None:
    """What came after the last boundary is not waited for again."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await b.does(message(root(world), "hello"))
    (found,) = await team.a.does(wait(*team.tasks))

    assert (waited(found).reason, waited(found).mail_waiting) == ("mail", 1)
    assert "hello" in texts(await team.a.asked())[-1]
    assert not world.events("call.waiting")
    await world.check()


async def test_a_blocking_agent_gives_the_turn_back_for_mail_and_its_result_comes_by_itself(
    worlds: Worlds,
) -> None:
    """G13; Tasks and waits, 5: the child goes on in the background."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    await a.starts(spawn("dig", background=False, profile="b"))
    await b.asked()
    await world.event("turn.suspended", agent="a")
    await b.does(message(root(world), "where?"))
    request = await a.asked()
    (early,) = results_of(request)
    await a.says("I wait")
    await b.says("dug")
    late = await a.asked()

    assert not early.is_error
    assert "goes on in the background" in early.text
    assert "where?" in texts(request)[-1]
    assert "dug" in texts(late)[-1]
    assert times("dug", world.requests("a")) == 1
    await world.check()


async def test_a_look_at_a_task_that_blocks_gives_the_turn_back_for_mail(worlds: Worlds) -> None:
    """G13: `task_output` as well."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await team.a.starts(output(team.tasks[0], timeout_ms=60_000))
    await world.event("turn.suspended", agent="a")
    await b.does(message(root(world), "where?"))
    request = await team.a.asked()
    (early,) = results_of(request)

    assert not early.is_error
    assert "status=running" in early.text
    assert "message waits" in early.text
    assert "where?" in texts(request)[-1]
    await world.check()


async def test_two_blocking_agents_of_one_round_wait_for_each_other_and_not_for_mail(worlds: Worlds) -> None:
    """The result that one call waits for is no mail to the call beside it."""
    world = world_of(worlds)
    a, b, c = world.puppet("a", delegates_to=("b", "c")), world.puppet("b"), world.puppet("c")
    await world.prompt("a", "begin")
    await a.starts(spawn("five", background=False, profile="b"), spawn("six", background=False, profile="c"))
    await world.event("call.waiting", 2)
    await b.says("five")
    await world.event("task.ended")
    early = a.is_asked
    await c.says("six")
    first, second = results_of(await a.asked())

    assert not early
    assert "five" in first.text
    assert "six" in second.text
    await world.check()


async def test_the_result_of_another_task_ends_a_wait(worlds: Worlds) -> None:
    """A result joins as a steer; that of the awaited task is returned, that of another one is mail."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await waits(world, team, team.tasks[0])
    await c.says("six")
    request = await team.a.asked()

    assert waited(request).reason == "mail"
    assert "six" in texts(request)[-1]
    assert b.is_asked
    await world.check()


async def test_results_that_lie_there_when_a_wait_for_them_begins_are_no_mail(worlds: Worlds) -> None:
    """One of two has ended before: the wait goes on until the other has, and returns both."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await b.says("five")
    await world.event("task.ended")
    await waits(world, team, *team.tasks)
    await c.says("six")
    found = waited(await team.a.asked())

    assert (found.reason, found.done) == ("done", team.tasks)
    assert "five" in found.text
    await world.check()
