"""The classifier as a side call: its opinion, and that every failure is none."""

import asyncio

import pytest

from postroom.clock import SystemClock
from postroom.domain.ask import Opinion
from postroom.errors import ModelFault, ModelUnavailable
from postroom.llm.port import Model, ModelAnswer, ModelRequest, OnText, Purpose, Usage
from postroom.rules.classifier import CALL_CHARS_MAX, CallInQuestion
from postroom.runtime.side_calls import CLASSIFY_S, Advice, Question, classify
from postroom.testing.clock import FakeClock
from postroom.testing.script import Gate, Round, ScriptedModel, call, fail, held, say

APPROVE = '{"decision": "approve", "reason": "it was asked for"}'
CALL = CallInQuestion(tool="shell", action="shell", resource="ls", arguments='{"command": "ls"}')
QUESTION = Question(agent="writer", branch="b", call=CALL, person="look around")


async def asked(*rounds: Round) -> Advice:
    return await classify(ScriptedModel(*rounds), QUESTION, SystemClock())


async def test_the_opinion_is_that_of_the_model_and_has_its_price() -> None:
    advice = await asked(say(APPROVE))

    assert (advice.opinion, advice.code) == (Opinion.APPROVE, "")
    assert advice.usage.output_tokens > 0


async def test_the_model_is_asked_without_tools_and_without_the_conversation() -> None:
    model = ScriptedModel(say(APPROVE))

    await classify(model, QUESTION, SystemClock())

    [request] = model.requests
    assert (request.agent, request.branch, request.purpose) == ("writer", "b", Purpose.CLASSIFICATION)
    assert (request.tools, request.force_text, len(request.items)) == ((), True, 1)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (say("approve"), "answer_form"),
        (say("  "), "answer_form"),
        (call("approve"), "answer_form"),
        (fail(ModelUnavailable("down")), "model_unavailable"),
        (fail(ModelFault("no such model")), "model_failed"),
    ],
)
async def test_every_other_answer_and_every_fault_has_failed_and_has_a_code(answer: Round, code: str) -> None:
    advice = await asked(answer)

    assert (advice.opinion, advice.code) == (Opinion.FAILED, code)


class Broken:
    """A model of somebody else that fails in its own way."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """Fail."""
        del request
        on_text("approve")
        raise self._error


@pytest.mark.parametrize(
    ("error", "code", "is_told"),
    [
        (ValueError("\ud800"), "crashed", True),
        (RecursionError(), "crashed", True),
        (asyncio.CancelledError(), "timed_out", False),
    ],
)
async def test_a_model_that_breaks_has_no_opinion(error: BaseException, code: str, *, is_told: bool) -> None:
    """A mistake of an adapter is no opinion, and whoever runs the room hears of it all the same."""
    heard: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: heard.append(told.get("exception")))
    model: Model = Broken(error)

    advice = await classify(model, QUESTION, SystemClock())

    assert advice == Advice(opinion=Opinion.FAILED, code=code, usage=Usage())
    assert heard == ([error] if is_told else [])


async def test_an_answer_that_does_not_come_is_not_waited_for() -> None:
    clock = FakeClock()
    gate = Gate()
    model = ScriptedModel(held(gate, say(APPROVE)))
    began_s = clock.monotonic_s()

    advice = await clock.passes_until(classify(model, QUESTION, clock))

    assert (advice.opinion, advice.code) == (Opinion.FAILED, "timed_out")
    assert clock.monotonic_s() - began_s >= CLASSIFY_S


async def test_a_cancel_is_no_opinion() -> None:
    model = ScriptedModel(held(Gate(), say(APPROVE)))
    asking = asyncio.ensure_future(classify(model, QUESTION, SystemClock()))
    await model.nth_request(1)

    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_call_that_is_too_long_to_be_judged_asks_nobody_and_costs_nothing() -> None:
    long = Question(agent="w", branch="b", call=CALL._replace(resource="x" * CALL_CHARS_MAX), person="")
    model = ScriptedModel()

    advice = await classify(model, long, SystemClock())

    assert advice == Advice(opinion=Opinion.FAILED, code="too_long", usage=Usage(cost_micros=0))
    assert not model.requests
