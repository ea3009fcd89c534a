"""What tests of teams are written with: builders, gates, failing rounds and a model that remembers."""

import asyncio

import pytest

from postroom.errors import ModelRefusedRequest, ModelUnavailable, ScriptEnded
from postroom.testing.script import Gate, ScriptedModel, batch, call, call_raw, fail, held, say
from tests.unit.llm.requests import asks, deaf, request, result, user


async def test_a_batch_is_one_answer_with_all_its_calls() -> None:
    model = ScriptedModel(
        say("both", call("look", at="a"), call_raw("send", "{broken")),
    )

    answer = await model.request(request(user()), deaf)

    assert answer.text == "both"
    assert [(each.tool, each.arguments) for each in answer.calls] == [
        ("look", '{"at": "a"}'),
        ("send", "{broken"),
    ]


async def test_calls_of_one_answer_may_share_their_id() -> None:
    """O-04 b"""
    model = ScriptedModel(batch(call("send"), call("send"), shared_id="call_0"))

    answer = await model.request(request(user()), deaf)

    assert [each.provider_call_id for each in answer.calls] == ["call_0", "call_0"]


async def test_a_held_round_answers_when_its_gate_opens() -> None:
    gate = Gate()
    model = ScriptedModel(held(gate, say("open")))

    asking = asyncio.create_task(model.request(request(user()), deaf))
    await gate.reached.wait()
    assert not asking.done()
    gate.open()

    assert (await asking).text == "open"
    assert gate.arrivals == 1


async def test_a_failing_round_fails_until_it_is_mended() -> None:
    """O-02"""
    outage = fail(ModelUnavailable("overloaded"), then=say("well again"))
    model = ScriptedModel(outage)

    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await model.request(request(user()), deaf)
    outage.mend()

    assert (await model.request(request(user()), deaf)).text == "well again"
    assert outage.failed == 2
    model.assert_clean()


async def test_every_request_is_kept_and_can_be_waited_for() -> None:
    model = ScriptedModel(say("one"), say("two"))
    second = asyncio.create_task(model.nth_request(2))

    await model.request(request(user("first")), deaf)
    await model.request(request(user("first"), asks(text="one"), user("second")), deaf)

    assert (await second).items[-1] == user("second")
    assert len(model.requests) == 2


async def test_a_bad_request_fails_the_test_at_its_end() -> None:
    """I4"""
    model = ScriptedModel(say("one"))

    with pytest.raises(ModelRefusedRequest):
        await model.request(request(user(), result("a")), deaf)

    with pytest.raises(AssertionError, match="stray_result"):
        model.assert_clean()


async def test_a_script_that_runs_out_fails_the_test_at_its_end() -> None:
    model = ScriptedModel()

    with pytest.raises(ScriptEnded):
        await model.request(request(user()), deaf)

    with pytest.raises(AssertionError, match="script_ended"):
        model.assert_clean()
