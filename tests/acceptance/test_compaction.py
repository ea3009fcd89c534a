"""What no longer fits is summed up: when, what stays, and that mail and history stay right (O-39, O-28)."""

from typing import Literal

import pytest

from postroom.domain.policy import Policy
from postroom.errors import ContextTooLong, ModelAuth
from postroom.llm.port import AssistantItem, ModelAnswer, ModelRequest, ModelSettings, ResultItem
from postroom.llm.strict import estimated_tokens
from postroom.profiles.rights import Rights
from postroom.service.contexts import chars_to
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, Round, ScriptedAnswer, ScriptedModel, call, fail, held, say
from postroom.testing.world import World, texts
from tests.acceptance.family import Worlds, delegate

SMALL = ModelSettings(context_window=4_000, max_tokens=400)
"""Requests have room for about 12,700 characters, four fifths of which are 10,200."""
SUMMARY = "<conversation_summary "


def long(name: str, chars: int = 3_000) -> str:
    return f"{name}: ".ljust(chars, "x")


def scribe(world: World, *rounds: Round) -> ScriptedModel:
    """Who sums everybody up: the n-th time it is asked it plays the n-th round."""
    coming = iter(rounds)

    async def play(request: ModelRequest) -> ModelAnswer | ScriptedAnswer:
        current = next(coming)
        return current if isinstance(current, ScriptedAnswer) else await current(request)

    model = ScriptedModel(*[play], clock=world.clock)
    world.rights = Rights(side_calls={"summary": "scripted:scribe"})
    world.models["scribe"] = model
    return model


async def talk(world: World, puppet: Puppet, *names: str, profile: str = "r") -> None:
    """One turn for each name, with a long prompt and a short answer."""
    for name in names:
        await world.prompt(profile, long(name))
        await puppet.says(f"done {name}")
        await world.quiesce()


def named(request: ModelRequest, *names: str) -> list[str]:
    """Which of these prompts the request holds as they were written, in their order."""
    shown = texts(request)
    return [name for name in names if long(name) in shown]


def wrong_lengths(tx: Tx) -> list[tuple[int, int]]:
    rows = [tx.branch_row(branch) for branch in invariants.read_ledger(tx).branches]
    return [(row.key, row.context_chars) for row in rows if chars_to(tx, row.head) != row.context_chars]


async def check(world: World) -> None:
    assert world.room.store.look(wrong_lengths) == []
    await world.check()


async def test_at_four_fifths_the_beginning_gives_way_and_the_last_two_turns_stay(world: World) -> None:
    """O-39: the summary stands first, then what stays, then what has come."""
    model, puppet = scribe(world, say("They spoke of one and two.")), world.puppet("r", settings=SMALL)
    await talk(world, puppet, "one", "two", "three")
    assert not model.requests

    await talk(world, puppet, "four", "five")

    request = world.requests("r")[-1]
    first = request.items[0].text
    assert first.startswith(SUMMARY)
    assert "They spoke of one and two." in first
    assert named(request, "one", "two", "three", "four", "five") == ["three", "four", "five"]
    (asked,) = model.requests
    assert asked.branch == request.branch
    assert "one: xxx" in asked.items[0].text
    assert "three: xxx" not in asked.items[0].text
    await check(world)


async def test_a_summary_is_charged_and_on_record_and_nothing_is_deleted(world: World) -> None:
    scribe(world, say("a summary"))
    puppet = world.puppet("r", settings=SMALL)
    await talk(world, puppet, "one", "two", "three", "four", "five")

    (made,) = world.events("side_call.made")
    assert (made.facts["purpose"], made.facts["outcome"]) == ("summary", "made")
    assert len(world.events("context.compacted")) == 1
    history = await world.room.history(world.view("r").session_id)
    assert [item.role for item in history].count("summary") == 1
    assert [item.text for item in history if item.role == "user"] == [
        long(name) for name in ("one", "two", "three", "four", "five")
    ]
    await check(world)


async def test_three_summaries_in_a_row_each_stand_for_the_one_before(world: World) -> None:
    """O-39: the newest alone is read; it was made of the one before and of what came behind that."""
    model = scribe(world, say("record A"), say("record B"), say("record C"))
    puppet = world.puppet("r", settings=SMALL)
    names = [f"prompt {n}" for n in range(10)]

    await talk(world, puppet, *names)

    assert len(model.requests) >= 2
    assert "record A" in model.requests[1].items[0].text
    assert "record A" not in model.requests[2].items[0].text
    newest = world.requests("r")[-1]
    assert ["record A" in newest.items[0].text, "record C" in newest.items[0].text] == [False, True]
    assert sum(SUMMARY in text for text in texts(newest)) == 1
    await check(world)


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (say("  \n\u200b"), "blank"),
        (fail(ModelAuth("no key")), "model_auth"),
        (fail(ContextTooLong("too long")), "context_too_long"),
    ],
)
async def test_without_a_summary_everything_stays_as_it_was(world: World, broken: Round, code: str) -> None:
    """O-28, O-39 b: the turn goes on while it fits; the same is not tried at each boundary."""
    model, puppet = scribe(world, broken), world.puppet("r", settings=SMALL)
    await talk(world, puppet, "one", "two", "three", "four")

    await world.prompt("r", "short")
    await puppet.does(call("none"))
    await puppet.says("still here")
    await world.quiesce()

    request = world.requests("r")[-1]
    assert named(request, "one", "two", "three", "four") == ["one", "two", "three", "four"]
    assert len(model.requests) == 1
    (made,) = world.events("side_call.made")
    assert (made.facts["outcome"], made.facts["code"]) == ("failed", code)
    assert not world.events("context.compacted")
    await check(world)


