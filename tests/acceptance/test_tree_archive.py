"""Archiving on `tree`: nothing new reaches an agent, what waited is told of, what runs goes on to its end."""

import pytest

from postroom.domain.policy import Policy
from postroom.errors import Refused
from postroom.observe.views import MessageView, message
from postroom.testing.script import say
from postroom.testing.world import World, texts, times
from tests.acceptance.family import Worlds, code, delegate, family, idle_family, send


async def test_mail_that_waits_is_discarded_and_its_sender_is_told(world: World) -> None:
    """O-32: the places in the mailbox come back; the turn that runs keeps what it has and goes on."""
    root, b, c = await family(world, "b", "c")
    await root.does(send(world.handle("b"), "one"), send(world.handle("b"), "two"))
    await c.does(send(world.handle("b"), "three"))

    done = await world.room.archive(world.handle("b"), reason="done with it")
    (refused,) = await root.does(send(world.view("b").session_id, "four"))
    request = await root.asked()
    await b.says("the result")
    await world.turn_end("b")

    assert (done.already, done.messages, done.tasks) == (False, 3, 0)
    assert [m.reason for m in mail_to(world, "b") if m.state == "discarded"] == ["archived"] * 3
    assert times("was not read", [request]) == 2
    assert code(refused) == "unknown_session"
    assert world.events("task.ended")[0].facts["outcome"] == "succeeded"
    await world.check()


async def test_a_task_that_has_not_begun_ends_cancelled_and_is_reported(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root, b = world.puppet("r", delegates_to=("b",)), world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))

    done = await world.room.archive(world.handle("b"))
    await root.says("waiting")
    request = await root.asked()

    assert (done.messages, done.tasks) == (1, 1)
    ended = world.events("task.ended")[0].facts
    assert (ended["state"], ended["outcome"], ended["cause"]) == ("cancelled", "cancelled", "archived")
    assert times("archived", [request]) == 1
    assert not b.is_asked
    assert world.events("turn.started", agent="b") == []
    await world.check()


async def test_a_sender_reads_of_an_archived_agent_what_it_reads_of_none(world: World) -> None:
    """A tree knows no archived agents: neither the id, nor the handle, nor the list of candidates."""
    root, _ = await idle_family(world, "b")
    b = world.view("b")
    await world.room.archive(b.session_id)
    await world.room.prompt("go on", session=world.view("r").session_id)

    by_id, by_handle, to_nobody = await root.does(
        send(b.session_id, "x"), send(b.handle or "", "x"), send("nobody_1a2b3c4d", "x")
    )

    assert code(by_id) == "unknown_session"
    assert b.session_id not in to_nobody.text
    assert code(by_handle) in ("unknown_session", "unknown_reference")
    await world.check()


async def test_the_person_and_timed_texts_are_refused_too(world: World) -> None:
    world.agent("r", say("hi"))
    root_id = (await world.prompt("r", "begin")).session_id
    await world.quiesce()
    await world.room.send_at(root_id, "later", world.clock.now_us() + 10_000_000)

    await world.room.archive(root_id)

    for say_it in (
        lambda: world.room.prompt("hello", session=root_id),
        lambda: world.room.send(root_id, "hello"),
        lambda: world.room.send_at(root_id, "hello", world.clock.now_us() + 1),
        lambda: world.room.resume(root_id),
        lambda: world.room.goal_set(root_id, "a goal"),
    ):
        with pytest.raises(Refused, match="archived"):
            await say_it()
    assert await world.room.timers() == []
    assert person_notices(world) == ["archived"]
    await world.check()


async def test_archiving_twice_changes_nothing(world: World) -> None:
    await idle_family(world, "b")

    first = await world.room.archive(world.handle("b"))
    again = await world.room.archive(world.handle("b"))

    assert (first.already, again.already) == (False, True)
    assert first.address == again.address == world.handle("b")
    assert len(world.events("branch.archived")) == 1
    await world.check()


async def test_a_result_for_an_archived_agent_goes_to_its_nearest_ancestor(world: World) -> None:
    """O-19: the middle has given a task and was archived; the root reads what comes back."""
    root, mid = world.puppet("r", delegates_to=("m",)), world.puppet("m", delegates_to=("l",))
    leaf = world.puppet("l")
    await world.prompt("r", "begin")
    await root.does(delegate("m"))
    await mid.does(delegate("l"))
    await mid.says("I have handed it on")
    await world.turn_end("m")
    await leaf.asked()
    await root.says("waiting")
    await root.says("noted")
    await world.turn_end("r")

    await world.room.archive(world.handle("m"))
    await leaf.says("found at last")
    request = await root.asked()

    assert times("found at last", [request]) == 1
    assert world.view("m").unread == 0
    await world.check()


async def test_a_result_that_waits_unread_is_handed_to_the_nearest_ancestor(world: World) -> None:
    root, mid = world.puppet("r", delegates_to=("m",)), world.puppet("m", delegates_to=("l",))
    leaf = world.puppet("l")
    await world.prompt("r", "begin")
    await root.does(delegate("m"))
    await mid.does(delegate("l"))
    await mid.says("I have handed it on")
    await leaf.asked()
    await world.turn_end("m")
    await world.room.stop(world.handle("m"))
    await root.says("waiting")
    await root.says("noted")
    await world.turn_end("r")
    waiting = world.view("m").unread

    await world.room.archive(world.handle("m"))
    request = await root.asked()

    assert waiting == 1
    assert times("cancel.user", [request]) == 1
    assert world.view("m").unread == 0
    await world.check()


async def test_a_result_that_nobody_can_read_is_told_to_the_person(world: World) -> None:
    """Rule 6: no ancestor is left, so the record keeps it and the person hears of it."""
    root, b = await idle_family(world, "b")
    await world.room.archive(world.view("r").session_id)

    await b.says("the result")
    await world.turn_end("b")

    assert world.events("task.ended")[0].facts["message"] is None
    assert "archived" in person_notices(world)
    assert not root.is_asked
    await world.check()


async def test_a_turn_that_waits_for_its_child_gets_the_result_although_archived(world: World) -> None:
    root, b = world.puppet("r", delegates_to=("b",)), world.puppet("b")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False))
    await b.asked()

    await world.room.archive(world.view("r").session_id)
    await b.says("the result")
    request = await root.asked()
    await root.says("I have it")
    ended = await world.turn_end("r")

    assert "the result" in texts(request)[-1]
    assert (ended.facts["state"], world.view("r").state) == ("finished", "archived")
    assert person_notices(world) == []
    await world.check()


async def test_what_an_archived_turn_leaves_unread_ends_with_it(world: World) -> None:
    """The result of background work comes while the last turn runs and is not answered any more."""
    root, b = await family(world, "b")
    await b.does(send(world.view("r").session_id, "read me"))
    root_id = world.view("r").session_id
    await world.room.archive(root_id)

    await root.says("my last words")
    await world.turn_end("r")
    await b.says("late")
    request = await b.asked()
    await b.says("so it was not read")
    await world.turn_end("b")

    assert times("was not read", [request]) == 1
    assert (world.view("r").unread, world.view("b").unread) == (0, 0)
    await world.check()


def mail_to(world: World, profile: str) -> list[MessageView]:
    """Every message that an agent was sent, oldest first."""
    accepted = world.events("message.accepted", agent=profile)
    found = [world.room.store.look(message, int(str(e.facts["message"]))) for e in accepted]
    return [view for view in found if view is not None]


def person_notices(world: World) -> list[str]:
    """The codes of what the person was told, oldest first."""
    return [str(e.facts["code"]) for e in world.events("person.notified")]
