"""Attacks on rights: moments between a decision and the deed, and leave that was given to something else."""

import json
from collections.abc import Mapping

import pytest
from pluggy import HookimplMarker

from postroom.domain.ask import ApprovalMode
from postroom.domain.plain import Json
from postroom.llm.scripted import ScriptedAnswer
from postroom.profiles.rights import Rights
from postroom.rules.permissions import Effect, Rule
from postroom.testing.puppet import results_of
from postroom.testing.script import Gate, ScriptedModel, call, held, say
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult
from postroom.tools.hooks.gate import GatedCall
from postroom.tools.hooks.spec import Said
from tests.acceptance.asking import ASK_CHILDREN, question, the_ask
from tests.acceptance.family import Worlds, accepted, code, delegate, send

hookimpl = HookimplMarker("postroom")
NO_WRITES = [Rule(action="write", effect=Effect.DENY)]


class Ran:
    """A tool that needs a right to `write` and remembers what it was called with."""

    def __init__(self, world: World, *, parallel: bool = True) -> None:
        self.calls: list[Json] = []
        world.tool("put", self.act, action="write", parallel=parallel)

    async def act(self, _caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
        """Remember and say so."""
        self.calls.append(dict(arguments))
        return ToolResult(text="written")


async def test_a_classifier_that_was_asked_before_the_person_took_over_decides_nothing(world: World) -> None:
    """Modes: `ask` is always the person, also when a model is just about to say yes."""
    gate = Gate()
    yes = say(json.dumps({"decision": "approve", "reason": "fine"}))
    world.rights = Rights(mode=ApprovalMode.AUTO_APPROVE, side_calls={"classification": "scripted:judge"})
    world.models["judge"] = ScriptedModel(held(gate, yes), clock=world.clock)
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    world.puppet("b").rests()
    await world.prompt("r", "ask b")
    await root.does(delegate("b"))
    await root.starts(send(world.handle("b"), "the plan, please"))
    await gate.reached.wait()

    await world.room.set_mode(world.view("r").session_id, "ask")
    gate.open()
    ask = await the_ask(world)
    await world.room.deny(ask.ask_id, "no")

    (result,) = results_of(await root.asked())
    assert code(result) == "permission_denied"
    await world.check()


@pytest.mark.parametrize("beside", ["question", "approval"])
@pytest.mark.parametrize("parallel", [True, False])
async def test_a_rule_that_is_tightened_while_a_batch_waits_for_the_person_holds_for_its_other_calls(
    worlds: Worlds, beside: str, *, parallel: bool
) -> None:
    """How-to permissions: rules over a tree hold at once; what a call may do is decided when it is made."""
    world = worlds()
    ran = Ran(world, parallel=parallel)
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",), tools=("put",))
    world.puppet("b").rests()
    session = (await world.prompt("r", "begin")).session_id
    await root.does(delegate("b"))
    waits = question("go on?") if beside == "question" else send(world.handle("b"), "may I?")
    calls = (waits, call("put", n=1)) if beside == "question" else (call("put", n=1), waits)
    await root.starts(*calls)
    ask = await the_ask(world)
    had_run = list(ran.calls)

    await world.room.set_overlay(session, NO_WRITES)
    await (world.room.answer(ask.ask_id, "yes") if beside == "question" else world.room.deny(ask.ask_id))
    await root.asked()

    assert ran.calls == had_run
    await world.check()


class Rewrites:
    """A hook that puts another text into what is sent, delegated or written."""

    name = "rewrites"

    @hookimpl
    def postroom_before_call(self, call: GatedCall) -> Said:
        """Only the text; recipient, profile and tool stay."""
        key = {"send_message": "body", "delegate_subagent": "prompt", "put": "text"}.get(call.tool)
        return None if key is None else {**call.arguments, key: "something else"}


ASK_ALL = (
    Rule(action="message", effect=Effect.ASK, pattern="child"),
    Rule(action="delegate", effect=Effect.ASK, pattern="c"),
    Rule(action="write", effect=Effect.ASK),
)


@pytest.mark.parametrize("what", ["send_message", "delegate_subagent", "put"])
async def test_leave_for_one_text_is_none_for_the_text_that_a_hook_puts_there(
    worlds: Worlds, what: str
) -> None:
    """What the person has read is what they have allowed; another text is asked for again."""
    world = worlds()
    world.plugins.append(Rewrites())
    ran = Ran(world)
    root = world.puppet("r", rules=ASK_ALL, delegates_to=("b",), tools=("put",))
    world.puppet("b").rests()
    world.puppet("c").rests()
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    deed: ScriptedAnswer = {
        "send_message": send(world.handle("b"), "harmless"),
        "delegate_subagent": delegate("c", "harmless"),
        "put": call("put", text="harmless"),
    }[what]
    await root.starts(deed)
    first = await the_ask(world)
    await world.room.approve(first.ask_id)
    second = await the_ask(world, 2)
    await world.room.deny(second.ask_id, "not that")

    (result,) = results_of(await root.asked())
    assert "harmless" in first.text
    assert "something else" in second.text
    assert result.is_error
    assert not ran.calls
    await world.check()


async def test_both_texts_may_be_allowed_and_then_the_changed_one_is_sent(world: World) -> None:
    world.plugins.append(Rewrites())
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    await root.starts(send(world.handle("b"), "harmless"))
    for nth in (1, 2):
        await world.room.approve((await the_ask(world, nth)).ask_id)
    (result,) = results_of(await root.asked())

    accepted(result)
    await world.check()


class DeniesLater:
    """A hook that lets everything through, and after a restart nothing."""

    name = "later"

    def __init__(self) -> None:
        self.is_strict = False

    @hookimpl
    def postroom_before_call(self, call: GatedCall) -> Said:
        """No reason is needed."""
        return "not any more" if self.is_strict and call.tool != "delegate_subagent" else None


@pytest.mark.parametrize("ends", ["crash", "close"])
async def test_a_question_that_is_open_is_not_denied_by_a_hook_that_is_stricter_after_a_restart(
    worlds: Worlds, ends: str
) -> None:
    """An ask outlives its process: the person who answers is heard, or the ask is gone; never neither."""
    world = worlds()
    hook = DeniesLater()
    world.plugins.append(hook)
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.starts(question("go on?"))
    ask = await the_ask(world)
    await (world.crash() if ends == "crash" else world.close())
    hook.is_strict = True
    await world.open()

    await world.room.answer(ask.ask_id, "yes")
    (result,) = results_of(await root.asked())

    assert "yes" in result.text
    await world.check()


@pytest.mark.parametrize("what", ["send_message", "put"])
async def test_leave_for_a_changed_text_is_used_after_a_restart_and_asked_for_once(
    worlds: Worlds, what: str
) -> None:
    """O-23: the changed call is found again as it was changed; no hook is asked and no ask is lost."""
    world = worlds()
    world.plugins.append(Rewrites())
    ran = Ran(world)
    root = world.puppet("r", rules=ASK_ALL, delegates_to=("b",), tools=("put",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    is_mail = what == "send_message"
    await root.starts(send(world.handle("b"), "harmless") if is_mail else call("put", text="harmless"))
    await world.room.approve((await the_ask(world)).ask_id)
    second = await the_ask(world, 2)

    await world.crash()
    await world.open()
    await world.room.approve(second.ask_id)

    (result,) = results_of(await root.asked())
    mails = [event for event in world.events("message.accepted") if event.facts["kind"] == "mail"]
    assert not result.is_error
    assert len(world.events("ask.opened")) == 2
    assert ran.calls == ([] if is_mail else [{"text": "something else"}])
    assert len(mails) == is_mail
    await world.check()


async def test_no_leave_of_one_conversation_holds_in_its_fork(world: World) -> None:
    """O-38: a fork has no grant and no ask of the first, and what is decided in one changes nothing there."""
    ran = Ran(world)
    root = world.puppet("r", rules=ASK_ALL, tools=("put",))
    session = (await world.prompt("r", "begin")).session_id
    await root.starts(call("put", n=1))
    await world.room.approve((await the_ask(world)).ask_id, "tree")
    await root.starts(call("put", n=2), question("go on?"))
    ask = await the_ask(world, 2)
    await world.room.set_mode(session, "yolo")

    fork = (await world.room.fork(session)).session_id
    rights = await world.room.rights(fork)
    await world.room.answer(ask.ask_id, "yes")
    await root.says("done")
    await world.turn_end("r")
    await world.room.prompt("go on here", session=fork)
    await root.starts(call("put", n=3))
    third = await the_ask(world, 3)

    assert (rights.mode, rights.grants) == ("ask", [])
    assert (third.kind, third.session_id) == ("approval", fork)
    assert ran.calls == [{"n": 1}, {"n": 2}]
    await world.room.deny(third.ask_id)
    await world.check()
