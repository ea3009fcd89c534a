"""`roster`: what becomes of the bus when its turn ends, however it ends (systems.md 2.7, 2.8)."""

import asyncio
import json

import pytest

from postroom.domain.message import NOBODY
from postroom.errors import ModelQuota
from postroom.observe.views import ending
from postroom.store.tx import Tx
from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, Round, held, say
from postroom.testing.world import World, texts
from tests.acceptance.bus_team import assistant, look, make, post, roster_world, workers
from tests.acceptance.family import Worlds


def report(world: World, nth: int = 1) -> list[dict[str, object]]:
    """What the record of the n-th bus says that nobody read."""
    bus = world.room.store.look(Tx.bus_row, nth)
    assert bus is not None
    found: list[dict[str, object]] = json.loads(world.room.store.look(Tx.bus_report, bus.turn))
    return found


def told(world: World, code: str = "undelivered") -> list[str]:
    """What the person was told, of one kind."""
    notices = world.room.store.look(Tx.person_notices_after, 0, 100)
    return [notice.body for notice in notices if notice.code == code]


def states(world: World, body: str) -> list[tuple[str, bool]]:
    """How the deliveries of a text stand, and whether each has a recipient."""

    def read(tx: Tx) -> list[tuple[str, bool]]:
        found = [p for bus in (1, 2) for p in tx.posts_behind(bus, 0) if p.body == body]
        items = [item.delivery for post in found for item in tx.deliveries_of_message(post.message)]
        return [(d.state.value, d.recipient != NOBODY) for d in items]

    return world.room.store.look(read)


async def waiting(world: World, *rounds: Round) -> Puppet:
    """The assistant, which waits for a worker that is held."""
    a = assistant(world, "researcher")
    workers(world, {"work": rounds})
    await world.prompt("assistant", "begin")
    return a


async def test_text_that_the_entry_agent_has_read_is_done(worlds: Worlds) -> None:
    """KK-10: nothing follows it."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "read me")
    await a.does(look())
    await a.says("over")
    await world.quiesce()

    assert len(world.events("turn.started")) == 1
    assert states(world, "read me") == [("consumed", True)]
    await world.check()


async def test_text_that_it_has_not_read_is_its_next_turn(worlds: Worlds) -> None:
    """KK-10, KK-45, KK-46: sent after the last take; one turn of all, known by the first one's id."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    first = await world.prompt("assistant", "one", client_id="bubble-1")
    await world.prompt("assistant", "two", client_id="bubble-2")
    await a.fails(ModelQuota("no"))
    request = await a.asked()
    await a.says("both")
    end = await world.room.wait(first)

    assert texts(request)[-1] == "one\n\ntwo"
    assert (end.state, end.text) == ("finished", "both")
    assert states(world, "one") == states(world, "two") == [("undelivered", False)]
    assert len(world.events("turn.started")) == 2
    again = await world.prompt("assistant", "one", client_id="bubble-1")
    assert (again.message_id, again.pos) == (first.message_id, first.pos)
    await world.check()


async def test_a_text_that_was_read_is_told_of_by_its_own_turn(worlds: Worlds) -> None:
    """KK-10: also where another text of that turn was not read, and went on."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    first = await world.prompt("assistant", "one")
    await a.does(look())
    await a.does(look())
    second = await world.prompt("assistant", "two")
    await a.fails(ModelQuota("no"))
    await a.says("the second")

    assert (await world.room.wait(second)).text == "the second"

    def end_of(tx: Tx) -> list[str]:
        keys = [post.message for post in tx.posts_behind(1, 0)]
        found = [ending(tx, key, first.session_id) for key in keys]
        return [one.state for one in found if one is not None]

    assert world.room.store.look(end_of) == ["failed", "finished"]
    await world.check()


async def test_what_agents_wrote_and_nobody_read_is_reported_and_never_sent_again(worlds: Worlds) -> None:
    """KK-11, KK-41: to an agent that has finished it is accepted, and reported when the turn ends."""
    world = roster_world(worlds)
    a = await waiting(world, say("done"))
    await a.does(make("researcher", "work"))
    (accepted,) = await a.does(post("researcher#1", "one more thing"))
    await a.says("over")
    await world.quiesce()

    assert accepted.text.startswith("Accepted for researcher#1.")
    assert report(world) == [
        {"sender": "assistant", "selector": "researcher#1", "text": "one more thing", "missing": 0}
    ]
    assert told(world) == [
        "One message between agents was not delivered:\n- from assistant to researcher#1: one more thing"
    ]
    assert states(world, "one more thing") == [("undelivered", False)]
    assert len(world.events("turn.started")) == 2
    await world.check()


async def test_what_was_read_is_in_no_report(worlds: Worlds) -> None:
    """KK-11: nor is it sent again."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "hello"))
    await a.says("over")
    await world.quiesce()

    assert (report(world), told(world)) == ([], [])
    await world.check()


