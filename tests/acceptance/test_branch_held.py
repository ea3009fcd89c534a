"""Sends of sessions that nobody attends: held for leave, let go, refused, and never overtaken."""

from dataclasses import replace

import pytest

from postroom.domain.ask import ApprovalMode
from postroom.domain.policy import Policy
from postroom.errors import Refused
from postroom.observe.asks import AskView
from postroom.rules.permissions import Effect, Rule
from postroom.testing.puppet import Puppet
from postroom.testing.world import World, texts, times
from tests.acceptance.branches import POLICY, address, branch_world, dispatch, message, spawn
from tests.acceptance.family import Worlds

HOLD: Policy = replace(POLICY, unattended_sends="hold", generations_max=3, messages_max=None)


async def alone(
    world: World, *, mode: ApprovalMode | None = None, attended: bool = False
) -> tuple[Puppet, Puppet, str]:
    """`a` in a session that nobody attends, with an open turn; `b` in another; the id of a's session."""
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("b", "hello")
    await b.says("hello")
    await world.quiesce()
    prompt = await world.room.prompt("begin", profile="a", attended=attended, mode=mode)
    await a.asked()
    return a, b, prompt.session_id


async def asks(world: World, number: int) -> list[AskView]:
    """The open asks, once so many were opened."""
    await world.event("ask.opened", number)
    return await world.room.asks()


async def test_a_held_message_lands_nowhere_until_the_person_gives_leave(worlds: Worlds) -> None:
    """OP-16: the call returns at once, nothing reaches the recipient, and leave lets it go."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)

    (result,) = await a.does(message(address(world, "b"), "may I?"))

    assert not result.is_error
    assert result.text.startswith("[held] delivery_id=")
    (ask,) = await asks(world, 1)
    assert (ask.kind, ask.action, ask.tool, ask.text, ask.due_us) == (
        "approval", "message", "send_message", "may I?", None,
    )  # fmt: skip
    assert ask.message_id in result.text
    assert not b.is_asked
    assert not world.events("message.accepted", agent="b")[1:]  # only the person's own text

    await world.room.approve(ask.ask_id)

    assert times("may I?", [await b.asked()]) == 1
    assert await world.room.asks() == []
    await world.check()


async def test_calls_whose_message_is_held_or_went_have_ended(worlds: Worlds) -> None:
    """They returned at once: whoever asks why is not told that one of them were still open."""
    world = branch_world(worlds, HOLD)
    a, _, session = await alone(world)
    there = address(world, "b")
    await a.does(message(there, "may I?"), dispatch(there, "do it"))
    await a.says("sent")
    await world.quiesce()

    turn = (await world.room.why(session)).turn

    assert turn is not None
    assert [(call.tool, call.outcome) for call in turn.calls] == [("send_message", "ok"), ("agent", "ok")]
    assert all(call.message_id for call in turn.calls)
    await world.check()


async def test_a_held_message_stays_over_the_end_of_its_turn_and_of_its_process(worlds: Worlds) -> None:
    """OP-16: the ask belongs to the message; nothing but a decision ends it."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    await a.does(message(address(world, "b"), "later"))
    (ask,) = await asks(world, 1)
    await a.says("sent it")
    await world.quiesce()
    await world.crash()
    await world.open()
    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await world.quiesce()
    await world.close()

    idle = await world.open(idle=True)
    await idle.approve(ask.ask_id)
    await world.close()
    await world.open()

    assert times("later", [await b.asked()]) == 1
    await world.check()


