"""`wait` of a team: what ends it, what it returns, and that each result is read once."""

import pytest

from postroom.domain.plain import Json
from postroom.errors import ModelAuth
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import results_of
from postroom.testing.script import call
from postroom.testing.world import times
from tests.acceptance.family import Worlds
from tests.acceptance.team_work import (
    begins,
    code,
    crew,
    dispatch,
    output,
    passes,
    task_in,
    wait,
    waited,
    waits,
    world_of,
)
from tests.acceptance.teams import message, receipt


async def test_a_wait_for_several_tasks_ends_when_all_of_them_have_ended(worlds: Worlds) -> None:
    """Tasks and waits, 2: the call claims every result, so none of them opens a turn or is read twice."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await waits(world, team, *team.tasks)
    held = world.room.scheduler.slots_held()

    await b.says("five")
    await world.event("task.ended")
    early = team.a.is_asked
    await c.says("seven")
    request = await team.a.asked()
    found = waited(request)
    await team.a.says("twelve")
    await world.quiesce()

    assert held == 2  # those of the two that work
    assert not early
    assert (found.reason, set(found.done), found.still_running) == ("done", set(team.tasks), ())
    assert "five" in found.text
    assert "seven" in found.text
    assert found.mail_waiting == 0
    assert len(world.requests("a")) == 3
    assert times("seven", world.requests("a")) == 1
    assert [e.facts["turn"] for e in world.events("message.consumed", agent="a")][-2:] != [None, None]
    await world.check()


async def test_a_wait_without_targets_ends_with_the_first_task_that_ends(worlds: Worlds) -> None:
    """It names what still runs; a second wait finds the next."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await waits(world, team)
    await c.says("seven")
    first = waited(await team.a.asked())
    await b.says("five")
    await world.event("task.ended", 2)
    (second,) = await team.a.does(wait())
    await team.a.says("done")
    await world.quiesce()

    assert (first.reason, first.done, first.still_running) == ("done", (team.tasks[1],), (team.tasks[0],))
    assert "seven" in first.text
    assert (waited(second).done, waited(second).still_running) == ((team.tasks[0],), ())
    assert "five" in waited(second).text
    assert times("five", world.requests("a")) == 1
    await world.check()


@pytest.mark.parametrize("ended_before", [False, True], ids=["while they wait", "before they wait"])
async def test_of_two_waits_of_a_round_one_returns_the_only_result_and_the_other_that_it_is_done(
    worlds: Worlds, *, ended_before: bool
) -> None:
    """Tasks and waits, 2: the result is read once; nobody waits for what cannot come any more."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    if ended_before:
        await b.says("five")
        await world.event("task.ended")
        both = [waited(one) for one in await team.a.does(wait(), wait())]
    else:
        await team.a.starts(wait(), wait())
        await world.event("call.waiting", 2)
        await b.says("five")
        both = [waited(one) for one in results_of(await team.a.asked())[-2:]]
    await team.a.says("done")
    await world.quiesce()

    assert [(one.reason, one.done, one.still_running) for one in both] == [("done", team.tasks, ())] * 2
    assert times("five", world.requests("a")) == 1
    await world.check()


@pytest.mark.parametrize(("more", "waits_s"), [({}, 300), ({"timeout_s": 7}, 7), ({"timeout_s": 3600}, 3600)])
async def test_a_wait_ends_at_its_time(worlds: Worlds, more: dict[str, Json], waits_s: int) -> None:
    """300 s without a word, at most an hour."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await waits(world, team, *team.tasks, **more)

    await passes(world, waits_s - 0.5)
    early = team.a.is_asked
    await passes(world, 0.5)
    found = waited(await team.a.asked())

    assert not early
    assert (found.reason, found.still_running) == ("timeout", team.tasks)
    await world.check()


@pytest.mark.parametrize(
    "arguments",
    [
        {"timeout_s": 0},
        {"timeout_s": 3601},
        {"timeout_s": True},
        {"timeout_s": "1"},
        {"for": "b"},
        {"for": [1]},
        {"for": [" "]},
        {"for": ["x"] * 33},
        {"until": "noon"},
    ],
)
async def test_a_wait_takes_nothing_but_what_it_knows(worlds: Worlds, arguments: dict[str, Json]) -> None:
    """CK-21: wrong arguments are an error and no wait."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (found,) = await team.a.does(call("wait", **arguments))

    assert code(found) == "invalid_arguments"
    assert not world.events("call.waiting")
    await world.check()


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("t_00000000000000", "unknown_task"),
        ("0193b2c4-7e1f-7a2b-8c3d-4e5f60718293", "unknown_message"),
        ("nobody", "unknown_reference"),
    ],
)
async def test_a_wait_for_what_is_not_there_is_refused(worlds: Worlds, target: str, why: str) -> None:
    """One wrong target refuses the whole wait."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (found,) = await team.a.does(wait(*team.tasks, target))

    assert code(found) == why
    assert not world.events("call.waiting")
    await world.check()


async def test_a_foreign_task_and_a_foreign_message_cannot_be_waited_for(worlds: Worlds) -> None:
    """OP-69: whose they are not may not; an ancestor of the one who wrote may."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    (sent,) = await b.does(message(team.addresses[1], "psst"))
    await c.asked()
    (by_sibling,) = await c.does(wait(team.tasks[0]))
    (of_sibling,) = await c.does(wait(receipt(sent).message_id))
    (of_below,) = await team.a.does(wait(receipt(sent).message_id))

    assert code(by_sibling) == "not_dispatcher"
    assert code(of_sibling) == "unknown_message"
    assert waited(of_below).reason == "done"
    await world.check()


async def test_an_agent_is_done_when_it_has_no_turn(worlds: Worlds) -> None:
    """By its handle, by its name and by its id alike."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await waits(world, team, "b", team.addresses[0], world.view("b").session_id)
    await b.says("dug")
    found = waited(await team.a.asked())
    (again,) = await team.a.does(wait(team.addresses[0]))

    assert (found.reason, found.done) == ("done", (team.addresses[0],))
    assert waited(again).done == (team.addresses[0],)
    await world.check()


