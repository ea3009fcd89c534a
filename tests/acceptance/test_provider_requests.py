"""A real SDK over HTTP against the strict emulator: what goes out and what comes back."""

from dataclasses import replace

import pytest

from postroom.llm.port import (
    ModelSettings,
)
from postroom.testing.provider_emulator import (
    CallIds,
    EmulatedRound,
)
from postroom.testing.script import batch, call, call_raw, say
from tests.acceptance.provider_talk import LOOK, connected, messages, plays


async def test_text_streams_and_calls_come_back_with_usage() -> None:
    async with connected(plays(say("I look twice.", call("look", at="a"), call("look", at="b")))) as (
        talk,
        emulator,
    ):
        answer = await talk.ask()

        await emulator.assert_clean()

    assert len(talk.heard) > 1
    assert "".join(talk.heard) == answer.text == "I look twice."
    assert [(c.tool, c.arguments, c.call_id) for c in answer.calls] == [
        ("look", '{"at": "a"}', ""),
        ("look", '{"at": "b"}', ""),
    ]
    assert answer.usage.input_tokens > 0
    assert answer.usage.output_tokens > 0


async def test_the_wire_carries_settings_tools_and_who_asks() -> None:
    settings = ModelSettings(max_tokens=77, temperature=0.5)

    async with connected(plays(say("ok"))) as (talk, emulator):
        await talk.ask(replace(talk.request(), settings=settings))
        (entry,) = await emulator.log()

    sent = entry["body"]
    assert isinstance(sent, dict)
    assert (entry["agent"], entry["branch"], entry["purpose"]) == ("b", "branch-1", "turn")
    assert sent["max_tokens"] == 77
    assert sent["temperature"] == 0.5
    assert sent["stream"] is True
    assert sent["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "look",
                "description": "Looks at a place.",
                "parameters": LOOK.parameters,
            },
        }
    ]
    assert messages(sent) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "begin"},
    ]


@pytest.mark.parametrize("call_ids", [CallIds.PER_ANSWER, CallIds.SAME])
async def test_repeated_call_ids_of_the_provider_harm_no_later_request(call_ids: CallIds) -> None:
    """O-04"""
    two = batch(call("look", at="a"), call("look", at="b"))
    plan = plays(two, two, say("done")).model_copy(update={"call_ids": call_ids})

    async with connected(plan) as (talk, emulator):
        for _ in range(2):
            talk.commit(await talk.ask())
        done = await talk.ask()

        await emulator.assert_clean()
        sent = (await emulator.bodies("b"))[-1]

    answered = [each["tool_call_id"] for each in messages(sent) if each["role"] == "tool"]
    assert done.text == "done"
    assert answered == ["c_17_0_0", "c_17_0_1", "c_17_1_0", "c_17_1_1"]


async def test_arguments_that_are_no_json_are_passed_on_and_go_back_as_json() -> None:
    async with connected(plays(call_raw("look", '{"at": '), say("sorry"))) as (talk, emulator):
        broken = await talk.ask()
        talk.commit(broken)
        after = await talk.ask()

        await emulator.assert_clean()

    assert broken.calls[0].arguments == '{"at": '
    assert after.text == "sorry"


async def test_broken_characters_of_a_model_are_replaced() -> None:
    """O-27"""
    broken = EmulatedRound(text_json='"half \\ud83d, nul \\u0000, whole \\ud83d\\ude00"')

    async with connected(plays(broken, say("on"))) as (talk, emulator):
        answer = await talk.ask()
        talk.commit(answer)
        await talk.ask()

        await emulator.assert_clean()

    assert answer.text == "half \ufffd, nul \ufffd, whole 😀"
    assert "".join(talk.heard[:-1]).startswith("half \ufffd")


async def test_a_thought_goes_back_to_where_it_came_from() -> None:
    thinking = EmulatedRound(reasoning="Let me see.", text="I see.")

    async with connected(plays(thinking, say("on"))) as (talk, emulator):
        talk.commit(await talk.ask())
        await talk.ask()

        await emulator.assert_clean()
        sent = (await emulator.bodies("b"))[-1]

    answer = next(each for each in messages(sent) if each["role"] == "assistant")
    assert answer == {
        "role": "assistant",
        "content": "I see.",
        "reasoning_content": "Let me see.",
    }


async def test_a_forced_text_asks_for_no_calls() -> None:
    async with connected(plays(say("so far", call("look", at="a")))) as (talk, emulator):
        answer = await talk.ask(replace(talk.request(), force_text=True))
        (sent,) = await emulator.bodies("b")

    assert sent["tool_choice"] == "none"
    assert (answer.text, answer.calls) == ("so far", ())
