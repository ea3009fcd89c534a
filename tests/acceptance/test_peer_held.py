"""Mail of `peer` that may not go yet: for whom it is held, until when, and what holds it no more."""

from dataclasses import replace

import pytest

from postroom.domain.policy import Policy
from postroom.errors import Refused
from postroom.llm.port import ModelRequest, ResultItem
from postroom.rules.fold import rows
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet, results_of
from postroom.testing.script import ScriptedAnswer, say
from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.acceptance.peer_places import apart, directory, facts, kinds, listing, log_of
from tests.acceptance.peers import POLICY, code, data, id_of, spawn, write

SLEEPER = replace(POLICY, wakes_cold=False)
"""An agent that mail may not load."""


@pytest.fixture
def world(worlds: Worlds) -> World:
    """A world whose sessions are of `peer`."""
    return worlds(policy=POLICY)


def status(result: ResultItem) -> object:
    """What a sender is told."""
    return data(result)["status"]


def held_for(world: World, profile: str = "a") -> list[object]:
    """Why mail of an agent was held, in the order of its log."""
    return [facts(event)["reason"] for event in log_of(world, profile) if event.kind == "message.held"]


def bodies_read(world: World, profile: str) -> list[str]:
    """What an agent was shown that others wrote to it, in its newest request."""
    return bodies_read_by(world.requests(profile)[-1])


def bodies_read_by(request: ModelRequest) -> list[str]:
    """The same of a request, in its order."""
    items = [str(item) for item in request.items]
    return [text for item in items for text in ("m1", "m2", "m3", "m4") if f"\\n{text}\\n" in item]


async def asleep(
    world: World, *, mine: Policy = POLICY, theirs: Policy = SLEEPER
) -> tuple[Puppet, Puppet, str]:
    """`a` with an open turn in a process that has not loaded `b` yet, of which no mail may load."""
    a, b, b_id = await apart(world, "one", "one", mine=mine, theirs=theirs)
    await a.says("later")
    await world.quiesce()
    await world.reopen()
    await world.prompt("a", "go on")
    await a.asked()
    return a, b, b_id


async def test_mail_for_an_agent_that_may_not_be_woken_is_kept_by_its_sender(world: World) -> None:
    """DS-36, DS-17: it is no error; nothing of it is in the log of its recipient."""
    a, b, b_id = await asleep(world)

    (sent,) = await a.does(write(b_id, "m1"))

    assert status(sent) == "queued"
    assert held_for(world) == ["cold"]
    assert not kinds(log_of(world, "a"), "message.sent", "message.delivered")
    assert len(kinds(log_of(world, "b"), "message.accepted")) == 1  # the person's text, before
    await a.says("done")
    await world.quiesce()
    assert not b.is_asked
    await world.check()


async def test_the_same_agent_is_written_to_at_once_where_it_may_be_woken(world: World) -> None:
    """DS-13: a cold one is resumed once, with one turn."""
    a, b, b_id = await asleep(world, theirs=POLICY)

    (sent,) = await a.does(write(b_id, "m1"))

    assert status(sent) == "accepted"
    await b.asked()
    await b.says("read")
    await a.says("done")
    await world.quiesce()
    assert len(kinds(log_of(world, "b"), "turn.started")) == 2
    await world.check()


async def test_an_agent_that_has_run_in_this_process_takes_mail_whatever_its_policy(world: World) -> None:
    """DS-36: it is not cold."""
    a, b, b_id = await apart(world, "one", "one", theirs=SLEEPER)

    (sent,) = await a.does(write(b_id, "m1"))

    assert status(sent) == "accepted"
    await b.asked()
    await b.says("read")
    await world.rest()
    await world.check()