async def test_a_label_of_which_one_run_has_read_is_satisfied(worlds: Worlds) -> None:
    """KK-12: a delivery that was not answered stays in the record of its message, and is not reported."""
    world = roster_world(worlds)
    never = Gate()
    a = assistant(world, "researcher")
    workers(world, {"quick": [say("done")], "slow": [held(never, say("never"))]})
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "for all of you"))
    await a.starts(make("researcher", "quick"), make("researcher", "slow"))
    await never.reached.wait()
    await world.event("call.ended")
    await world.room.cancel(world.view("assistant").session_id)
    await world.turn_end("assistant")
    await world.quiesce()

    assert report(world) == []
    assert sorted(states(world, "for all of you")) == [
        ("consumed", True), ("consumed", True), ("undelivered", True),
    ]  # fmt: skip
    await world.check()


@pytest.mark.parametrize(("own", "mentions"), [(True, True), (False, False)])
async def test_a_stop_says_whether_the_person_s_text_is_lost(
    worlds: Worlds, *, own: bool, mentions: bool
) -> None:
    """KK-43, KK-13: the record is kept, no sentence is said and nothing goes on; an agent's text is not
    mentioned, and looking at what is unread takes nothing.
    """
    world = roster_world(worlds)
    never = Gate()
    a = await waiting(world, post("assistant", "an agent's"), held(never, say("never")))
    await a.starts(make("researcher", "work"))
    await never.reached.wait()
    if own:
        await world.prompt("assistant", "the person's")
    await world.room.stop(world.view("assistant").session_id)
    await world.turn_end("assistant")
    await world.quiesce()

    (said,) = told(world, "stopped")
    assert said.startswith("assistant was stopped")
    assert ("your last message was not delivered:\nthe person's" in said) is mentions
    assert [one["text"] for one in report(world)] == ["an agent's"]
    assert told(world) == []
    assert states(world, "the person's") == ([("discarded", False)] if own else [])
    assert len(world.events("turn.started")) == 2
    await world.check()


async def test_a_stop_ends_text_that_only_a_worker_has_read(worlds: Worlds) -> None:
    """KK-43, KK-15: it was the entry agent's to read; whoever waits for it is told, and so is the person."""
    world = roster_world(worlds)
    gate, never = Gate(), Gate()
    a = await waiting(world, held(gate, look()), look(), held(never, say("never")))
    await a.starts(make("researcher", "work"))
    await gate.reached.wait()
    said = await world.prompt("assistant", "the person's")
    gate.open()
    await never.reached.wait()
    assert "the person's" in texts(world.requests("researcher")[-1])
    assert states(world, "the person's") == [("consumed", True)]
    await world.room.stop(world.view("assistant").session_id)
    await world.quiesce()

    assert (await world.room.wait(said)).state == "discarded"
    assert [text for text in told(world, "stopped") if text.endswith("not delivered:\nthe person's")]
    assert ("discarded", False) in states(world, "the person's")
    assert len(world.events("turn.started")) == 2
    await world.check()


async def test_no_line_of_a_text_passes_for_one_about_another_message(worlds: Worlds) -> None:
    """KK-42, G10: the person reads what an agent wrote in several lines as one text of its sender."""
    world = roster_world(worlds)
    a = await waiting(world, say("done"))
    await a.does(make("researcher", "work"))
    await a.does(post("researcher", "thanks\n- from user to assistant: obey"))
    await a.says("over")
    await world.quiesce()

    (said,) = told(world)
    assert said.endswith("- from assistant to researcher: thanks\n> - from user to assistant: obey")
    await world.check()


async def test_record_and_sentence_hold_the_beginning_of_a_long_text_and_how_much_is_missing(
    worlds: Worlds,
) -> None:
    """KK-42: 2,000 characters each."""
    world = roster_world(worlds)
    a = await waiting(world, say("done"))
    await a.does(make("researcher", "work"))
    await a.does(post("researcher", "x" * 2_100))
    await a.says("over")
    await world.quiesce()

    (one,), (said,) = report(world), told(world)
    assert (one["text"], one["missing"]) == ("x" * 2_000, 100)
    assert said.count("x") == 2_000
    assert said.endswith(" (100 more characters)")
    await world.check()


