"""When an agent is reminded of its goal, and when it is not (systems.md 3.7)."""

import asyncio
from collections.abc import Mapping

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import ModelAuth
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import Worlds, accepted, code, delegate, family, send
from tests.acceptance.goal_talk import (
    busy_root,
    goal_of,
    idle_root,
    reminders,
    root_id,
    told_root,
    update,
)


@pytest.mark.parametrize("mode", ["steer", "queue"])
async def test_mail_that_waits_comes_first(world: World, mode: str) -> None:
    root, b = await family(world, "b")
    await world.room.goal_set(root_id(world), "dig a well")
    await b.does(send(root_id(world), "m1", mode))
    await b.says("done")
    await root.says("Anything new?")
    await root.asked()
    root.rests()
    b.rests()
    await world.quiesce()
    shown = texts(world.requests("r")[-1])
    first = next(n for n, text in enumerate(shown) if text.startswith("<goal_reminder"))
    mail = next(n for n, text in enumerate(shown) if "m1" in text)
    result = next(n for n, text in enumerate(shown) if text.startswith("<subagent_notification"))

    assert max(mail, result) < first
    await world.check()


async def test_a_child_at_work_is_waited_for(world: World) -> None:
    """The end of its task wakes the root; the root's own end then brings the goal to mind."""
    root, b = await family(world, "b")
    await world.room.goal_set(root_id(world), "dig a well")
    await root.says("I wait for b.")
    await world.turn_end("r")
    waiting = len(world.requests("r"))
    await b.says("dug")
    woken = await root.asked()
    await root.says("Good.")
    await world.turn_end("r", 2)
    reminded = await root.asked()

    assert waiting == 2
    assert reminders(woken) == []
    assert len(reminders(reminded)) == 1
    root.rests()
    await world.check()


async def test_a_child_that_reads_mail_is_waited_for(world: World) -> None:
    """It has no task any more, so nothing but its end is the sign."""
    root, b = await family(world, "b")
    await b.says("ready")
    await root.does(call("get_subagent_result", session_id=world.handle("b")))
    await root.does(send(world.handle("b"), "think about it"))
    await b.asked()
    await world.room.goal_set(root_id(world), "dig a well")
    await root.says("It thinks.")
    await world.turn_end("r")
    waiting = world.events("goal.reminded")
    await b.says("Thought.")
    request = await root.asked()

    assert waiting == []
    assert len(reminders(request)) == 1
    for agent in (root, b):
        agent.rests()
    await world.check()