async def test_what_was_held_goes_when_its_recipient_is_opened(world: World) -> None:
    """DS-36: opening it wakes it; the sender's log then says that it was delivered."""
    a, b, b_id = await asleep(world)
    await a.does(write(b_id, "m1"), write(b_id, "m2"))

    await world.room.open_agent(b_id)

    await b.asked()
    assert bodies_read(world, "b") == ["m1", "m2"]
    assert kinds(log_of(world, "a"), "message.held", "message.sent", "message.delivered") == [
        "message.held", "message.held", "message.sent", "message.delivered", "message.sent",
        "message.delivered",
    ]  # fmt: skip
    await b.says("read")
    await world.rest()
    await world.check()


async def test_to_resume_an_agent_that_only_has_held_mail_is_enough(world: World) -> None:
    """DS-36: a resume opens it."""
    a, b, b_id = await asleep(world)
    await a.does(write(b_id, "m1"))

    await world.room.resume(b_id)

    await b.asked()
    assert bodies_read(world, "b") == ["m1"]
    await b.says("read")
    await world.rest()
    with pytest.raises(Refused):
        await world.room.resume(b_id)
    await world.check()


async def test_what_was_held_is_read_with_the_persons_text_that_wakes_its_recipient(world: World) -> None:
    """DS-36: a turn of it starts, and nothing is left behind; the person comes first."""
    a, b, b_id = await asleep(world)
    await a.does(write(b_id, "m1"))

    await world.prompt("b", "wake up")

    request = await b.asked()
    told = [str(item) for item in request.items[-2:]]
    assert "wake up" in told[0]
    assert "m1" in told[1]
    await b.says("read")
    await world.rest()
    await world.check()


async def test_a_child_that_was_let_go_is_cold_again_and_its_maker_may_wake_it(worlds: Worlds) -> None:
    """DS-4, DS-36: an hour after its last turn it has left the memory."""
    world = worlds(policy=SLEEPER)

    async def plays(request: ModelRequest) -> ScriptedAnswer:
        """The maker makes one, and writes to it when it is told to; the child works."""
        last = str(request.items[-1])
        if "make one" in last:
            return spawn("work")
        return write(id_of(world, "a", 2), "m1") if "tell it" in last else say("done")

    world.agent("a", *[plays] * 20, delegates_to=("a",))
    await world.prompt("a", "make one")
    await world.quiesce()
    await passes(world, 4_000.0)
    found = world.room.store.look(lambda tx: list(tx.every_row(rows.Branch)))
    resident = [row.resident for _, row in found]
    await world.prompt("a", "tell it")
    await world.quiesce()

    assert resident == [1, 0]
    assert len(world.events("branch.evicted")) == 1
    (sent,) = results_of(world.requests("a", 1)[-1])
    assert status(sent) == "accepted"
    assert bodies_read_by(world.requests("a", 2)[-1]) == ["m1"]
    await world.check()


async def passes(world: World, seconds: float) -> None:
    """Time goes by, and what is due in it is done."""
    assert isinstance(world.clock, FakeClock)
    await world.clock.advance(seconds)
    await world.quiesce()


async def test_mail_for_an_agent_without_a_directory_is_kept_until_it_is_back(world: World) -> None:
    """DS-15: the list names it, so it may be written to; nowhere is where it could run."""
    a, b, b_id = await asleep(world, theirs=POLICY)
    await a.says("later")
    await world.quiesce()
    place = directory(world, "two")
    c = world.puppets["a"]
    await world.prompt_new("a", "another", policy=listing(b_id), cwd=place)
    await c.asked()
    directory(world, "one").rmdir()

    (sent,) = await c.does(write(b_id, "m1"))
    assert status(sent) == "queued"
    await world.room.open_agent(id_of(world, "a"))  # not its recipient: it stays where it is
    assert not b.is_asked
    directory(world, "one")
    (again,) = await c.does(write(b_id, "m2"))

    assert status(again) == "accepted"
    await b.asked()
    assert bodies_read(world, "b") == ["m1", "m2"]
    await b.says("read")
    await world.rest()
    await world.check()


