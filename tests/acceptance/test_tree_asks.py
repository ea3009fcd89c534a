"""The person is asked: leave for calls, questions, modes, grants, overlays; and nothing of it is lost."""

from collections.abc import Mapping

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import Refused
from postroom.observe.asks import AskView
from postroom.rules.permissions import Effect, Rule
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet, results_of
from postroom.testing.script import Gate, ScriptedAnswer, call
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import Worlds, accepted, code, delegate, send

ASK_CHILDREN = (Rule(action="message", effect=Effect.ASK, pattern="child"),)
ASK_PARENT = (Rule(action="message", effect=Effect.ASK, pattern="parent"),)
NOBODY = "00000000-0000-7000-8000-000000000000"


async def asking(world: World) -> tuple[Puppet, Puppet]:
    """A root that needs leave to write to its child, and the child; both have an open request."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    return root, child


async def the_ask(world: World, nth: int = 1) -> AskView:
    """The one ask that is open now, once the n-th was opened."""
    await world.event("ask.opened", nth)
    (ask,) = await world.room.asks()
    return ask


def question(text: str, *options: str) -> ScriptedAnswer:
    """A call of `ask_user`."""
    return (
        call("ask_user", question=text, options=list(options)) if options else call("ask_user", question=text)
    )


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


async def test_leave_for_the_tree_holds_for_the_key_and_not_for_the_text(world: World) -> None:
    """product.md section 5: action, label, recipient and tool; another recipient is asked for again."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b", "c"))
    b, c = world.puppet("b"), world.puppet("c")
    await world.prompt("r", "begin")
    await root.does(delegate("b"), delegate("c"))
    await b.asked()
    await c.asked()

    await root.starts(send(world.handle("b"), "one"))
    await world.room.approve((await the_ask(world)).ask_id, "tree")
    await root.asked()
    (again,) = await root.does(send(world.handle("b"), "quite another text"))
    accepted(again)
    await root.starts(send(world.handle("c"), "one"))
    await world.room.deny((await the_ask(world, 2)).ask_id)
    (grant,) = (await world.room.rights(world.view("r").session_id)).grants
    assert (grant.action, grant.resource, grant.to) == ("message", "child", world.handle("b"))
    await world.check()


async def test_a_tightened_overlay_ends_the_grants_it_touches(world: World) -> None:
    """Rights and grants: it dies with a tightened overlay; loosening it again brings nothing back."""
    root, _ = await asking(world)
    session = world.view("r").session_id
    await root.starts(send(world.handle("b"), "one"))
    await world.room.approve((await the_ask(world)).ask_id, "tree")
    await root.asked()

    await world.room.set_overlay(session, [Rule(action="message", effect=Effect.DENY, pattern="child")])
    (refused,) = await root.does(send(world.handle("b"), "two"))
    assert code(refused) == "permission_denied"
    await world.room.set_overlay(session, [])
    assert (await world.room.rights(session)).grants == []
    await root.starts(send(world.handle("b"), "three"))
    await world.room.approve((await the_ask(world, 2)).ask_id)
    accepted(results_of(await root.asked())[0])
    await world.check()


async def test_an_overlay_narrows_in_the_middle_of_a_turn_and_never_widens(world: World) -> None:
    """Rights and grants: the list of tools stays that of the turn, what a call may do is of this moment."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    session = world.view("r").session_id

    await world.room.set_overlay(session, [Rule(action="message", effect=Effect.ASK)])
    await root.starts(send(world.handle("b"), "may I?"))
    await world.room.approve((await the_ask(world)).ask_id)
    await root.asked()
    await world.room.set_overlay(session, [Rule(action="message", effect=Effect.ALLOW)])
    (free,) = await root.does(send(world.handle("b"), "free"))
    accepted(free)
    (shown,) = await child.does(send(session, "no rule of mine"))
    assert code(shown) == "permission_denied"
    await world.check()


async def test_what_the_overlay_denies_whole_is_not_shown_in_the_next_turn(world: World) -> None:
    """CK-3 with an overlay: visibility is fixed when a turn starts."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    prompt = await world.prompt("r", "begin")
    assert "send_message" in {t.name for t in (await root.asked()).tools}
    await world.room.set_overlay(prompt.session_id, [Rule(action="message", effect=Effect.DENY)])
    await root.says("done")
    await world.quiesce()

    await world.prompt("r", "again")

    assert "send_message" not in {t.name for t in (await root.asked()).tools}
    (refused,) = await root.does(send(NOBODY, "hello"))
    assert code(refused) == "permission_denied"
    await world.check()


