"""At the cap on rounds: where the policy says so, an agent answers once more, without tools."""

from dataclasses import replace

import pytest

from postroom.domain.policy import Policy
from postroom.errors import ModelRefusedRequest
from postroom.llm.port import AssistantItem, CallItem, ModelAnswer, ModelRequest, Usage
from postroom.testing.script import Play, call, fail, say
from postroom.testing.world import World, texts, times
from tests.acceptance.family import Worlds, delegate, send
from tests.acceptance.test_compaction import SMALL, SUMMARY, scribe, talk

TREE = Policy(surface="tree", at_cap="answers")
NOTHING = call("nothing")


def rude(text: str) -> Play:
    """A model that calls a tool although it was told to call none."""

    async def play(_request: ModelRequest) -> ModelAnswer:
        asked = CallItem(call_id="", tool="nothing", arguments="{}", provider_call_id="call_0")
        return ModelAnswer(text=text, calls=(asked,), usage=Usage(cost_micros=0))

    return play


def reason(world: World, profile: str, nth: int = 1) -> object:
    """Why the n-th turn of a profile ended."""
    return world.events("turn.ended", agent=profile)[nth - 1].facts["end_reason"]


async def test_at_the_cap_one_answer_without_tools_is_asked_for(worlds: Worlds) -> None:
    """systems.md 2.4: missing results are 'not executed', then one forced answer, which ends the turn."""
    world = worlds(policy=TREE)
    world.agent("r", NOTHING, say("and this", NOTHING, NOTHING), say("what I have so far"), max_rounds=2)
    await world.prompt("r", "begin")
    await world.turn_end("r")

    first, second, forced = world.requests("r")

    assert (first.force_text, second.force_text, forced.force_text) == (False, False, True)
    assert forced.tools == first.tools
    assert forced.items[: len(second.items)] == second.items
    assert sum("not executed" in text for text in texts(forced)) == 2
    assert reason(world, "r") == "round_cap"
    assert [e.facts["ended_by"] for e in world.events("call.ended")] == [
        "tool",
        "not_executed",
        "not_executed",
    ]
    assert len(world.events("turn.capped")) == 1
    await world.check()


async def test_the_forced_answer_is_the_result_of_its_task_and_names_the_cap(worlds: Worlds) -> None:
    world = worlds(policy=TREE)
    root = world.puppet("r", delegates_to=("b",))
    world.agent("b", NOTHING, say("half of it"), max_rounds=1)
    await world.prompt("r", "begin")

    (result,) = await root.does(delegate("b", background=False))

    assert "half of it" in result.text
    assert "was ended by its cap on rounds" in result.text
    assert result.is_error
    await world.check()


async def test_a_forced_answer_without_text_is_a_failed_task(worlds: Worlds) -> None:
    world = worlds(policy=TREE)
    root = world.puppet("r", delegates_to=("b",))
    world.agent("b", NOTHING, say(" "), max_rounds=1)
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await world.turn_end("b")

    (ended,) = world.events("task.ended")

    assert (ended.facts["state"], ended.facts["outcome"]) == ("errored", "round_cap")
    await world.check()


async def test_calls_in_the_forced_answer_are_not_made(worlds: Worlds) -> None:
    """A model that calls all the same is not asked a third time."""
    world = worlds(policy=TREE)
    world.agent("r", NOTHING, rude("and still"), say("later"), max_rounds=1)
    await world.prompt("r", "begin")
    await world.turn_end("r")

    await world.prompt("r", "go on")
    await world.turn_end("r", 2)

    last = world.requests("r")[-1]
    assert [e.facts["ended_by"] for e in world.events("call.ended")] == ["not_executed", "not_executed"]
    assert texts(last)[3] == "and still"
    assert isinstance(last.items[3], AssistantItem)
    assert "not executed" in texts(last)[4]
    await world.check()


async def test_a_steer_at_the_cap_opens_the_next_turn(worlds: Worlds) -> None:
    """It joins neither the forced request nor the turn (product.md section 4, How things end)."""
    world = worlds(policy=TREE)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", max_rounds=1)
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.asked()
    await root.does(send(world.handle("b"), "m1"))

    await b.starts(NOTHING)
    forced = await b.asked()
    await root.does(send(world.handle("b"), "m2"))
    await b.says("so far")
    await world.turn_end("b")
    following = await b.asked()

    assert forced.force_text
    assert times("m1", [forced]) == 0
    assert not following.force_text
    assert (times("m1", [following]), times("m2", [following])) == (1, 1)
    assert reason(world, "b") == "round_cap"
    await world.check()


async def test_a_dry_chain_gets_no_forced_answer(worlds: Worlds) -> None:
    """The budget of a chain still rules: what would be asked is not asked."""
    world = worlds(policy=replace(TREE, tokens_max=100))
    root = world.puppet("r", max_rounds=1)
    await world.prompt("r", "begin")
    await root.answers(replace(say("I will", NOTHING), tokens=100))
    await world.turn_end("r")
    await world.quiesce()

    assert len(world.requests("r")) == 1
    assert str(reason(world, "r")).startswith("chain_spent")
    assert not world.events("turn.capped")
    await world.check()


@pytest.mark.parametrize("death", ["interrupt", "resume"])
async def test_a_crash_before_the_forced_answer_leads_round_no_loop(worlds: Worlds, death: str) -> None:
    """The turn ends, or is asked for its one answer again; nothing of its last round is made twice."""
    policy = replace(TREE, host_death="interrupt" if death == "interrupt" else "resume")
    world = worlds(policy=policy)
    root = world.puppet("r", max_rounds=1)
    await world.prompt("r", "begin")
    await root.starts(NOTHING)
    await world.event("turn.capped")
    await root.asked()

    await world.crash()
    await world.open()
    root.rests()
    await world.turn_end("r")
    await world.quiesce()

    ended = [e.facts["end_reason"] for e in world.events("turn.ended", agent="r")]
    assert ended == (["the process ended"] if death == "interrupt" else ["round_cap"])
    assert len(world.events("call.ended")) == 1
    await world.check()


async def test_a_failing_forced_request_fails_the_turn(worlds: Worlds) -> None:
    world = worlds(policy=TREE)
    world.agent("r", NOTHING, fail(ModelRefusedRequest("no")), max_rounds=1)
    await world.prompt("r", "begin")
    ended = await world.turn_end("r")

    assert ended.facts["state"] == "failed"
    await world.check()


async def test_a_full_conversation_is_summed_up_before_the_forced_answer(worlds: Worlds) -> None:
    """What the last round adds may fill the window; the forced request still goes behind its results."""
    world = worlds(policy=TREE)
    scribe(world, say("They have talked."))
    puppet = world.puppet("r", settings=SMALL, max_rounds=1)
    await talk(world, puppet, "one", "two", "three")
    await world.prompt("r", "and now?")
    await puppet.answers(say("x" * 2_000, NOTHING))
    forced = await puppet.asked()
    await puppet.says("so far")
    ended = await world.turn_end("r", 4)

    assert forced.force_text
    assert texts(forced)[0].startswith(SUMMARY)
    assert "not executed" in texts(forced)[-1]
    assert ended.facts["end_reason"] == "round_cap"
    await world.check()