async def test_a_message_is_done_when_it_was_read(worlds: Worlds) -> None:
    """Not when it was accepted, nor while it is being read."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    (sent,) = await team.a.does(message(team.addresses[0], "for later", mode="queue"))
    await waits(world, team, receipt(sent).message_id)
    await b.says("dug")
    await b.asked()
    await b.does(call("list_agents"))
    request = await team.a.asked()

    assert waited(request).reason in ("done", "mail")
    assert receipt(sent).message_id in (*waited(request).done, *waited(request).still_running)
    await world.check()


async def test_a_message_that_nobody_will_read_is_waited_for_no_longer(worlds: Worlds) -> None:
    """The person retires its recipient: it is discarded, and the wait says so."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    (sent,) = await team.a.does(message(team.addresses[0], "for later", mode="queue"))
    await waits(world, team, receipt(sent).message_id)
    await world.room.archive(team.addresses[0])
    found = waited(await team.a.asked())

    assert (found.reason, found.done) == ("done", (receipt(sent).message_id,))
    assert "discarded" in found.text
    await world.check()


async def test_a_wait_goes_on_in_the_next_process(worlds: Worlds) -> None:
    """The turn is resumed, the call is made again, and the result is returned once."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await waits(world, team, *team.tasks)
    await world.crash()
    await world.open()
    (b,) = team.others
    await b.asked()
    await b.says("dug")
    found = waited(await team.a.asked())
    await team.a.says("good")
    await world.quiesce()

    assert (found.reason, found.done) == ("done", team.tasks)
    assert times("dug", world.requests("a")) == 1
    await world.check()


@pytest.mark.parametrize("blocks", ["wait", "task_output"])
async def test_the_time_of_a_wait_goes_on_in_the_next_process(worlds: Worlds, blocks: str) -> None:
    """G13: it is that of the call, however often its process dies."""
    world = world_of(worlds)
    team = await crew(world, "b")
    order = wait(*team.tasks) if blocks == "wait" else output(*team.tasks, timeout_ms=300_000)
    await begins(world, team.a, "a", order)
    assert isinstance(world.clock, FakeClock)
    for _ in range(2):
        await passes(world, 100)
        await world.crash()
        before = world.clock.sleepers
        await world.open()
        await world.clock.sleeping(before + 1)

    await passes(world, 98)
    early = team.a.is_asked
    await passes(world, 2)
    await team.a.asked()

    assert not early
    await world.check()


async def test_a_wait_whose_time_was_over_before_the_next_process_ends_with_it(worlds: Worlds) -> None:
    """G13: the time that no process ran counts; what has ended by then is returned all the same."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await waits(world, team, *team.tasks, timeout_s=60)
    await world.crash()
    assert isinstance(world.clock, FakeClock)
    await world.clock.advance(3_600)

    await world.open()

    assert waited(await team.a.asked()).reason == "timeout"
    await world.check()


async def test_results_of_a_wait_are_put_back_when_the_turn_dies_before_its_answer(worlds: Worlds) -> None:
    """Tasks and waits, 2: a release puts all of them back, and each is read once."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await waits(world, team, *team.tasks)
    await b.says("five")
    await c.says("six")
    await team.a.asked()
    await team.a.fails(ModelAuth("the key is wrong"))
    await world.turn_end("a")
    await world.prompt("a", "again")
    await team.a.asked()
    await team.a.says("eleven")
    await world.quiesce()

    assert times("five", world.requests("a")) == 1
    assert times("six", world.requests("a")) == 1
    states = {e.facts["delivery"] for e in world.events("message.consumed")}
    assert {e.facts["delivery"] for e in world.events("message.released")} <= states
    await world.check()


async def test_a_wait_in_which_nothing_can_come_ends_at_its_time(worlds: Worlds) -> None:
    """No task, no target: it waits for mail alone."""
    world = world_of(worlds)
    a = world.puppet("a")
    await world.prompt("a", "begin")
    await begins(world, a, "a", wait(timeout_s=5))
    await passes(world, 5)
    found = waited(await a.asked())

    assert (found.reason, found.done, found.still_running) == ("timeout", (), ())
    await world.check()


async def test_long_results_of_one_wait_share_what_it_may_show(worlds: Worlds) -> None:
    """30,000 characters for all of them, head and tail of each."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    await waits(world, team, *team.tasks)
    await b.says(f"begin {'x' * 40_000} end")
    await c.says(f"start {'y' * 40_000} stop")
    found = waited(await team.a.asked())

    assert len(found.text) < 33_000
    for word in ("begin", "end", "start", "stop"):
        assert word in found.text
    await world.check()


async def test_a_task_for_an_agent_that_exists_is_waited_for_like_any_other(worlds: Worlds) -> None:
    """Its result is for who gave it, whoever made the agent."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    (given,) = await b.does(dispatch(team.addresses[1], "look"))
    await b.starts(wait(task_in(given)))
    await world.event("turn.suspended", agent="b")
    await c.says("worked")
    await c.asked()
    await c.says("looked")
    found = waited(await b.asked())

    assert (found.reason, found.done) == ("done", (task_in(given),))
    assert "looked" in found.text
    await world.check()
