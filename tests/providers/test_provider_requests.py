"""The real SDKs over HTTP against the strict emulator: what goes out and what comes back, on every wire."""

from dataclasses import replace

import pytest

from postroom.llm.port import Json
from postroom.testing.provider_emulator import CallIds, EmulatedRound
from postroom.testing.script import batch, call, call_raw, say
from tests.providers.provider_talk import connected, on_every_wire, plays


@on_every_wire
async def test_text_streams_and_calls_come_back_with_usage(vendor: str) -> None:
    plan = plays(say("I look twice.", call("look", at="a"), call("look", at="b")))

    async with connected(plan, vendor=vendor) as (talk, emulator):
        answer = await talk.ask()

        await emulator.assert_clean()
        (entry,) = await emulator.requests()

    assert len(talk.heard) > 1
    assert "".join(talk.heard) == answer.text == "I look twice."
    assert [(c.tool, c.call_id) for c in answer.calls] == [("look", ""), ("look", "")]
    assert [c.arguments.replace(" ", "") for c in answer.calls] == ['{"at":"a"}', '{"at":"b"}']
    assert answer.usage.input_tokens > 0
    assert answer.usage.output_tokens > 0
    assert answer.provider.startswith(f"{vendor}@127.0.0.1:")
    assert (entry.agent, entry.branch, entry.purpose) == ("b", "branch-1", "turn")


@on_every_wire
@pytest.mark.parametrize("call_ids", CallIds)
async def test_repeated_call_ids_of_the_provider_harm_no_later_request(
    vendor: str, call_ids: CallIds
) -> None:
    """O-04"""
    two = batch(call("look", at="a"), call("look", at="b"))
    plan = plays(two, two, say("done")).model_copy(update={"call_ids": call_ids})

    async with connected(plan, vendor=vendor) as (talk, emulator):
        for _ in range(2):
            talk.commit(await talk.ask())
        done = await talk.ask()

        await emulator.assert_clean()
        sent = (await emulator.requests("b"))[-1].raw.decode()

    assert done.text == "done"
    for ours in ("c_17_0_0", "c_17_0_1", "c_17_1_0", "c_17_1_1"):
        assert sent.count(f'"{ours}"') == 2


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])  # on Google's wire they are an object
async def test_arguments_that_are_no_json_are_passed_on_and_go_back_as_an_object(vendor: str) -> None:
    plan = plays(call_raw("look", '{"at": '), call_raw("look", "[NaN]"), say("sorry"))

    async with connected(plan, vendor=vendor) as (talk, emulator):
        broken = await talk.ask()
        talk.commit(broken, is_error=True)
        talk.commit(await talk.ask(), is_error=True)
        after = await talk.ask()

        await emulator.assert_clean()

    assert broken.calls[0].arguments == '{"at": '
    assert after.text == "sorry"


@on_every_wire
async def test_a_call_to_a_tool_that_is_not_there_is_passed_on_and_goes_back(vendor: str) -> None:
    async with connected(plays(call("vanish.now", at="a"), say("sorry")), vendor=vendor) as (talk, emulator):
        answer = await talk.ask()
        talk.commit(answer, is_error=True)
        after = await talk.ask()

        await emulator.assert_clean()

    assert [each.tool for each in answer.calls] == ["vanish.now"]
    assert after.text == "sorry"


@on_every_wire
async def test_calls_of_the_past_go_back_when_there_are_no_tools_any_more(vendor: str) -> None:
    async with connected(plays(call("look", at="a"), say("no tools")), vendor=vendor) as (talk, emulator):
        talk.commit(await talk.ask())
        answer = await talk.ask(replace(talk.request(), tools=()))

        await emulator.assert_clean()

    assert answer.text == "no tools"


@on_every_wire
async def test_broken_characters_of_a_model_are_replaced(vendor: str) -> None:
    """O-27"""
    broken = EmulatedRound(text_json='"half \\ud83d, nul \\u0000, whole \\ud83d\\ude00"')

    async with connected(plays(broken, say("on")), vendor=vendor) as (talk, emulator):
        answer = await talk.ask()
        talk.commit(answer)
        await talk.ask()

        await emulator.assert_clean()

    assert answer.text == "half \ufffd, nul \ufffd, whole 😀"
    assert "".join(talk.heard[:-1]).startswith("half \ufffd")


@on_every_wire
async def test_a_thought_goes_back_to_where_it_came_from(vendor: str) -> None:
    thinking = EmulatedRound(reasoning="Let me see.", text="I see.")

    async with connected(plays(thinking, say("on")), vendor=vendor) as (talk, emulator):
        answer = await talk.ask()
        talk.commit(answer)
        await talk.ask()

        await emulator.assert_clean()
        sent = (await emulator.requests("b"))[-1].raw.decode()

    assert answer.text == "I see."
    assert "Let me see." not in "".join(talk.heard)
    assert "Let me see." in sent


@on_every_wire
async def test_a_thought_goes_to_no_other_provider(vendor: str) -> None:
    thinking = EmulatedRound(reasoning="Let me see.", text="I see.", calls=())

    async with connected(plays(thinking, say("on")), vendor=vendor) as (talk, emulator):
        talk.commit(replace(await talk.ask(), provider="another"))
        await talk.ask()

        await emulator.assert_clean()
        sent = (await emulator.requests("b"))[-1].raw.decode()

    assert "I see." in sent
    assert "Let me see." not in sent


@on_every_wire
async def test_a_forced_text_asks_for_no_calls(vendor: str) -> None:
    async with connected(plays(say("so far", call("look", at="a"))), vendor=vendor) as (talk, emulator):
        answer = await talk.ask(replace(talk.request(), force_text=True))
        (sent,) = await emulator.bodies("b")

    assert choice_of(sent).lower() == "none"
    assert (answer.text, answer.calls) == ("so far", ())


@on_every_wire
async def test_a_forced_text_after_calls_changes_nothing_that_was_sent_before(vendor: str) -> None:
    """The tools stay in the request: the history with calls stays valid, and so does its beginning."""
    async with connected(plays(say("", call("look", at="a")), say("so far")), vendor=vendor) as (
        talk,
        emulator,
    ):
        talk.commit(await talk.ask())
        answer = await talk.ask(replace(talk.request(), force_text=True))
        await emulator.assert_clean()
        before, forced = await emulator.bodies("b")

    assert answer.text == "so far"
    assert choice_of(forced).lower() == "none"
    assert without_cache_marks(forced["tools"]) == without_cache_marks(before["tools"])


def without_cache_marks(tools: Json) -> Json:
    """Tools as they are sent, without where a vendor is to cut its cache."""
    assert isinstance(tools, list)
    return [
        {k: v for k, v in tool.items() if k != "cache_control"} for tool in tools if isinstance(tool, dict)
    ]


def choice_of(sent: dict[str, Json]) -> str:
    """What a body says of calling tools."""
    match sent:
        case {"tool_choice": {"type": str(choice)}} | {"tool_choice": str(choice)}:
            return choice
        case {"toolConfig": {"functionCallingConfig": {"mode": str(choice)}}}:
            return choice
        case _:
            return ""