async def test_a_live_agent_without_a_directory_takes_mail(world: World) -> None:
    """DS-15: only what is not in memory has to be run somewhere."""
    b, a = world.puppet("b"), world.puppet("a")
    await world.prompt("b", "the task of b", cwd=directory(world, "gone"))
    await b.asked()
    b_id = id_of(world, "b")
    await world.prompt("a", "the task of a", policy=listing(b_id), cwd=directory(world, "two"))
    await a.asked()
    directory(world, "gone").rmdir()

    (sent,) = await a.does(write(b_id, "m1"))

    assert status(sent) == "accepted"
    await b.says("read")
    await world.rest()
    await world.check()


async def test_two_who_write_to_one_cold_agent_wake_it_once(world: World) -> None:
    """DS-14"""
    a, b, b_id = await asleep(world, theirs=POLICY)
    await a.starts(write(b_id, "m1"), write(b_id, "m2"))
    await world.prompt_new("a", "another", cwd=directory(world, "one"))

    await b.asked()
    await b.says("read")
    await world.rest()

    started = kinds(log_of(world, "b"), "turn.started")
    assert len(started) == 2
    await world.check()


async def test_a_full_pair_counts_what_is_held_read_and_unread_and_frees_what_is_answered(
    world: World,
) -> None:
    """DS-30: at the limit and one over it, before anything is queued."""
    theirs = replace(SLEEPER, pair_cap=3)
    a, b, b_id = await asleep(world, theirs=theirs)

    results = await a.does(*(write(b_id, text) for text in ("m1", "m2", "m3", "m4")))
    await world.room.open_agent(b_id)
    await b.asked()  # all three are in its request: claimed, and not answered yet
    (full,) = await a.does(write(b_id, "m4"))
    await b.says("read")
    await world.event("message.consumed", 5)
    (free,) = await a.does(write(b_id, "m4"))

    assert [status(r) for r in results[:3]] == ["queued"] * 3
    assert [code(results[3]), code(full)] == ["mailbox_full"] * 2
    assert status(free) == "accepted"
    await world.rest()
    await world.check()


@pytest.mark.parametrize("over", [0, 1], ids=["at the limit", "one over"])
async def test_the_limit_of_a_body_counts_its_bytes(world: World, over: int) -> None:
    """DS-30"""
    a, b, b_id = await apart(world, "one", "one")

    (sent,) = await a.does(write(b_id, "é" * (65_536 // 2) + "x" * over))

    if over:
        assert code(sent) == "message_too_large"
    else:
        assert status(sent) == "accepted"
    assert len(kinds(log_of(world, "a"), "message.sent")) == 1 - over
    del b
    await world.rest()
    await world.check()


async def test_what_lies_with_an_agent_is_tried_again_when_it_is_opened(world: World) -> None:
    """DS-15, DS-24: its session starts; the directory of the recipient has come back meanwhile."""
    a, b, b_id = await asleep(world, theirs=POLICY)
    await a.says("later")
    await world.quiesce()
    c = world.puppets["a"]
    await world.prompt_new("a", "another", policy=listing(b_id), cwd=directory(world, "two"))
    await c.asked()
    directory(world, "one").rmdir()
    await c.does(write(b_id, "m1"))
    directory(world, "one")

    await world.room.open_agent(id_of(world, "a", 2))

    await b.asked()
    assert bodies_read(world, "b") == ["m1"]
    await b.says("read")
    await world.rest()
    await world.check()


async def test_what_may_not_go_any_more_is_dropped_with_a_word_that_says_nothing_more(world: World) -> None:
    """DS-2, DS-9: its recipient was archived while it was held."""
    a, _, b_id = await asleep(world)
    await a.does(write(b_id, "m1"))
    await a.says("later")
    await world.quiesce()
    await world.room.archive(b_id)
    await world.prompt("a", "what became of it?")

    request = await a.asked()

    assert "did not go: there is no such session, or none that you may reach" in str(request.items)
    assert "archived" not in str(request.items)
    await a.says("I see")
    await world.check()
