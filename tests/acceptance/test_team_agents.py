"""`agent` of a team: what a spawn makes and may cost, and tasks for agents that exist."""

from dataclasses import replace

import pytest

from postroom.domain.plain import Json
from postroom.llm.port import ResultItem, UserItem
from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.testing.puppet import results_of
from postroom.testing.script import call
from postroom.testing.world import texts
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
    world_of,
)
from tests.acceptance.teams import message


async def test_a_spawn_makes_a_session_with_a_handle_and_a_name(worlds: Worlds) -> None:
    """product.md section 5, 'a spawn makes': whoever is in the tree may write to it by either."""
    world = world_of(worlds)
    team = await crew(world, "b")
    view = view_of(world, team.addresses[0])
    (by_name,) = await team.a.does(message("b", "hello"))
    request = await team.others[0].asked()

    assert view.handle == team.addresses[0]
    assert view.session_id != root(world)
    assert not by_name.is_error
    assert "work as b" in texts(request)[0]
    await world.check()


async def test_agents_for_the_same_thing_get_names_of_their_own(worlds: Worlds) -> None:
    """An exact name names one agent of the tree."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    await a.does(*(spawn("dig", profile="b", description="dig here") for _ in range(3)))
    (listed,) = await a.does(call("list_agents"))
    (sent,) = await a.does(message("dig-here-2", "you"))

    assert all(f"«{name}»" in listed.text for name in ("dig-here", "dig-here-2", "dig-here-3"))
    assert not sent.is_error
    assert b.is_asked
    await world.check()


async def test_a_foreground_agent_returns_its_whole_result_in_the_call(worlds: Worlds) -> None:
    """Tasks and waits, 3: nothing comes by delivery beside it."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    await a.starts(spawn("dig", background=False, profile="b", description="dig"))
    await b.asked()
    held = world.room.scheduler.slots_held()
    await b.says("found water")
    request = await a.asked()
    (found,) = results_of(request)
    await a.says("good")
    await world.quiesce()

    assert held == 1
    assert not found.is_error
    assert found.text.startswith("found water")
    assert agent_in(found) == world.handle("b")
    assert task_in(found)
    assert len(world.requests("a")) == 2
    await world.check()


async def test_a_long_result_is_shown_by_its_ends_and_kept_whole_in_a_file(worlds: Worlds) -> None:
    """product.md section 5, 'result form': inline at most 30,000 characters."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    await a.starts(spawn("dig", background=False, profile="b"))
    await b.asked()
    await b.says(f"begin {'x' * 50_000} end")
    (found,) = results_of(await a.asked())

    assert len(found.text) < 31_000
    assert "begin" in found.text
    assert "end" in found.text
    assert "the whole, 50010 characters, is in" in found.text
    await world.check()


async def test_a_background_agent_answers_at_once_and_its_result_comes_by_delivery(worlds: Worlds) -> None:
    """Tasks and waits, 3: one delivery, whether or not anybody waits; it wakes the one that gave the task."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await team.a.says("I wait")
    await world.turn_end("a")
    await team.others[0].says("found water")
    request = await team.a.asked()

    assert "found water" in texts(request)[-1]
    assert len(world.events("turn.started", agent="a")) == 2
    await world.check()


async def test_a_failed_agent_is_an_error_with_its_cause(worlds: Worlds) -> None:
    """G8: an empty answer is told apart from a good one."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    await a.starts(spawn("dig", background=False, profile="b"))
    await b.asked()
    await b.says("")
    (found,) = results_of(await a.asked())

    assert found.is_error
    assert "outcome=empty" in found.text
    await world.check()


async def test_an_agent_that_inherits_begins_where_its_maker_stands(worlds: Worlds) -> None:
    """Fork: nodes only, up to the last point where every call has its result; no mail, no task."""
    world = world_of(worlds)
    a, b = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "the well is deep")
    await a.does(call("list_agents"))
    (mine,) = await a.does(spawn("dig on", context="inherit", profile="b"))
    request = await b.asked()

    assert next(item.text for item in request.items if isinstance(item, UserItem)) == "the well is deep"
    assert "dig on" in texts(request)[-1]
    assert [item.tool for item in request.items if isinstance(item, ResultItem)] == ["list_agents"]
    assert view_of(world, agent_in(mine)).profile == "b"
    await world.check()


async def test_an_agent_that_inherits_has_none_of_its_makers_mail(worlds: Worlds) -> None:
    """What lies in the mailbox, and what a request holds that is not answered, stays with the maker."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await b.does(message(root(world), "for later", mode="queue"))
    await b.does(message(root(world), "right now"))
    await team.a.does(spawn("dig on", context="inherit", profile="b"))
    request = await world.request("b", 4)

    assert "dig on" in texts(request)[-1]
    assert "begin" in texts(request)[0]
    assert not any("for later" in text or "right now" in text for text in texts(request))
    await world.check()


