"""`branch`: what agents are told of their calls, and how they read of each other (systems.md 1.5 to 1.7)."""

import re

import pytest

from postroom.domain.plain import Json
from postroom.errors import ModelUnavailable
from postroom.rules.permissions import Effect, Rule
from postroom.testing.reading import read
from postroom.testing.script import call
from postroom.testing.world import texts
from tests.acceptance.asking import the_ask
from tests.acceptance.branches import address, branch_world, branches, crew, dispatch, message, pair, spawn
from tests.acceptance.family import Worlds
from tests.acceptance.task_talk import task_in

DELIVERY = re.compile(r"delivery_id=(\S+)")


@pytest.mark.parametrize("to", ["", "   "])
async def test_a_message_to_nobody_is_an_error(worlds: Worlds, to: str) -> None:
    """OP-21."""
    world = branch_world(worlds)
    a, _ = await pair(world)

    (result,) = await a.does(message(to, "hello"))

    assert result.is_error
    assert result.text.startswith("[send_message error] to is required")
    await world.check()


@pytest.mark.parametrize("to", ["new", "new:x:y", " new "])
async def test_the_syntax_of_a_spawn_names_the_tool_that_makes_agents(worlds: Worlds, to: str) -> None:
    """OP-21: neither a message nor a task makes an agent."""
    world = branch_world(worlds)
    a, _ = await pair(world)

    sent, given = await a.does(message(to, "hello"), dispatch(to))

    assert sent.text.startswith("[send_message error]")
    assert given.text.startswith("[agent error]")
    for result in (sent, given):
        assert result.is_error
        assert "the tool agent makes agents" in result.text
    assert len(branches(world)) == 2
    await world.check()


async def test_a_send_returns_at_once_and_the_turn_goes_on(worlds: Worlds) -> None:
    """OP-30: the recipient has not even answered when the sender makes its next call."""
    world = branch_world(worlds)
    a, b = await pair(world)

    (sent,) = await a.does(message(address(world, "b"), "hello"))
    (listed,) = await a.does(call("list_tasks"))
    await b.asked()

    found = DELIVERY.search(sent.text)
    assert found is not None
    assert sent.text.startswith("[delivered, running async] delivery_id=")
    assert listed.text == "(no tasks)"
    assert [e.message_id for e in world.events("message.sent") if e.message_id] == [found[1]]
    await world.check()


async def test_each_way_to_be_reached_has_its_header(worlds: Worlds) -> None:
    """OP-31: a message and a task name who wrote; the first prompt of a spawn stands alone."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    writer, worker = address(world, "a"), address(world, "w")
    first = texts(await w.asked())

    await w.says("done")
    await a.does(message(worker, "how far?"))
    mail = texts(await w.asked())[-1]
    await w.says("far")
    await a.does(dispatch(worker, "once more"))
    task = texts(await w.asked())[-1]

    assert first == ["work as w"]
    assert mail.startswith(f"[message from {writer}]\n")
    assert f'send_message(to="{writer}")' in mail
    assert "Replying is optional" in mail
    assert mail.endswith("\n\nhow far?")
    assert task.startswith(f"[task from {writer}]\n")
    assert "tracked task" in task
    assert "its result" in task
    assert task.endswith("\n\nonce more")
    await world.check()


async def test_an_agent_that_is_waited_for_gives_text_and_address(worlds: Worlds) -> None:
    """OP-50, O-28: also one that says nothing, in the runtime's own words."""
    world = branch_world(worlds)
    a, v, w = world.puppet("a"), world.puppet("v"), world.puppet("w")
    await world.prompt("a", "begin")

    await a.starts(spawn("one", background=False, agent_id="v"), spawn("two", background=False, agent_id="w"))
    await v.says("seven files")
    await w.says("\n \u200b")
    one, two = texts(await a.asked())[-2:]

    assert one == f"seven files\n\n[spawned agent branch={address(world, 'v')}]"
    assert two == f"(it ended without any text)\n\n[spawned agent branch={address(world, 'w')}]"
    await world.check()


async def test_an_agent_in_the_background_gives_a_task_id(worlds: Worlds) -> None:
    """OP-50."""
    world = branch_world(worlds)
    a, _ = world.puppet("a"), world.puppet("w")
    await world.prompt("a", "begin")

    (result,) = await a.does(spawn("work", agent_id="w"))

    assert result.text.startswith(
        f"[agent spawned async] task_id={task_in(result)} branch={address(world, 'w')}"
    )
    await world.check()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("start_from", "inherit", "to and start_from exclude each other"),
        ("start_from", "clean", "to and start_from exclude each other"),
        ("archive_when_done", True, "archive_when_done is for the agent that this call makes"),
    ],
)
async def test_what_is_about_new_agents_does_not_go_with_to(
    worlds: Worlds, name: str, value: Json, said: str
) -> None:
    """OP-51: an error, and nothing is given to anybody."""
    world = branch_world(worlds)
    a, _ = await pair(world)

    (result,) = await a.does(call("agent", prompt="a task", to=address(world, "b"), **{name: value}))

    assert result.is_error
    assert result.text.startswith(f"[agent error] {said}")
    assert not world.events("task.queued")
    await world.check()


