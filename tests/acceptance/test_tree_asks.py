"""The person is asked for leave: what waits, what each decision brings, and what is never asked."""

from collections.abc import Mapping

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import Refused
from postroom.rules.permissions import Effect, Rule
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import results_of
from postroom.testing.script import call, say
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.asking import ASK_CHILDREN, ASK_PARENT, NOBODY, asking, the_ask
from tests.acceptance.family import Worlds, accepted, code, delegate, send


async def test_a_send_that_needs_leave_waits_for_the_person(world: World) -> None:
    """CK-6, CK-3: the tool is shown, nothing is delivered before the approval, then it is one message."""
    root, child = await asking(world)
    assert "send_message" in {t.name for t in (await root.asked()).tools}

    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)
    assert (ask.kind, ask.agent, ask.tool, ask.action, ask.resource, ask.to, ask.text) == (
        "approval", world.view("r").session_id, "send_message", "message", "child", world.handle("b"),
        "may I?",
    )  # fmt: skip
    assert ask.due_us == ask.requested_us + 30_000_000
    assert world.events("message.accepted", agent="b")[1:] == []
    assert world.room.scheduler.slots_held() == 1  # the child's; who waits for the person holds none

    await world.room.approve(ask.ask_id)
    (result,) = results_of(await root.asked())
    accepted(result)
    await child.says("done")
    assert any("may I?" in text for text in texts(await child.asked()))
    assert await world.room.asks() == []
    await world.check()


async def test_a_denied_send_says_by_whom_and_why(world: World) -> None:
    """CK-6, O-23: the generic flow; nothing reaches the recipient."""
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))

    await world.room.deny((await the_ask(world)).ask_id, "not today")

    (result,) = results_of(await root.asked())
    assert code(result) == "permission_denied"
    assert "by the person: not today" in result.text
    assert len(world.events("message.accepted", agent="b")) == 1
    assert world.events("message.refused", agent="r")[-1].facts["code"] == "permission_denied"
    await world.check()


async def test_an_ask_that_nobody_decides_is_not_approved_and_not_denied(worlds: Worlds) -> None:
    """CK-6, O-23: after 30 s it ends with a code of its own, neither sooner nor later."""
    clock = FakeClock()
    world = worlds(clock=clock)
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)

    await clock.advance(29.9)
    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await clock.advance(0.2)

    (result,) = results_of(await root.asked())
    assert code(result) == "approval_expired"
    with pytest.raises(Refused) as refused:
        await world.room.approve(ask.ask_id)
    assert refused.value.refusal_code == "already_decided"
    await world.check()


