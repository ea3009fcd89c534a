"""What else becomes of held messages: what is decided when they go, who takes them back, and their ends."""

from dataclasses import replace

import pytest

from postroom.domain.ask import Scope
from postroom.domain.policy import Policy
from postroom.errors import Refused
from postroom.rules.permissions import Effect, Rule
from postroom.service.decisions import approve
from postroom.testing.script import call
from postroom.testing.world import World, texts, times
from tests.acceptance.branches import address, branch_world, dispatch, message, spawn
from tests.acceptance.family import Worlds
from tests.acceptance.test_branch_held import HOLD, alone, asks

TIGHT: Policy = replace(HOLD, mailbox_cap=1, overflow="refuse")


def discarded(world: World) -> list[object]:
    """Why messages ended unread, in the order of the log."""
    return [event.facts["reason"] for event in world.events("message.discarded")]


async def test_rights_are_decided_again_when_a_held_message_goes(worlds: Worlds) -> None:
    """Rights and grants: a rule that was laid over the tree meanwhile holds, and both are told."""
    world = branch_world(worlds, HOLD)
    a, b, session = await alone(world)
    await a.does(message(address(world, "b"), "may I?"))
    (ask,) = await asks(world, 1)
    await world.room.set_overlay(session, [Rule(action="message", effect=Effect.DENY)])

    await world.room.approve(ask.ask_id)

    assert discarded(world) == ["permission_denied"]
    await a.says("done")
    assert any("did not go: your rules do not allow it any more." in text for text in texts(await a.asked()))
    assert not b.is_asked
    await world.check()


async def test_guards_are_decided_when_a_held_message_goes(worlds: Worlds) -> None:
    """States of a delivery: it counts for nothing before, and one that finds no room then is discarded."""
    world = branch_world(worlds, TIGHT)
    a, b, _ = await alone(world)
    to = address(world, "b")
    await a.does(message(to, "one"), message(to, "two"), message(to, "three"))
    one, two, three = await asks(world, 3)

    await world.room.approve(one.ask_id)
    await b.asked()
    await world.room.approve(two.ask_id)
    await world.room.approve(three.ask_id)

    assert discarded(world) == ["inbox_full", "inbox_full"]
    assert times("one", [await b.asked()]) == 1
    await world.check()


async def test_a_held_message_to_an_agent_that_was_archived_ends(worlds: Worlds) -> None:
    world = branch_world(worlds, HOLD)
    a, _, _ = await alone(world)
    await a.does(message(address(world, "b"), "mail"), dispatch(address(world, "b"), "a task"))
    mail, task = await asks(world, 2)
    await world.room.archive(address(world, "b"))

    await world.room.approve(mail.ask_id)
    await world.room.approve(task.ask_id)

    assert discarded(world) == ["archived", "archived"]
    await a.says("done")
    told = texts(await a.asked())
    assert any("did not go: the recipient was archived." in text for text in told)
    await world.check()


async def test_the_person_takes_a_held_message_back_and_what_waits_behind_it_goes(worlds: Worlds) -> None:
    """CK-39: twice is fine; its ask is the person's to decide no more."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    await a.does(message(address(world, "b"), "one"), message(address(world, "b"), "two"))
    one, two = await asks(world, 2)
    await world.room.approve(two.ask_id)

    await world.room.recall(one.message_id)
    await world.room.recall(one.message_id)

    assert times("two", [await b.asked()]) == 1
    assert await world.room.asks() == []
    assert [e.facts["state"] for e in world.events("ask.ended")] == ["approved", "withdrawn"]
    with pytest.raises(Refused) as refused:
        await world.room.approve(one.ask_id)
    assert refused.value.facts == {"state": "withdrawn", "by": "system"}
    await world.check()


async def test_leave_for_the_tree_lets_later_sends_of_the_kind_go_at_once(worlds: Worlds) -> None:
    """Rights and grants: the person's leave for an action, a recipient and a tool stands for itself."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    await a.does(message(address(world, "b"), "one"))
    (ask,) = await asks(world, 1)
    await world.room.approve(ask.ask_id, "tree")
    await b.asked()

    (free,) = await a.does(message(address(world, "b"), "two"))
    (held,) = await a.does(dispatch(address(world, "b"), "by another tool"))

    assert free.text.startswith("[queued]")
    assert "held" in held.text
    assert [one.tool for one in await world.room.asks()] == ["agent"]
    await world.check()


async def test_a_copy_of_a_text_that_is_held_is_a_duplicate(worlds: Worlds) -> None:
    """OP-42: nobody is asked twice for the same text within a minute."""
    world = branch_world(worlds, HOLD)
    a, _, _ = await alone(world)
    to = address(world, "b")
    await a.does(message(to, "the same"))

    (again,) = await a.does(message(to, "the same"))

    assert "duplicate ignored" in again.text
    assert len(await world.room.asks()) == 1
    await world.check()