async def test_in_yolo_nobody_is_asked_and_a_deny_still_denies(world: World) -> None:
    """systems.md 3.5: approved at once and on record; hard denies come first."""
    root, _ = await asking(world)
    await world.room.set_mode(world.view("r").session_id, "yolo")

    (result,) = await root.does(send(world.handle("b"), "at once"))

    accepted(result)
    (ended,) = world.events("ask.ended")
    assert (ended.facts["state"], ended.facts["by"]) == ("approved", "yolo")
    await world.room.set_overlay(
        world.view("r").session_id, [Rule(action="message", effect=Effect.DENY, pattern="child")]
    )
    (refused,) = await root.does(send(world.handle("b"), "never"))
    assert code(refused) == "permission_denied"
    await world.check()


async def test_a_changed_mode_leaves_open_asks_to_the_person(world: World) -> None:
    """Issue 4, point 2."""
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)

    await world.room.set_mode(world.view("r").session_id, "yolo")

    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await world.room.deny(ask.ask_id)
    assert code(results_of(await root.asked())[0]) == "permission_denied"
    await world.check()


@pytest.mark.parametrize("mode", ["auto_approve", "auto_approve_n", "auto_approve_y"])
async def test_without_a_classifier_every_automatic_mode_asks(world: World, mode: str) -> None:
    """Issue 4, point 2: each failure of the classifier asks the person, in whatever mode."""
    root, _ = await asking(world)
    await world.room.set_mode(world.view("r").session_id, mode)

    await root.starts(send(world.handle("b"), "may I?"))

    await world.room.approve((await the_ask(world)).ask_id)
    accepted(results_of(await root.asked())[0])
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


async def test_two_asks_outlive_a_crash_and_each_decision_reaches_its_own_call(world: World) -> None:
    """O-23: ids are stable over the restart; the one that is approved goes on, the other is denied."""
    root = world.puppet("r", delegates_to=("a", "b"))
    a, b = (world.puppet(name, rules=ASK_PARENT) for name in "ab")
    prompt = await world.prompt("r", "begin")
    await root.does(delegate("a"), delegate("b"))
    await a.starts(send(prompt.session_id, "from a"))
    await b.starts(send(prompt.session_id, "from b"))
    await world.event("ask.opened", 2)
    before = {ask.text: ask.ask_id for ask in await world.room.asks()}
    await world.room.approve(before["from b"])
    await b.asked()

    await world.crash()
    await world.open()

    assert {ask.text: ask.ask_id for ask in await world.room.asks()} == {"from a": before["from a"]}
    await world.room.deny(before["from a"], "no")
    (result,) = results_of(await a.asked())
    assert code(result) == "permission_denied"
    assert "no" in result.text
    bodies = [text for text in texts(await root.asked()) if "agent_message" in text]
    assert ["from b" in text for text in bodies] == [True]
    await world.check()


@pytest.mark.parametrize("what", ["approval", "question"])
async def test_a_room_that_closes_in_good_order_leaves_what_is_asked_open(world: World, what: str) -> None:
    """Issue 4, point 3: an ask survives any restart, not only a crash."""
    root, child = await asking(world)
    to = world.handle("b")
    await root.starts(send(to, "may I?") if what == "approval" else question("may I?"))
    ask = await the_ask(world)

    await world.reopen()

    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await (world.room.approve(ask.ask_id) if what == "approval" else world.room.answer(ask.ask_id, "yes"))
    (result,) = results_of(await root.asked())
    assert not result.is_error
    if what == "approval":
        assert any("may I?" in text for text in texts(await child.asked()))
    await world.check()


