"""G13: a wait that would close a cycle of waits is refused, however long the cycle is; none before it is."""

from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.acceptance.team_work import (
    Crew,
    begins,
    code,
    crew,
    dispatch,
    output,
    passes,
    root,
    task_in,
    wait,
    waited,
    world_of,
)
from tests.acceptance.teams import message, receipt

FIVE = ("b", "c", "d", "e")


def refusals(world: World) -> list[str]:
    """The codes of every refused wait so far."""
    return [str(e.facts["code"]) for e in world.events("delegation.refused")]


async def test_a_wait_for_oneself_is_refused(worlds: Worlds) -> None:
    """A cycle of length 1, by every address that the agent has."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    (by_handle,) = await b.does(wait(team.addresses[0]))
    (by_name,) = await b.does(wait("b"))
    (by_id,) = await b.does(wait(world.view("b").session_id))

    assert [code(found) for found in (by_handle, by_name, by_id)] == ["would_deadlock"] * 3
    assert not world.events("call.waiting")
    await world.check()


async def test_two_agents_that_wait_for_each_other_are_refused(worlds: Worlds) -> None:
    """A cycle of length 2: A waits for B's task, and B would wait for A."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await begins(world, team.a, "a", wait(*team.tasks))
    (found,) = await b.does(wait(root(world)))

    assert code(found) == "would_deadlock"
    assert len(world.events("call.waiting")) == 1
    await b.says("dug")
    assert waited(await team.a.asked()).reason == "done"
    await world.check()


async def _four_wait_in_a_row(world: World) -> Crew:
    """A waits for B's task; B for C, C for D's task, and D for E as an agent."""
    team = await crew(world, *FIVE)
    b, c, d, _ = team.others
    (for_d,) = await c.does(dispatch(team.addresses[2]))
    await begins(world, team.a, "a", wait(team.tasks[0]))
    await begins(world, b, "b", wait(team.addresses[1]))
    await begins(world, c, "c", output(task_in(for_d), timeout_ms=600_000))
    await begins(world, d, "d", wait(team.addresses[3], team.addresses[3]))
    return team


async def test_five_agents_that_wait_for_each_other_are_refused_where_the_circle_closes(
    worlds: Worlds,
) -> None:
    """A cycle of length 5, through tasks and through agents; the four waits before it stay."""
    world = world_of(worlds)
    team = await _four_wait_in_a_row(world)
    e = team.others[3]
    before = refusals(world)
    (found,) = await e.does(wait(root(world)))
    (again,) = await e.does(wait(team.addresses[1], timeout_s=1))
    standing = [one for one in (team.a, *team.others[:3]) if one.is_asked]

    assert (before, standing) == ([], [])
    assert code(found) == "would_deadlock"
    assert code(again) == "would_deadlock"
    assert refusals(world) == ["would_deadlock"] * 2
    await world.check()


async def test_a_blocking_look_at_a_task_closes_no_circle_either(worlds: Worlds) -> None:
    """E's task for A lies behind A's turn: `task_output` that blocks is refused, a look is not."""
    world = world_of(worlds)
    team = await _four_wait_in_a_row(world)
    e = team.others[3]
    (given,) = await e.does(dispatch(root(world), "look here"))
    (blocked,) = await e.does(output(task_in(given)))
    (waits,) = await e.does(wait(task_in(given)))
    (looked,) = await e.does(output(task_in(given), block=False))

    assert code(blocked) == "would_deadlock"
    assert code(waits) == "would_deadlock"
    assert "status=pending" in looked.text
    await world.check()


async def test_a_refused_wait_names_the_agent_that_waits_and_not_what_is_waited_for(worlds: Worlds) -> None:
    """Whether a task, a message or an agent is awaited, and by which tool."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await begins(world, c, "c", wait(team.addresses[0]))
    (given,) = await b.does(dispatch(team.addresses[1]))
    (queued,) = await b.does(message(team.addresses[1], "for later", mode="queue"))
    task = task_in(given)

    found = [
        (await b.does(order))[0].text
        for order in (wait(task), output(task), wait(receipt(queued).message_id), wait(team.addresses[1]))
    ]

    words = f"{team.addresses[1]} waits for you, directly or through others"
    assert [words in text for text in found] == [True] * 4, found
    await world.check()


async def test_a_wait_without_a_target_is_in_no_circle(worlds: Worlds) -> None:
    """A waits for whatever comes; B may wait for A, and neither hangs for ever."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await begins(world, team.a, "a", wait(timeout_s=9))
    await begins(world, b, "b", wait(root(world), timeout_s=3600))
    await passes(world, 9)
    found = waited(await team.a.asked())
    await team.a.says("done")
    other = waited(await b.asked())

    assert found.reason == "timeout"
    assert other.reason == "done"
    await world.check()


async def test_a_circle_beside_the_waiter_is_not_the_waiters(worlds: Worlds) -> None:
    """C may wait for B although B waits for A and nobody waits for C."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await begins(world, b, "b", wait(root(world)))
    await begins(world, c, "c", wait(team.addresses[0]))
    await team.a.says("done")
    await b.asked()
    await b.says("done")
    found = waited(await c.asked())

    assert found.reason == "done"
    assert refusals(world) == []
    await world.check()


async def test_a_worker_may_wait_until_its_question_is_read_by_whoever_waits_for_it(worlds: Worlds) -> None:
    """A steer ends the wait of the one it is for, so that wait holds nobody; queued mail does not."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    (queued,) = await b.does(message(root(world), "for later", mode="queue"))
    await begins(world, team.a, "a", wait(*team.tasks))
    (refused,) = await b.does(wait(receipt(queued).message_id))
    (asked,) = await b.does(message(root(world), "left or right?"))
    await team.a.asked()
    await begins(world, b, "b", wait(receipt(asked).message_id))
    await team.a.does(message(team.addresses[0], "right"))
    found = waited(await b.asked())

    assert code(refused) == "would_deadlock"
    assert found.reason in ("done", "mail")
    await world.check()


async def test_a_wait_may_be_refused_now_and_granted_when_the_circle_is_open(worlds: Worlds) -> None:
    """What the refused wait was in the way of goes on, and then the same call waits."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await begins(world, team.a, "a", wait(*team.tasks, timeout_s=5))
    (refused,) = await b.does(wait(root(world)))
    await passes(world, 5)
    await team.a.asked()
    await begins(world, b, "b", wait(root(world)))
    await team.a.says("enough")
    found = waited(await b.asked())

    assert code(refused) == "would_deadlock"
    assert found.reason == "done"
    await world.check()


async def test_what_is_done_already_holds_nobody(worlds: Worlds) -> None:
    """B still waits for C, no longer for A, whose task has ended: A may wait for B."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    (for_a,) = await b.does(dispatch(root(world), "help"))
    await team.a.says("I rest")
    await team.a.asked()
    await team.a.says("helped")
    await world.event("task.ended")
    await begins(world, b, "b", wait(task_in(for_a), team.addresses[1]))
    await world.prompt("a", "and now?")
    await team.a.asked()
    await begins(world, team.a, "a", wait(team.addresses[0]))
    await c.says("dug")
    await b.asked()
    await b.says("dug too")
    request = await team.a.asked()

    assert refusals(world) == []
    assert waited(request).reason in ("done", "mail")
    await world.check()