async def test_what_does_not_fit_without_a_summary_fails_with_its_cause(world: World) -> None:
    scribe(world, say(" "))
    puppet = world.puppet("r", settings=SMALL)
    await talk(world, puppet, "one", "two", "three", "four")

    await world.prompt("r", long("five"))
    await world.quiesce()

    end = world.events("turn.ended")[-1]
    assert end.facts["state"] == "failed"
    assert end.facts["end_reason"] == "context_too_long: no summary was made (blank)"
    assert world.view("r").unread == 1
    await check(world)


async def test_what_the_provider_finds_too_long_is_summed_up_and_asked_once_more(world: World) -> None:
    """The cut goes as deep as it must: our count was wrong. A second time in a turn the turn fails."""
    model = scribe(world, say("the record"), say("another record"))
    too_long = fail(ContextTooLong("it is too long"), times=1, then=say("so it fits"))
    world.agent("r", say("1"), say("2"), too_long, settings=SMALL)
    for name in ("one", "two", "three"):
        await world.prompt("r", long(name))
        await world.quiesce()

    assert len(model.requests) == 1
    assert world.events("turn.ended")[-1].facts["state"] == "finished"
    asked = world.requests("r")
    assert [len(request.items) for request in asked] == [1, 3, 5, 2]
    assert named(asked[-1], "one", "two", "three") == ["three"]
    assert world.models["r"].failures == []
    await check(world)


async def test_no_cut_comes_between_calls_and_their_results(world: World) -> None:
    """G6: in a turn of many rounds whole rounds give way, and what the turn began with stays."""
    scribe(world, *[say(f"rounds until {n}") for n in range(9)])
    puppet = world.puppet("r", tools=["look"], settings=SMALL)
    gate = Gate()
    gate.open()
    world.slow_tool("look", gate, "y" * 2_000)
    await world.prompt("r", long("task", 500))

    for _ in range(12):
        await puppet.does(call("look"), call("look"))
    await puppet.says("done")
    await world.quiesce()

    for request in world.requests("r"):
        open_calls = set[str]()
        for item in request.items:
            if isinstance(item, AssistantItem):
                open_calls = {one.call_id for one in item.calls}
            if isinstance(item, ResultItem):
                open_calls.remove(item.call_id)
        assert not open_calls
        assert texts(request).count(long("task", 500)) == 1
    assert len(world.events("context.compacted")) > 1
    assert world.events("turn.ended")[-1].facts["state"] == "finished"
    await check(world)


@pytest.mark.parametrize("called", ["agent", "task"])
async def test_what_goes_on_is_listed_again_after_a_summary(
    worlds: Worlds, called: Literal["agent", "task"]
) -> None:
    """A model that forgets its running children would begin them anew, and names them as its tools do."""
    world = worlds(policy=Policy(surface="tree", tasks_called=called))
    scribe(world, *[say("the record")] * 9)
    puppet = world.puppet("r", delegates_to=["b"], settings=SMALL)
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await puppet.does(delegate("b"))
    await puppet.says("it works on it")
    await world.turn_end("r")

    await talk_while_busy(world, puppet, "one", "two", "three", "four", "five")

    first = world.requests("r")[-1].items[0].text
    task = world.events("task.queued")[0].facts["id"]
    name = f"task {task}, " if called == "task" else ""
    assert f"the b ({name}given to {world.handle('b')}, running)" in first
    child.rests()
    puppet.rests()
    await check(world)


async def talk_while_busy(world: World, puppet: Puppet, *names: str) -> None:
    for number, name in enumerate(names, 2):
        await world.prompt("r", long(name))
        await puppet.says(f"done {name}")
        await world.turn_end("r", number)