async def test_a_task_for_the_own_branch_is_refused(worlds: Worlds) -> None:
    """OP-51."""
    world = branch_world(worlds)
    a, _ = await pair(world)

    (result,) = await a.does(dispatch(address(world, "a")))

    assert result.is_error
    assert result.text.startswith("[agent refused]")
    assert "do the work directly" in result.text
    await world.check()


@pytest.mark.parametrize("background", [True, False])
async def test_a_dispatch_never_waits(worlds: Worlds, background: bool) -> None:
    """OP-51: `run_in_background` says nothing beside `to`."""
    world = branch_world(worlds)
    a, b = await pair(world)

    (result,) = await a.does(dispatch(address(world, "b"), run_in_background=background))
    await b.asked()

    assert result.text.startswith(f"[task dispatched] task_id={task_in(result)} target={address(world, 'b')}")
    await world.check()


async def test_the_result_of_a_dispatch_is_inline_in_the_same_session_too(worlds: Worlds) -> None:
    """OP-54: with its text and without the words for an agent that was made."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    await w.says("ready")
    (given,) = await a.does(dispatch("w", "count the files", description="count"))
    await w.asked()
    await w.says("seven files")
    await a.says("given")
    made = read(texts(await a.asked())[-1])
    await a.says("read")
    dispatched = read(texts(await a.asked())[-1])

    assert made is not None
    assert dispatched is not None
    assert "in your own words" in made.about
    assert dispatched.reference == task_in(given)
    assert dispatched.sender == address(world, "w")
    assert (dispatched.kind, dispatched.status, dispatched.body) == ("result", "succeeded", "seven files")
    assert dispatched.about == "w (count) has answered."
    await world.check()


async def test_a_failure_comes_back_with_a_mark_a_name_and_the_reason(worlds: Worlds) -> None:
    """OP-14: of a task and of a message."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    await w.fails(ModelUnavailable("the provider is away"))
    await a.says("at work")
    task = read(texts(await a.asked())[-1])
    (sent,) = await a.does(message("w", "still there?"))
    await w.asked()
    await w.fails(ModelUnavailable("the provider is away"))
    await a.says("asked")
    reply = read(texts(await a.asked())[-1])

    assert task is not None
    assert reply is not None
    found = DELIVERY.search(sent.text)
    assert (task.kind, task.status, reply.kind, reply.status) == ("result", "failed", "reply", "failed")
    assert found is not None
    assert reply.reference == found[1]
    for told in (task, reply):
        assert told.about.startswith("ERROR: w failed: model_unavailable: the provider is away")
        assert told.body == ""
    await world.check()


async def test_leave_for_an_agent_of_the_own_kind_is_asked_by_the_callers_profile(worlds: Worlds) -> None:
    """Product.md section 5: spawning a profile is an action on that profile, also where it is not named."""
    world = branch_world(worlds)
    asks = (
        Rule(action="delegate", effect=Effect.ALLOW),
        Rule(action="delegate", effect=Effect.ASK, pattern="a"),
    )
    a = world.puppet("a", rules=asks)
    await world.prompt("a", "begin")

    await a.starts(spawn("work"))
    ask = await the_ask(world)
    await world.room.approve(ask.ask_id)
    await world.event("task.queued")

    assert (ask.action, ask.resource) == ("delegate", "a")
    assert [row.profile for row in branches(world)] == ["a", "a"]
    await world.check()


async def test_a_message_and_a_task_for_a_stopped_agent_say_who_stopped_it(worlds: Worlds) -> None:
    """Product.md section 4, Stop: accepted, and it wakes nobody."""
    world = branch_world(worlds)
    a, _ = await pair(world)
    await world.room.stop(address(world, "b").partition(":")[0])

    results = await a.does(message(address(world, "b"), "hello"), dispatch(address(world, "b")))

    assert [result.text.partition("]")[0] for result in results] == ["[queued", "[task dispatched, queued"]
    assert all("was stopped by the user" in result.text for result in results)
    await world.check()


async def test_a_profile_that_there_is_not_is_an_error_and_one_that_there_is_answers(worlds: Worlds) -> None:
    """systems.md 1.6, `agent_id`: of a message, a task and a new agent."""
    world = branch_world(worlds)
    other = world.puppet("other")
    a, b = await pair(world)
    to = address(world, "b")

    refused = await a.does(
        message(to, "hello", agent_id="nobody"), dispatch(to, agent_id="nobody"), spawn(agent_id="nobody")
    )
    await a.does(message(to, "hello", agent_id="other"))
    asked = await other.asked()

    assert [result.text.partition("(")[0] for result in refused] == [
        "[send_message error] there is no agent profile nobody ",
        "[agent error] there is no agent profile nobody ",
        "[agent error] there is no agent profile nobody ",
    ]
    assert texts(asked)[-1].endswith("\n\nhello")
    assert texts(asked)[0] == "hello"
    assert not b.is_asked
    await world.check()


async def test_an_agent_without_a_name_of_its_own_is_told_by_its_address(worlds: Worlds) -> None:
    """systems.md 1.13: no branch is called `main` to others, who have a first branch of their own."""
    world = branch_world(worlds)
    a, b = await pair(world)
    to = address(world, "b")

    await a.does(message(to, "hello"))
    await b.asked()
    await b.says("hello yourself")
    await a.says("asked")
    reply = read(texts(await a.asked())[-1])

    assert reply is not None
    assert reply.about == f"{to} has answered."
    await world.check()