async def test_a_denied_message_is_discarded_and_its_sender_reads_why(worlds: Worlds) -> None:
    """OP-16: it was never in any mailbox; a notice says so at the sender's next boundary."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    await a.does(message(address(world, "b"), "may I?"))
    (ask,) = await asks(world, 1)

    await world.room.deny(ask.ask_id, "not today")

    (ended,) = [e.facts for e in world.events("message.discarded")]
    assert ended["reason"] == "denied"
    await a.says("done")
    told = texts(await a.asked())
    assert any("did not go: the person did not give leave: not today." in text for text in told)
    assert not b.is_asked
    with pytest.raises(Refused) as refused:
        await world.room.approve(ask.ask_id)
    assert refused.value.refusal_code == "already_decided"
    await world.check()


async def test_a_held_dispatch_has_its_task_at_once_and_runs_with_leave(worlds: Worlds) -> None:
    """OP-16: `agent(to=)` is held as mail is; its task waits with it and ends with its refusal."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    first, second = await a.does(
        dispatch(address(world, "b"), "first"), dispatch(address(world, "b"), "second")
    )
    assert "task_id=t_" in first.text
    assert "task_id=t_" in second.text
    one, two = await asks(world, 2)
    assert {one.tool, two.tool} == {"agent"}
    await a.says("waiting")
    await world.quiesce()
    assert not b.is_asked

    await world.room.approve(one.ask_id)
    await world.room.deny(two.ask_id, "one is enough")

    told = texts(await a.asked())
    assert any("cancelled" in text and "one is enough" in text for text in told)
    assert times("first", [await b.asked()]) == 1
    await b.says("first is done")
    await a.says("noted")
    assert any("first is done" in text for text in texts(await a.asked()))
    await world.check()


@pytest.mark.parametrize("mode", [ApprovalMode.YOLO, ApprovalMode.AUTO_APPROVE_Y])
async def test_no_mode_lets_a_held_message_go_and_no_sub_agent_gets_around_it(
    worlds: Worlds, mode: ApprovalMode
) -> None:
    """OP-16: whoever decides the asks of a tree, a send that nobody attends is held; in a sub-agent, too."""
    world = branch_world(worlds, HOLD)
    child = world.puppet("c", rules=(Rule(action="message", effect=Effect.ASK),))
    a, b, _ = await alone(world, mode=mode)
    await a.does(spawn("work", agent_id="c"))
    await child.asked()

    (result,) = await child.does(message(address(world, "b"), "from below"))

    assert result.text.startswith("[held]")
    (ask,) = await asks(world, 1)
    await world.room.approve(ask.ask_id)
    assert times("from below", [await b.asked()]) == 1
    await world.check()


async def test_spawns_replies_and_results_are_never_held(worlds: Worlds) -> None:
    """OP-16: only what an agent writes to another of its own accord is."""
    world = branch_world(worlds, HOLD)
    child = world.puppet("c")
    a, b, _ = await alone(world)
    await a.does(spawn("work", agent_id="c"))
    await child.asked()
    await child.says("the result")
    await a.says("waiting")
    assert any("the result" in text or "attached" in text for text in texts(await a.asked()))
    await a.does(message(address(world, "b"), "a question"))
    (ask,) = await asks(world, 1)
    await world.room.approve(ask.ask_id)
    await b.asked()
    await b.says("the answer")
    await a.says("waiting")
    assert any("the answer" in text for text in texts(await a.asked()))
    assert len(world.events("message.held")) == 1
    await world.check()


async def test_what_is_attended_goes_at_once_and_what_was_held_before_waits_on(worlds: Worlds) -> None:
    """OP-16: attended is said of a session; coming back gives no leave, and nothing overtakes."""
    world = branch_world(worlds, HOLD)
    a, b, session = await alone(world)
    await a.does(message(address(world, "b"), "one"))
    (ask,) = await asks(world, 1)
    await world.room.set_attended(session, attended=True)

    (behind,) = await a.does(message(address(world, "b"), "two"))

    assert behind.text.startswith("[held]")
    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    assert not b.is_asked
    await world.room.approve(ask.ask_id)
    assert times("one", [await b.asked()]) == 1
    await b.says("read one")
    assert times("two", [await b.asked()]) == 1
    (free,) = await a.does(message(address(world, "b"), "three"))
    assert free.text.startswith("[queued]")
    await world.check()


async def test_leave_for_a_later_message_waits_for_the_older_one(worlds: Worlds) -> None:
    """G4: of one sender and one recipient nothing overtakes, whichever leave comes first."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    await a.does(message(address(world, "b"), "one"), message(address(world, "b"), "two"))
    one, two = await asks(world, 2)

    await world.room.approve(two.ask_id)

    assert not b.is_asked
    await world.room.deny(one.ask_id)
    assert times("two", [await b.asked()]) == 1
    await world.check()