async def test_mail_that_comes_during_a_summary_waits_for_the_same_boundary(world: World) -> None:
    """O-39 a: accepted at once, read once, verbatim and behind the summary."""
    gate = Gate()
    model, puppet = scribe(world, held(gate, say("the record"))), world.puppet("r", settings=SMALL)
    await talk(world, puppet, "one", "two", "three", "four")
    session = world.view("r").session_id

    await world.prompt("r", "just before")
    await gate.reached.wait()
    await world.prompt("r", "s1")
    await world.room.send(session, "q1", mode="queue")
    gate.open()
    await puppet.says("read")
    puppet.rests()
    await world.quiesce()

    request = world.requests("r")[-1]
    assert [texts(request).count(text) for text in ("just before", "s1", "q1")] == [1, 1, 1]
    assert request.items[0].text.startswith(SUMMARY)
    assert not any(word in model.requests[0].items[0].text for word in ("just before", "s1", "q1"))
    await check(world)


async def test_a_stop_during_a_summary_writes_nothing_and_loses_nothing(world: World) -> None:
    """O-39 c, O-17: no model is asked until the person says more; then all of it is read once."""
    gate = Gate()
    scribe(world, held(gate, say("the record")), say("the later record"))
    puppet = world.puppet("r", settings=SMALL)
    await talk(world, puppet, "one", "two", "three", "four")
    session = world.view("r").session_id
    await world.prompt("r", "just before")
    await gate.reached.wait()
    await world.room.send(session, "q1", mode="queue")

    assert await world.room.stop(session) == 1
    gate.open()
    await world.quiesce()

    assert not world.events("context.compacted")
    assert not world.events("side_call.made")
    assert len(world.requests("r")) == 4
    await world.prompt("r", "continue")
    await puppet.says("read")
    puppet.rests()
    await world.quiesce()
    request = world.requests("r")[-1]
    assert [texts(request).count(text) for text in ("just before", "q1", "continue")] == [1, 1, 1]
    assert "the later record" in request.items[0].text
    await check(world)


async def test_a_steer_at_the_end_of_a_full_turn_is_read_in_it_after_the_summary(world: World) -> None:
    """G3: neither does the turn end before it, nor is it read without the summary."""
    scribe(world, say("the record"))
    puppet = world.puppet("r", settings=SMALL)
    await talk(world, puppet, "one", "two", "three")
    await world.prompt("r", "go")
    await puppet.asked()

    await world.room.send(world.view("r").session_id, "a steer", mode="steer")
    await puppet.says(long("an answer", 2_500))
    request = await puppet.asked()

    assert texts(request)[-1] == "a steer"
    assert request.items[0].text.startswith(SUMMARY)
    assert [e.kind for e in world.events("turn.ended", agent="r")] == ["turn.ended"] * 3
    puppet.rests()
    await check(world)


async def test_no_request_goes_out_that_is_known_not_to_fit(world: World) -> None:
    """O-30: a turn whose results have no room and cannot be summed up fails with that cause, by itself."""
    scribe(world, say(" "))
    puppet = world.puppet("r", tools=["look"], settings=SMALL)
    gate = Gate()
    gate.open()
    world.slow_tool("look", gate, "y" * 2_500)
    await world.prompt("r", long("task"))

    await puppet.does(call("look"), call("look"))
    await puppet.starts(call("look"), call("look"), call("look"))
    await world.turn_end("r")

    (end,) = world.events("turn.ended")
    assert end.facts["state"] == "failed"
    cause = "context_too_long: the conversation does not fit, and no summary was made (blank)"
    assert str(end.facts["end_reason"]).startswith(cause)
    assert len(world.requests("r")) == 2
    await check(world)


async def test_nor_after_two_summaries_have_failed(world: World) -> None:
    """O-30: each is tried once for its own reason, then the turn grows until nothing holds it."""
    model = scribe(world, *[say(" ")] * 4)
    world.agent("r", *[call("look")] * 40, tools=["look"], settings=SMALL)
    gate = Gate()
    gate.open()
    world.slow_tool("look", gate, "y" * 400)
    await world.prompt("r", long("task"))

    await world.turn_end("r")

    (end,) = world.events("turn.ended")
    assert str(end.facts["end_reason"]).startswith("context_too_long: the conversation does not fit")
    assert len(model.requests) >= 2
    assert all(estimated_tokens(request) <= 4_000 for request in world.requests("r"))
    await check(world)


async def test_a_turn_that_is_resumed_goes_on_behind_a_summary_or_without_one(world: World) -> None:
    scribe(world, say(" "), say(" "), say("the record"))
    puppet = world.puppet("r", tools=["look"], settings=SMALL)
    gate = Gate()
    gate.open()
    world.slow_tool("look", gate, "y" * 2_500)
    await talk(world, puppet, "one", "two")
    await world.prompt("r", "look")
    await puppet.does(call("look"), call("look"))

    await world.reopen()
    session = world.view("r").session_id
    await world.room.resume(session)
    request = await puppet.asked()
    assert named(request, "one", "two") == ["one", "two"], "no summary, and it fits"
    await puppet.fails(ModelAuth("no key"))
    await world.quiesce()
    await world.room.resume(session)

    request = await puppet.asked()
    assert request.items[0].text.startswith(SUMMARY)
    assert isinstance(request.items[-1], ResultItem)
    puppet.rests()
    await check(world)