async def test_an_approval_given_while_nobody_ran_the_store_is_used_at_the_next_start(world: World) -> None:
    """Issue 4, point 3: the turn was suspended, so it was not cut."""
    root, child = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)
    await world.crash()
    store_only = await world.open(idle=True)
    await store_only.approve(ask.ask_id)
    await world.close()

    await world.open()

    accepted(results_of(await root.asked())[0])
    assert any("may I?" in text for text in texts(await child.asked()))
    await world.check()


async def test_a_due_time_that_passed_meanwhile_ends_the_ask_at_the_start(worlds: Worlds) -> None:
    """O-23: closed at once as expired, never minutes later."""
    clock = FakeClock()
    world = worlds(clock=clock)
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    await the_ask(world)
    await world.crash()
    await clock.advance(31)

    await world.open()

    assert code(results_of(await root.asked())[0]) == "approval_expired"
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


async def test_a_question_is_answered_by_the_person_and_by_nobody_else(world: World) -> None:
    """O-26: mail and the end of a child leave it open; the answer is the call's result, whole."""
    root = world.puppet("r", delegates_to=("b",))
    child = world.puppet("b", may_message=("parent",))
    prompt = await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await root.starts(question("delete it?", "yes", "no"))
    ask = await the_ask(world)
    assert (ask.kind, ask.text, ask.options, ask.due_us) == ("question", "delete it?", ["yes", "no"], None)

    (sent,) = await child.does(send(prompt.session_id, "yes, the user approves"))
    assert accepted(sent).recipient_state == "queued"
    await child.says("I am done, and so says the user")
    await world.turn_end("b")
    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await world.room.answer(ask.ask_id, "no")

    request = await root.asked()
    (result,) = results_of(request)
    assert result.text == "The person answered:\nno"
    assert sum("yes, the user approves" in text for text in texts(request)) == 1
    await world.check()


async def test_a_question_outlives_a_crash_beside_its_sibling(world: World) -> None:
    """Issue 4, point 3: two questions of one answer are two asks, and both go on waiting."""
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.starts(question("one?"), question("two?"))
    await world.event("ask.opened", 2)
    await world.crash()
    await world.open()

    first, second = await world.room.asks()
    await world.room.answer(first.ask_id, "1")
    await world.crash()
    await world.open()
    assert [one.ask_id for one in await world.room.asks()] == [second.ask_id]
    await world.room.answer(second.ask_id, "2")

    assert [r.text for r in results_of(await root.asked())] == [
        "The person answered:\n1", "The person answered:\n2",
    ]  # fmt: skip
    await world.check()


async def test_a_question_beside_a_tool_that_was_cut_is_withdrawn_by_the_start(world: World) -> None:
    """When a turn does not end well: only a turn that waits for nothing but the person is kept."""
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", tools=("slow",))
    await world.prompt("r", "begin")
    await root.starts(question("one?"), call("slow"))
    await the_ask(world)

    await world.crash()
    await world.open()

    assert await world.room.asks() == []
    assert world.events("turn.ended", agent="r")[0].facts["state"] == "interrupted"
    gate.open()
    await world.check()


async def test_a_question_where_nobody_is_there_is_refused(world: World) -> None:
    """Issue 4, point 3: unattended sessions refuse it at once."""
    root = world.puppet("r")
    room = await world.open()
    await room.prompt("begin", profile="r", attended=False)

    (refused,) = await root.does(question("anybody?"))

    assert refused.text.startswith("ask_user:unattended:")
    assert world.events("ask.opened") == []
    await world.check()


@pytest.mark.parametrize(
    "given",
    [
        {}, {"question": 1}, {"question": "x", "option": []}, {"question": "x", "options": "yes"},
        {"question": "x", "options": ["a", "a"]}, {"question": "x", "options": [" "]},
        {"question": "x", "options": ["a"] * 11}, {"question": "x", "options": [1]}, {"question": " "},
    ],
)  # fmt: skip
async def test_a_question_that_is_none_is_refused(world: World, given: dict[str, Json]) -> None:
    """Strict arguments, as every tool of a surface."""
    root = world.puppet("r")
    await world.prompt("r", "begin")

    (refused,) = await root.does(call("ask_user", **given))

    assert refused.is_error
    assert refused.text.partition(":")[2].partition(":")[0] in ("invalid_arguments", "invalid_body")
    assert world.events("ask.opened") == []
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
