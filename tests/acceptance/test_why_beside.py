"""Who else has a part: hooks, classifiers, plugins, goals, and work that outlives its call."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

from postroom.domain.ask import ApprovalMode
from postroom.domain.plain import Json
from postroom.frontends.cli.texts import Row, event_line
from postroom.frontends.cli.why_page import why_page
from postroom.observe import looks
from postroom.observe.logs import RoomLog
from postroom.observe.why.shapes import MessageWhy, TurnWhy
from postroom.profiles.rights import Rights
from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import ScriptedModel, call, say
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.damage import used_store
from tests.acceptance.family import delegate, send
from tests.acceptance.goal_talk import told_root, update
from tests.acceptance.test_hooks_in_a_room import changing, hook
from tests.acceptance.why_graph import flaws, totals

ASK_CHILDREN = (Rule(action="message", effect=Effect.ASK, pattern="child"),)


async def turn_of(world: World, reference: str) -> TurnWhy:
    """The turn of a view."""
    found = (await world.room.why(reference)).turn
    assert found is not None
    return found


async def message_of(world: World, reference: str) -> MessageWhy:
    """The message of a view."""
    found = (await world.room.why(reference)).message
    assert found is not None
    return found


async def end(world: World) -> None:
    """Everything holds, and the views agree with the tables."""
    await world.check()
    assert flaws(world.folder) == []
    assert totals(world.folder) == []


async def _done(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text="done")


async def test_a_call_says_which_hook_changed_it_and_which_denied_it(world: World, tmp_path: Path) -> None:
    """Both versions are on record; O-13 asks who refused."""
    world.hooks.append(hook("first", changing(tmp_path, "slowly")))
    world.tool("tidy", _done)
    root = world.puppet("r", tools=["tidy"])
    await world.prompt("r", "begin")
    await root.does(call("tidy", how="well"))
    changed = (await turn_of(world, world.view("r").session_id)).calls[0]
    await root.says("done")
    await world.quiesce()
    await world.close()
    world.hooks = [hook("no", "exit 2"), hook("broken", "exit 1")]
    await world.prompt("r", "again")
    await root.does(call("tidy", how="badly"))
    denied = (await turn_of(world, world.view("r").session_id)).calls[0]

    assert (changed.arguments, changed.changed_arguments) == ('{"how": "well"}', '{"how": "well slowly"}')
    assert (changed.changed_by, changed.outcome, changed.hooks) == ("first", "ok", ())
    assert (denied.outcome, denied.changed_by) == ("denied_by_hook", "")
    assert {(h.hook, h.verdict) for h in denied.hooks} == {("no", "deny"), ("broken", "failed")}
    await end(world)


async def test_a_side_call_stands_with_the_call_that_needed_it_and_in_the_cost(world: World) -> None:
    """product.md section 5: charged to the chain of the turn that caused it."""
    world.rights = Rights(mode=ApprovalMode.AUTO_APPROVE, side_calls={"classification": "scripted:judge"})
    world.models["judge"] = ScriptedModel(say('{"decision": "approve", "reason": "fine"}'), clock=world.clock)
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    world.puppet("b").rests()
    await world.prompt("r", "ask b")
    await root.does(delegate("b"), send("nobody_00000000", "x"))
    await root.does(send(world.handle("b"), "the plan, please"))

    turn = await turn_of(world, world.view("r").session_id)

    (side,) = turn.side_calls
    asked = turn.calls[-1]
    assert (side.purpose, side.outcome, side.call_id) == ("classification", "approve", asked.call_id)
    assert [(ask.state, ask.by) for ask in turn.asks] == [("approved", "classifier")]
    assert turn.spent.rounds == 2
    await end(world)


async def test_a_side_call_that_fails_says_why_by_its_code_and_in_no_words_of_a_model(world: World) -> None:
    """In `why`, in the log, and as a warning in the log of the process."""
    world.rights = Rights(mode=ApprovalMode.AUTO_APPROVE, side_calls={"classification": "scripted:judge"})
    world.models["judge"] = ScriptedModel(say("SECRET words, and no form"), clock=world.clock)
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    world.puppet("b").rests()
    await world.prompt("r", "ask b")
    await root.does(delegate("b"))
    await root.starts(send(world.handle("b"), "the plan, please"))
    await world.event("ask.opened")
    log = RoomLog(world.folder)
    await log.catch_up(world.room.store)
    log.close()

    (side,) = (await turn_of(world, world.view("r").session_id)).side_calls
    page = "\n".join(
        why_page(cast("Row", await world.room.store.read(looks.why, world.view("r").session_id)))
    )

    assert (side.outcome, side.code) == ("failed", "answer_form")
    assert f"classification for {side.call_id}: failed (answer_form)" in page
    lines = (world.folder / "logs" / "postroom.log").read_text("utf-8").splitlines()
    (line,) = [json.loads(one) for one in lines if "side_call.made" in one]
    assert (line["level"], line["code"]) == ("warning", "answer_form")
    (event,) = world.events("side_call.made")
    assert "code=answer_form" in event_line(asdict(event))
    assert "SECRET" not in f"{event}{page}{lines}"
    await world.room.deny((await world.room.asks())[0].ask_id)
    await root.asked()
    await end(world)


async def test_a_plugin_is_named_as_the_sender_of_its_message(world: World) -> None:
    """CK-39: also when it takes one back."""
    root = world.puppet("r")
    await world.prompt("r", "begin")
    session = world.view("r").session_id
    await world.room.plugin_send("guide", session, "The museum opens.", key="opens")
    await root.says("good")
    await world.rest()
    sent = world.events("message.accepted")[-1]

    found = await message_of(world, sent.message_id)

    assert (found.sender.by, found.sender.name, found.kind) == ("plugin", "guide", "plugin")
    assert found.turn_id == ""
    await end(world)


async def test_a_goal_is_named_by_its_reminders_and_by_the_turn_that_changed_it(world: World) -> None:
    root = world.puppet("r")
    await told_root(world, root)
    await root.does(update(("dig", True)))
    await world.rest()
    reminder = next(e for e in world.events("message.accepted") if e.facts["kind"] == "goal")

    found = await message_of(world, reminder.message_id)
    turn = await turn_of(world, reminder.message_id)

    assert (found.kind, found.sender.by) == ("goal", "system")
    assert found.goal_id
    assert [(step.goal_id, step.items, step.done) for step in turn.goals] == [(found.goal_id, 1, 1)]
    await end(world)


async def test_the_end_of_work_leads_to_the_call_that_began_it_and_back(world: World) -> None:
    async def begins(caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        work = await caller.begin_work("the long one")
        await work.end("it is over")
        return ToolResult(text="begun")

    world.tool("later", begins)
    root = world.puppet("r", tools=["later"])
    await world.prompt("r", "begin")
    await root.does(call("later"))
    await world.rest()

    turn = await turn_of(world, world.view("r").session_id)
    (made,) = turn.calls
    told = await message_of(world, made.work_id)

    assert (told.kind, told.body, told.sender.by) == ("plugin", "it is over", "system")
    assert (told.call_id, told.turn_id) == (made.call_id, turn.turn_id)
    await end(world)


async def test_what_turns_have_cost_is_what_was_spent(world: World) -> None:
    assert totals(await used_store(world)) == []