async def test_asks_of_one_answer_are_decided_one_after_the_other_before_any_tool_runs(world: World) -> None:
    """systems.md 3.5: in model order; the tool beside them waits for the last decision."""
    ran: list[str] = []

    async def act(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        ran.append("look")
        return ToolResult(text="seen")

    world.tool("look", act)
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",), tools=("look",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()

    to = world.handle("b")
    await root.starts(call("look"), send(to, "one"), send(to, "two"))
    first = await the_ask(world)
    assert first.text == "one"
    await world.room.approve(first.ask_id)
    second = await the_ask(world, 2)
    assert second.text == "two"
    assert ran == []
    assert len(world.events("message.accepted", agent="b")) == 1
    await world.room.deny(second.ask_id)

    look, one, two = results_of(await root.asked())
    assert look.text == "seen"
    accepted(one)
    assert code(two) == "permission_denied"
    await world.check()


async def test_a_child_that_asks_is_seen_at_its_root(world: World) -> None:
    """Issue 4, point 3: whoever watches the root can decide for everything below it."""
    root = world.puppet("r", delegates_to=("b",))
    child = world.puppet("b", rules=ASK_PARENT)
    prompt = await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.starts(send(prompt.session_id, "hello"))
    await world.event("ask.opened")

    (seen,) = await world.room.asks(prompt.session_id)
    assert seen.agent == world.handle("b")
    assert await world.room.asks(world.handle("b")) == [seen]
    await world.room.approve(seen.ask_id)
    await world.check()


async def test_after_an_approval_a_guard_may_still_refuse(worlds: Worlds) -> None:
    """Rights and grants: everything from the address on is decided again; nothing was reserved."""
    world = worlds(policy=Policy(surface="tree", pair_window=1))
    root, child = await asking(world)
    to = world.handle("b")
    await root.starts(send(to, "one"), send(to, "two"))

    for nth in (1, 2):
        await world.room.approve((await the_ask(world, nth)).ask_id)

    one, two = results_of(await root.asked())
    accepted(one)
    assert code(two) == "inflight_full"
    assert child.is_asked
    await world.check()


async def test_what_would_be_refused_anyway_asks_nobody(world: World) -> None:
    """product.md section 5: disabled, arguments, body, address and self come before the ask."""
    root, _ = await asking(world)
    to = world.handle("b")

    results = await root.does(
        send("nobody_00000000", "x"), send(to, " "), call("send_message", to=to), send(NOBODY, "x"),
        send(world.view("r").session_id, "x"),
        call("delegate_subagent", description="", prompt="x", agent_type="z"),
    )  # fmt: skip

    codes = [result.text.partition(":")[2].partition(":")[0] for result in results]
    assert codes == [
        "unknown_reference", "invalid_body", "invalid_arguments", "unknown_session", "self_send",
        "unknown_profile",
    ]  # fmt: skip
    assert world.events("ask.opened") == []
    await world.check()


async def test_a_delegation_may_need_leave_too(world: World) -> None:
    """Rights and grants: spawning a profile is itself an action."""
    root = world.puppet("r", rules=(Rule(action="delegate", effect=Effect.ASK, pattern="b"),))
    child = world.puppet("b")
    await world.prompt("r", "begin")

    await root.starts(delegate("b", "the prompt"))
    ask = await the_ask(world)
    assert (ask.action, ask.resource, ask.text) == ("delegate", "b", "the prompt")
    assert len(world.views()) == 1
    await world.room.approve(ask.ask_id)

    await child.asked()
    await world.check()


async def test_leave_to_delegate_says_what_goes_along_and_to_whom(world: World) -> None:
    """A harmless prompt may take a whole conversation with it: the person sees that, and allows that."""
    root = world.puppet("r", rules=(Rule(action="delegate", effect=Effect.ASK, pattern="b"),))
    world.agent("b", *[say("done")] * 3)
    await world.prompt("r", "begin")
    task = {"description": "x", "prompt": "add up", "agent_type": "b"}

    await root.starts(call("delegate_subagent", **task, inherit_context=True))
    ask = await the_ask(world)
    assert ask.text == "add up\n\n(with the newest 64 KiB of text of this conversation)"
    await world.room.approve(ask.ask_id)
    await root.asked()
    child = world.handle("b")
    await root.starts(call("delegate_subagent", **task, resume_session_id=child))
    ask = await the_ask(world, 2)
    assert ask.text == f"add up\n\n(to an agent that exists: {child})"
    await world.room.approve(ask.ask_id)

    assert not results_of(await root.asked())[0].is_error
    await world.check()


async def test_a_tool_of_the_team_asks_with_its_arguments(world: World) -> None:
    """systems.md 3.5: actions beside mail go the same way."""
    ran: list[Mapping[str, Json]] = []

    async def act(_caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
        ran.append(arguments)
        return ToolResult(text="written")

    world.tool("put", act, action="write")
    rules = (Rule(action="write", effect=Effect.ASK),)
    root = world.puppet("r", tools=("put",), rules=rules)
    await world.prompt("r", "begin")

    await root.starts(call("put", text="a"))
    ask = await the_ask(world)
    assert (ask.action, ask.resource, ask.tool, ask.text) == ("write", "put", "put", '{"text": "a"}')
    assert ran == []
    await world.room.approve(ask.ask_id)

    assert results_of(await root.asked())[0].text == "written"
    await world.check()


@pytest.mark.parametrize("way", ["stop", "cancel"])
async def test_the_end_of_a_turn_withdraws_what_it_asked(world: World, way: str) -> None:
    """O-17 and issue 4, point 3: nobody can approve a call whose turn is over."""
    root, _ = await asking(world)
    session = world.view("r").session_id
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)

    await (world.room.stop(session) if way == "stop" else world.room.cancel(session))

    await world.event("ask.ended")
    assert await world.room.asks() == []
    with pytest.raises(Refused) as refused:
        await world.room.approve(ask.ask_id)
    assert refused.value.refusal_code == "already_decided"
    assert len(world.events("message.accepted", agent="b")) == 1
    await world.check()


async def test_an_ask_takes_one_decision_of_its_own_kind(world: World) -> None:
    """Bad input gets a clear error with a stable code, and changes nothing."""
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)

    with pytest.raises(Refused) as wrong_kind:
        await world.room.answer(ask.ask_id, "yes")
    with pytest.raises(Refused) as nobody:
        await world.room.approve(NOBODY)
    await world.room.approve(ask.ask_id)
    with pytest.raises(Refused) as twice:
        await world.room.deny(ask.ask_id)

    codes = [refused.value.refusal_code for refused in (wrong_kind, nobody, twice)]
    assert codes == ["invalid_arguments", "unknown_reference", "already_decided"]
    await world.check()