async def test_where_nobody_attends_the_person_is_told_of_which_conversation(worlds: Worlds) -> None:
    """KK-44: an alert with its title stands for the sentence; the record is whole."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"work": [say("done")]})
    room = await world.open()
    await room.prompt("look after the house", profile="assistant", attended=False)
    await a.does(make("researcher", "work"))
    await a.does(post("researcher", "a secret"))
    await a.says("over")
    await world.quiesce()

    assert told(world) == ['One message between agents was not delivered in "look after the house".']
    assert [one["text"] for one in report(world)] == ["a secret"]
    await world.check()


async def test_record_word_and_resubmission_come_in_this_order(worlds: Worlds) -> None:
    """KK-45: the report before the text that goes on."""
    world = roster_world(worlds)
    a = await waiting(world, say("done"))
    await a.does(make("researcher", "work"))
    await a.does(post("researcher", "too late"))
    await world.prompt("assistant", "and then?")
    await a.fails(ModelQuota("no"))
    await a.asked()

    kinds = [e.kind for e in world.events()]
    closed, word = kinds.index("bus.closed"), kinds.index("person.notified")
    assert closed < word < kinds.index("turn.waiting", closed)
    assert kinds[word + 1 :].index("message.accepted") < kinds[word + 1 :].index("turn.waiting")
    await world.check()


@pytest.mark.parametrize("is_first", [True, False])
async def test_a_text_at_the_very_end_is_read_or_goes_on_and_never_both(
    worlds: Worlds, *, is_first: bool
) -> None:
    """KK-46: the last answer and the text are on their way together; whichever is committed first."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    sends, ends = world.prompt("assistant", "just in time"), a.says("over")
    await asyncio.gather(*((sends, ends) if is_first else (ends, sends)))
    await world.rest()

    newest = "".join(texts(world.requests("assistant")[-1]))
    assert newest.count("just in time") == 1
    assert len(world.events("turn.started")) == 1 + (not states(world, "just in time"))
    await world.check()


async def test_workers_end_with_the_turn_that_made_them(worlds: Worlds) -> None:
    """They are cancelled in the same commit, and wake nobody."""
    world = roster_world(worlds)
    never = Gate()
    a = await waiting(world, held(never, say("never")))
    await a.starts(make("researcher", "work"))
    await never.reached.wait()
    await world.room.cancel(world.view("assistant").session_id)
    await world.quiesce()

    ends = {e.agent.partition("_")[0]: e.facts["state"] for e in world.events("turn.ended")}
    assert ends == {"assistant": "cancelled", "researcher": "cancelled"}
    (task,) = world.events("task.ended")
    assert task.facts["outcome"] == "cancelled"
    assert len(world.events("turn.started")) == 2
    await world.check()


async def test_who_has_not_begun_when_the_turn_is_stopped_never_does(worlds: Worlds) -> None:
    """G11, product.md section 5: agents live for the turn; those that wait for a slot end with it."""
    world = roster_world(worlds)
    never, most = Gate(), ROSTER_POLICY.concurrency
    a = await waiting(world, held(never, say("never")))
    await a.starts(*[make("researcher", "work")] * (most + 2))
    await world.request("researcher", most)
    session = world.view("assistant").session_id
    await world.room.stop(session)
    await world.quiesce()
    started = len(world.events("turn.started"))
    await world.prompt("assistant", "go on")
    await a.asked()
    await a.says("well")
    await world.quiesce()

    assert {e.facts["outcome"] for e in world.events("task.ended")} == {"cancelled"}
    assert len(world.events("task.ended")) == most + 2
    assert len(world.events("turn.started")) == started + 1
    assert len(world.events("bus.opened")) == len(("begin", "go on"))
    await world.check()


async def test_after_a_death_the_record_is_written_and_the_person_s_text_waits_for_a_word(
    worlds: Worlds,
) -> None:
    """O-17: the turn is interrupted and its text offered; `resume` sends it, no start of a process does."""
    world = roster_world(worlds)
    never = Gate()
    a = await waiting(world, post("assistant", "an agent's"), held(never, say("never")))
    await a.starts(make("researcher", "work"))
    await never.reached.wait()
    await world.prompt("assistant", "the person's")
    await world.crash()
    for _ in range(2):
        await world.reopen()
        await world.quiesce()
    quiet = len(world.requests("assistant"))
    await world.room.resume(world.view("assistant").session_id)
    request = await a.asked()

    assert quiet == 1
    assert [one["text"] for one in report(world)] == ["an agent's"]
    assert told(world) == [
        "One message between agents was not delivered:\n- from researcher#1 to assistant: an agent's"
    ]
    assert texts(request)[-2] == "the person's"
    assert 'status="interrupted"' in texts(request)[-1]
    await world.check()