async def test_a_stop_of_its_sender_leaves_a_held_message_to_the_person(worlds: Worlds) -> None:
    """The ask of a held message belongs to the message: the end of every turn leaves it alone."""
    world = branch_world(worlds, HOLD)
    a, b, session = await alone(world)
    await a.does(message(address(world, "b"), "still there"))
    (ask,) = await asks(world, 1)

    await world.room.stop(session)

    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await world.room.approve(ask.ask_id)
    assert times("still there", [await b.asked()]) == 1
    await world.check()


async def test_a_deleted_session_takes_its_held_messages_along(worlds: Worlds) -> None:
    world = branch_world(worlds, HOLD)
    a, b, session = await alone(world)
    await a.does(message(address(world, "b"), "never"), dispatch(address(world, "b"), "never either"))
    await asks(world, 2)
    await a.says("done")
    await world.quiesce()

    await world.room.delete(session)

    assert discarded(world)[:2] == ["deleted", "deleted"]
    assert await world.room.asks() == []
    assert not b.is_asked
    await world.check()


async def test_what_has_leave_and_could_not_go_goes_when_a_process_starts(worlds: Worlds) -> None:
    """States of a delivery: held mail is tried again in order; here its sender's rights were not known."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    await a.does(message(address(world, "b"), "one"), message(address(world, "b"), "two"))
    for ask in await asks(world, 2):
        await world.room.store.write(approve, ask.ask_id, Scope.ONCE, lambda *_: None)
    await a.says("done")
    await world.quiesce()
    assert not b.is_asked

    await world.reopen()

    assert times("one", [await b.asked()]) == 1
    await b.says("read")
    assert times("two", [await b.asked()]) == 1
    await world.check()


async def test_what_has_leave_goes_when_the_next_turn_of_its_sender_starts(worlds: Worlds) -> None:
    """States of a delivery: the sender's own start tries again, too."""
    world = branch_world(worlds, HOLD)
    a, b, session = await alone(world)
    await a.does(message(address(world, "b"), "one"))
    (ask,) = await asks(world, 1)
    await world.room.store.write(approve, ask.ask_id, Scope.ONCE, lambda *_: None)
    await a.says("done")
    await world.quiesce()

    await world.room.send(session, "go on")

    await a.asked()
    assert times("one", [await b.asked()]) == 1
    await world.check()


async def test_a_stopped_or_cancelled_recipient_knows_nothing_of_a_held_task(worlds: Worlds) -> None:
    """What is held counts for nothing of its recipient: a cancel there finds nothing to end."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    await a.does(dispatch(address(world, "b"), "a task"))
    (ask,) = await asks(world, 1)

    with pytest.raises(Refused) as refused:
        await world.room.cancel(address(world, "b"))
    await world.room.stop(address(world, "b"))
    await world.room.approve(ask.ask_id)

    assert refused.value.refusal_code == "already_ended"
    assert not b.is_asked
    await world.room.resume(address(world, "b"))
    assert times("a task", [await b.asked()]) == 1
    await world.check()


async def test_a_held_task_can_be_stopped_by_whoever_gave_it(worlds: Worlds) -> None:
    """OP-55: withdrawn, it never runs; nobody is asked for it any more."""
    world = branch_world(worlds, HOLD)
    a, b, _ = await alone(world)
    (given,) = await a.does(dispatch(address(world, "b"), "a task"))
    await asks(world, 1)
    task = given.text.partition("task_id=")[2].split()[0]

    (stopped,) = await a.does(call("task_stop", task_id=task))

    assert not stopped.is_error, stopped.text
    assert await world.room.asks() == []
    assert discarded(world) == ["cancelled"]
    assert not b.is_asked
    await world.check()


async def test_an_agent_made_in_an_attended_session_is_held_as_its_maker_is(worlds: Worlds) -> None:
    """OP-16, OP-18: whoever begins an agent elsewhere takes its own tree along: the hold, and the rules."""
    world = branch_world(worlds, HOLD)
    other = world.puppet("c")
    a, b, session = await alone(world)
    await world.room.set_overlay(session, [Rule(action="message", effect=Effect.DENY, pattern="parent")])
    await a.does(spawn("work", agent_id="c", start_from=address(world, "b")))
    await other.asked()
    assert address(world, "c").partition(":")[0] == address(world, "b").partition(":")[0]

    (held, denied) = await other.does(
        message(address(world, "b"), "from elsewhere"), message(address(world, "a"), "no")
    )

    assert held.text.startswith("[held]")
    assert "(permission_denied)" in denied.text
    (ask,) = await world.room.asks(session)
    await world.room.approve(ask.ask_id)
    assert times("from elsewhere", [await b.asked()]) == 1
    await world.check()
