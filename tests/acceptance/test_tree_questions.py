"""Agents ask the person: the answer is theirs, whole, and nobody else gives it."""

import pytest

from postroom import faults
from postroom.domain.plain import Json
from postroom.testing.puppet import results_of
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts
from tests.acceptance.asking import question, the_ask
from tests.acceptance.family import accepted, delegate, send


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


async def test_an_answer_makes_only_the_call_look_that_asked(world: World) -> None:
    """Many questions of one answer cost one look each when they are answered, and at most one before."""
    count = 6
    looks: list[int] = []

    def look() -> None:
        looks.append(1)

    root = world.puppet("r")
    await world.prompt("r", "begin")
    faults.watch("collect_answer.before", look)
    try:
        await root.starts(*(question(f"{n}?") for n in range(count)))
        await world.event("ask.opened", count)
        for n, ask in enumerate(await world.room.asks(), start=1):
            await world.room.answer(ask.ask_id, "yes")
            await world.event("call.ended", n)
        request = await root.asked()
    finally:
        faults.unwatch("collect_answer.before", look)

    assert [r.text for r in results_of(request)] == ["The person answered:\nyes"] * count
    assert count <= len(looks) <= 2 * count
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