async def test_work_in_the_background_is_waited_for(world: World) -> None:
    gate = Gate()

    async def dig(caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        work = await caller.begin_work("digging")

        async def end() -> None:
            await gate.through()
            await work.end("dug")

        working.append(asyncio.ensure_future(end()))
        return ToolResult(text="digging")

    working: list[asyncio.Future[None]] = []
    world.tool("dig", dig)
    root = world.puppet("r", tools=("dig",))
    await busy_root(world, root)
    await root.does(call("dig"))
    await root.says("It is being dug.")
    await world.turn_end("r")
    waiting = world.events("goal.reminded")
    gate.open()
    woken = await root.asked()
    await root.says("Good.")
    await world.turn_end("r", 2)
    reminded = await root.asked()

    assert waiting == []
    assert reminders(woken) == []
    assert len(reminders(reminded)) == 1
    root.rests()
    await world.check()


async def test_a_stopped_agent_is_not_reminded_until_the_person_lets_it_go_on(world: World) -> None:
    """G11; and a goal that is resumed ends no pause of its agent."""
    root = world.puppet("r")
    await told_root(world, root)
    await world.room.stop(root_id(world))
    await world.quiesce()
    await world.room.goal_pause(root_id(world))
    await world.room.goal_resume(root_id(world))
    await world.reopen()
    await world.quiesce()
    quiet = len(world.requests("r"))
    await world.room.resume(root_id(world))
    request = await root.asked()

    assert quiet == 2
    assert len(reminders(request)) == 2
    root.rests()
    await world.check()


async def test_a_failed_turn_is_followed_by_no_reminder(world: World) -> None:
    """A provider that is away would be asked again at once. The person's word is enough to go on."""
    root = world.puppet("r")
    await told_root(world, root)
    await root.does(update(("dig", False)))
    await root.fails(ModelAuth("the key is wrong"))
    await world.turn_end("r", 2)
    await world.quiesce()
    quiet = len(world.requests("r"))
    await world.room.goal_resume(root_id(world))
    request = await root.asked()

    assert quiet == 3
    assert reminders(request)[-1].startswith('<goal_reminder count="1 of 3">')
    root.rests()
    await world.check()


async def test_a_cancelled_turn_is_followed_by_no_reminder(world: World) -> None:
    root = world.puppet("r")
    await told_root(world, root)
    await world.room.cancel(root_id(world))
    await world.turn_end("r", 2)
    await world.quiesce()
    quiet = len(world.requests("r"))
    await world.prompt("r", "go on")
    await root.asked()
    await root.says("I go on.")
    await world.turn_end("r", 3)
    request = await root.asked()

    assert quiet == 2
    assert len(reminders(request)) == 2
    root.rests()
    await world.check()


async def test_a_reminder_outlives_its_process(world: World) -> None:
    """G2: released with the cut turn, read once in the next one."""
    root = world.puppet("r")
    await told_root(world, root)
    await world.crash()
    await world.open()
    request = await world.request("r", 3)
    await root.asked()

    assert len(reminders(request)) == 1
    assert await goal_of(world) == ("active", 1)
    root.rests()
    await world.check()


async def test_an_interrupted_turn_is_followed_by_a_reminder(world: World) -> None:
    """The death of a process says nothing about a goal: it had read the first reminder already."""
    root = world.puppet("r")
    await told_root(world, root)
    await root.does(update(("dig", False)))
    await world.crash()
    await world.open()
    request = await world.request("r", 4)

    assert len(reminders(request)) == 2
    root.rests()
    await world.check()


async def test_a_reminder_takes_no_place_in_the_mailbox(worlds: Worlds) -> None:
    """CK-16: goal mail counts neither for the cap nor for a window."""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=1, pair_window=None))
    root, b = await family(world, "b")
    await root.says("idle")
    await world.turn_end("r")
    await world.room.goal_set(root_id(world), "dig a well")
    await root.asked()
    await root.fails(ModelAuth("the key is wrong"))
    await world.turn_end("r", 2)
    view = world.view("r")
    (first, second) = await b.does(send(root_id(world), "one"), send(root_id(world), "two"))

    assert view.unread == 1
    assert accepted(first).recipient_state == "waking_finished"
    assert code(second) == "inbox_full"
    for agent in (root, b):
        agent.rests()
    await world.check()


async def test_the_persons_text_is_read_before_a_reminder_that_waits(world: World) -> None:
    root = world.puppet("r")
    await idle_root(world, root)
    await world.room.stop(root_id(world))
    await world.room.goal_set(root_id(world), "dig a well")
    await world.quiesce()
    quiet = world.events("goal.reminded")
    await world.prompt("r", "hello again")
    request = await root.asked()
    await root.says("Hello.")
    await world.turn_end("r", 2)
    after = await root.asked()

    assert quiet == []
    assert reminders(request) == []
    assert len(reminders(after)) == 1
    root.rests()
    await world.check()


async def test_a_child_that_was_told_its_own_end_is_no_obstacle(world: World) -> None:
    """A cancelled child's end is told by the call that cancelled it: nothing else wakes the root."""
    root, _ = await family(world, "b")
    await world.room.goal_set(root_id(world), "dig a well")
    await root.does(call("cancel_subagent", session_id=world.handle("b")))
    await root.does(delegate("b"))
    await root.says("Another one digs.")
    await world.turn_end("r")
    waiting = world.events("goal.reminded")
    await world.room.cancel(world.handle("b", 2))
    woken = await root.asked()
    await root.says("Then I dig.")
    await world.turn_end("r", 2)
    request = await root.asked()

    assert waiting == []
    assert reminders(woken) == []
    assert len(reminders(request)) == 1
    for agent in world.puppets.values():
        agent.rests()
    await world.check()


async def test_a_task_that_waits_at_a_stopped_child_is_waited_for_until_it_is_taken_back(
    worlds: Worlds,
) -> None:
    """Its end is a notice, because the turn that gave it was cancelled: it wakes nobody."""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await world.room.stop(world.handle("b"))
    await world.room.cancel(root_id(world))
    await world.room.goal_set(root_id(world), "dig a well")
    await root.asked()
    await root.says("I wait for b.")
    await world.turn_end("r", 2)
    await world.quiesce()
    waiting = len(world.events("goal.reminded"))
    await world.room.cancel(world.handle("b"))
    request = await root.asked()

    assert waiting == 1
    assert len(reminders(request)) == 2
    assert not b.is_asked
    root.rests()
    await world.check()
