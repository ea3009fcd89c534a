"""Somebody leaves, or comes back: who is there to answer questions of a tree can change while it works."""

import pytest

from postroom.errors import NotFound, Refused
from postroom.testing.puppet import results_of
from postroom.testing.script import Gate, call
from postroom.testing.world import World
from tests.acceptance.asking import ASK_CHILDREN, NOBODY, question, the_ask
from tests.acceptance.family import delegate, send


async def test_a_question_is_withdrawn_when_its_person_leaves_and_its_turn_goes_on(world: World) -> None:
    """Issue 4, point 3: nothing waits for somebody who is not there, and the agent reads why."""
    root = world.puppet("r")
    prompt = await world.prompt("r", "begin")
    await root.starts(question("which?", "a", "b"), question("and?"))
    await world.event("ask.opened", 2)

    await world.room.set_attended(prompt.session_id, attended=False)

    results = results_of(await root.asked())
    assert [r.text.partition(": ")[0] for r in results] == ["ask_user:unattended"] * 2
    assert all(r.is_error for r in results)
    ended = [e.facts for e in world.events("ask.ended")]
    assert [(e["state"], e["by"]) for e in ended] == [("withdrawn", "person")] * 2
    (refused,) = await root.does(question("anybody?"))
    assert refused.text.startswith("ask_user:unattended:")
    await world.check()


async def test_leave_that_is_asked_for_stays_open_because_its_time_ends_it(world: World) -> None:
    """CK-6: a request for leave has a due time, with somebody there or with nobody."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    child = world.puppet("b")
    prompt = await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)

    await world.room.set_attended(prompt.session_id, attended=False)

    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await world.room.deny(ask.ask_id)
    await root.asked()
    await world.check()


async def test_a_tree_is_named_by_any_of_its_agents_and_no_other_tree_is_touched(world: World) -> None:
    root, child = world.puppet("r", delegates_to=("b",)), world.puppet("b")
    other = world.puppet("o")
    prompt = await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.starts(question("in this tree?"))
    await the_ask(world)
    await world.prompt("o", "begin")
    await other.starts(question("in another?"))
    await world.event("ask.opened", 2)

    await world.room.set_attended(world.handle("b"), attended=False)

    assert results_of(await child.asked())[0].text.startswith("ask_user:unattended:")
    (left,) = await world.room.asks()
    assert left.text == "in another?"
    assert not (await world.room.rights(prompt.session_id)).attended
    with pytest.raises(NotFound):
        await world.room.set_attended(NOBODY, attended=True)
    await world.room.answer(left.ask_id, "yes")
    await other.asked()
    await world.check()


async def test_whoever_comes_back_is_asked_again(world: World) -> None:
    """Setting what holds already writes nothing; a question after the return waits for its answer."""
    root = world.puppet("r")
    room = await world.open()
    prompt = await room.prompt("begin", profile="r", attended=False)
    await root.does(question("anybody?"))

    await room.set_attended(prompt.session_id, attended=True)
    await room.set_attended(prompt.session_id, attended=True)
    await root.starts(question("and now?"))
    await room.answer((await the_ask(world)).ask_id, "yes")

    assert results_of(await root.asked())[0].text == "The person answered:\nyes"
    assert len(world.events("attended.changed")) == 1
    await world.check()


async def test_a_question_that_was_withdrawn_while_nothing_ran_ends_its_call_at_the_next_start(
    world: World,
) -> None:
    root = world.puppet("r")
    prompt = await world.prompt("r", "begin")
    await root.starts(question("which?"))
    ask = await the_ask(world)
    await world.close()
    idle = await world.open(idle=True)
    await idle.set_attended(prompt.session_id, attended=False)
    await world.close()

    await world.open()

    assert results_of(await root.asked())[0].text.startswith("ask_user:unattended:")
    with pytest.raises(Refused) as refused:
        await world.room.answer(ask.ask_id, "too late")
    assert refused.value.refusal_code == "already_decided"
    assert refused.value.facts == {"state": "withdrawn", "by": "person"}
    await world.check()


async def test_only_a_tree_that_nothing_else_keeps_busy_has_last_questions(world: World) -> None:
    """What works, or ends by itself, is waited for; a parent that waits for the one who asks is not."""
    root, child = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b", "c")), world.puppet("b")
    busy = world.puppet("c")
    prompt = await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False), delegate("c", background=False))
    await child.starts(question("which?"))
    ask = await the_ask(world)
    await busy.asked()
    assert await world.room.last_questions(prompt.session_id) == []
    assert await world.room.last_questions() == []

    await busy.says("done")
    await world.turn_end("c")
    await world.event("call.ended", agent="r")

    assert [one.ask_id for one in await world.room.last_questions(world.handle("b"))] == [ask.ask_id]
    assert [one.ask_id for one in await world.room.last_questions()] == [ask.ask_id]
    await world.room.answer(ask.ask_id, "this")
    await child.asked()
    assert await world.room.last_questions(prompt.session_id) == []
    await world.check()


async def test_a_tool_at_work_beside_a_question_is_waited_for(world: World) -> None:
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", tools=("slow",))
    prompt = await world.prompt("r", "begin")
    await root.starts(question("which?"), call("slow"))
    ask = await the_ask(world)
    assert await world.room.last_questions(prompt.session_id) == []

    gate.open()
    await world.event("call.ended")

    assert [one.ask_id for one in await world.room.last_questions(prompt.session_id)] == [ask.ask_id]
    await world.room.answer(ask.ask_id, "this")
    await root.asked()
    await world.check()