async def test_a_clean_agent_knows_only_its_task(worlds: Worlds) -> None:
    """product.md section 5, 'context of a spawn'."""
    world = world_of(worlds)
    team = await crew(world, "b")
    request = world.requests("b")[0]

    assert len([item for item in request.items if isinstance(item, UserItem)]) == 1
    assert all("begin" not in text for text in texts(request))
    assert team.tasks
    await world.check()


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"prompt": "x", "context": "SID:1"},
        {"prompt": "x", "background": "yes"},
        {"prompt": "x", "to": "b", "context": "clean"},
        {"prompt": "x", "to": "b", "archive_when_done": True},
        {"prompt": "x", "start_from": "clean"},
    ],
)
async def test_wrong_arguments_make_no_agent(worlds: Worlds, arguments: dict[str, Json]) -> None:
    """CK-21."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (found,) = await team.a.does(call("agent", **arguments))

    assert code(found) == "invalid_arguments"
    assert len(world.events("session.created")) == 2
    await world.check()


async def test_generations_are_bounded(worlds: Worlds) -> None:
    """product.md section 5: 2 generations; refused with the numbers, and work for who exists goes on."""
    world = world_of(worlds)
    a, b, c = (world.puppet(name, delegates_to=("b", "c")) for name in "abc")
    await world.prompt("a", "begin")
    await a.does(spawn("one", profile="b"))
    await b.asked()
    await b.does(spawn("two", profile="c"))
    await c.asked()
    (refused,) = await c.does(spawn("three", profile="b"))
    (given,) = await c.does(dispatch(world.handle("b"), "look"))

    assert code(refused) == "generations_spent"
    assert "2 of 2 generations" in refused.text
    assert not given.is_error
    await world.check()


async def test_fan_out_of_a_turn_is_bounded(worlds: Worlds) -> None:
    """product.md section 5: 8 agents in one turn; the next turn may make more."""
    world = world_of(worlds)
    a, _ = world.puppet("a", delegates_to=("b",)), world.puppet("b")
    await world.prompt("a", "begin")
    await a.asked()
    made = await a.does(*(spawn(f"dig {n}", profile="b") for n in range(9)))

    assert [found.is_error for found in made] == [*[False] * 8, True]
    assert code(made[-1]) == "fan_out_spent"
    assert "8 agents were made" in made[-1].text
    await world.check()


async def test_messages_of_a_path_are_bounded_and_the_tools_of_work_are_hidden(worlds: Worlds) -> None:
    """product.md section 5: a spawn costs a message of the path, as mail does."""
    world = world_of(worlds, replace(TEAM_POLICY, messages_max=1))
    team = await crew(world, "b")
    (b,) = team.others
    (refused,) = await b.does(spawn("dig on", profile="b"))
    (mail,) = await b.does(message(root(world), "hello"))
    names = {tool.name for tool in world.requests("b")[0].tools}

    assert "messages_spent" in refused.text
    assert code(mail) == "messages_spent"
    assert "1 of 1 messages" in mail.text
    assert names.isdisjoint({"agent", "task_output", "task_stop"})
    assert "list_tasks" in names
    await world.check()


async def test_a_blank_task_is_refused_and_costs_nothing(worlds: Worlds) -> None:
    """O-28: nobody is made."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (refused,) = await team.a.does(spawn(" \u200b ", profile="b"))
    made = await team.a.does(*(spawn("dig", profile="b") for _ in range(7)))

    assert code(refused) == "invalid_body"
    assert not any(found.is_error for found in made)
    await world.check()


async def test_a_result_that_a_call_returns_deepens_the_path_like_one_that_is_delivered(
    worlds: Worlds,
) -> None:
    """product.md section 2, Chains: a turn's number is the maximum over what joined it."""
    world = world_of(worlds)
    a, b, c = (world.puppet(name, delegates_to=("b", "c")) for name in "abc")
    await world.prompt("a", "begin")
    await a.starts(spawn("one", profile="b", background=False))
    await b.does(spawn("two", profile="c"))
    await c.says("two done")
    await world.event("task.ended")
    await b.does(wait())
    await b.says("one done")
    await a.asked()
    await a.does(spawn("three", profile="c"))
    await c.asked()

    started = [(e.agent.split("_")[0], e.facts["messages"]) for e in world.events("turn.started")]
    assert started == [("a", 0), ("b", 1), ("c", 2), ("c", 3)]
    await world.check()
