"""Our items on the vendor's side, and back."""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Protocol

import pytest
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from postroom.llm.port import AssistantItem, CallItem, Item, ModelAnswer, ResultItem, Usage
from postroom.llm.vendor_answers import to_answer
from postroom.llm.vendor_messages import to_messages
from tests.unit.llm.requests import asks, result, user

THOUGHT = ThinkingPart(content="hm", id="reasoning", signature="s1gned", provider_name="openai")


def kinds(message: ModelMessage) -> list[str]:
    return [part.part_kind for part in message.parts]


def answer_to(*parts: ModelResponsePart, with_calls: bool = True) -> ModelAnswer:
    response = ModelResponse(parts=parts, provider_name="openai")
    return to_answer(response, provider="openai", usage=Usage(), with_calls=with_calls)


def committed(answer: ModelAnswer, *call_ids: str) -> AssistantItem:
    """The answer as the loop keeps it: its calls have our ids."""
    calls = tuple(
        CallItem(call_id=ours, tool=call.tool, arguments=call.arguments)
        for ours, call in zip(call_ids, answer.calls, strict=True)
    )
    return AssistantItem(
        text=answer.text,
        calls=calls,
        provider=answer.provider,
        provider_parts=answer.provider_parts,
    )


def test_results_and_mail_between_two_answers_form_one_request() -> None:
    items = (user(), asks("c_1", "c_2", text="t"), result("c_1"), result("c_2"), user(), asks(text="x"))

    messages = to_messages(items, provider="openai")

    assert [kinds(message) for message in messages] == [
        ["user-prompt"],
        ["text", "tool-call", "tool-call"],
        ["tool-return", "tool-return", "user-prompt"],
        ["text"],
    ]


def test_calls_and_results_carry_our_ids() -> None:
    """O-04"""
    answer = answer_to(ToolCallPart("look", '{"n": 1}', "call_0"))

    _, call, outcome = to_messages(
        (user(), committed(answer, "c_17_2_0"), result("c_17_2_0")), provider="openai"
    )

    assert isinstance(call, ModelResponse)
    assert [part.tool_call_id for part in call.tool_calls] == ["c_17_2_0"]
    assert isinstance(outcome, ModelRequest)
    assert isinstance(outcome.parts[0], ToolReturnPart)
    assert outcome.parts[0].tool_call_id == "c_17_2_0"


def test_a_plain_answer_keeps_no_opaque_parts() -> None:
    answer = answer_to(TextPart("I look."), ToolCallPart("look", '{"n": 1}', "call_0"))

    assert answer.provider_parts is None
    assert answer.text == "I look."
    assert answer.calls == (
        CallItem(call_id="", tool="look", arguments='{"n": 1}', provider_call_id="call_0"),
    )


def test_a_thought_goes_back_to_the_provider_it_came_from() -> None:
    answer = answer_to(THOUGHT, TextPart("I look."), ToolCallPart("look", "{}", "call_0"))
    items = (user(), committed(answer, "c_1"), result("c_1"))

    messages = to_messages(items, provider="openai")

    assert messages[1].parts[0] == THOUGHT
    assert kinds(messages[1]) == ["thinking", "text", "tool-call"]
    assert isinstance(messages[1].parts[2], ToolCallPart)
    assert messages[1].parts[2].tool_call_id == "c_1"


def test_a_thought_never_goes_to_another_provider() -> None:
    answer = answer_to(THOUGHT, TextPart("I look."), ToolCallPart("look", "{}", "call_0"))

    messages = to_messages((user(), committed(answer, "c_1"), result("c_1")), provider="other")

    assert kinds(messages[1]) == ["text", "tool-call"]


@pytest.mark.parametrize("damaged", [{"kind": "response"}, {"kind": "request", "parts": []}, "x", 3])
def test_opaque_parts_that_cannot_be_read_give_way_to_text_and_calls(
    damaged: dict[str, str] | str | int,
) -> None:
    item = AssistantItem(text="plain", provider="openai", provider_parts=damaged)  # pyright: ignore[reportArgumentType]

    messages = to_messages((user(), item, user()), provider="openai")

    assert kinds(messages[1]) == ["text"]


def test_text_without_anything_to_see_never_enters_history() -> None:
    """G6"""
    answer = answer_to(TextPart(" \n"), ToolCallPart("look", "{}", "call_0"))

    assert answer.text == ""


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_call_without_arguments_has_an_empty_object(nothing: str | None) -> None:
    assert answer_to(ToolCallPart("look", nothing, "call_0")).calls[0].arguments == "{}"


def test_arguments_that_are_no_json_pass_as_text() -> None:
    assert answer_to(ToolCallPart("look", '{"n": ', "c")).calls[0].arguments == '{"n": '


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_no_json_has_go_back_in_words(number: str) -> None:
    arguments = f'{{"n": {number}}}'

    (_, call, _) = to_messages((user(), asks("c_1", arguments=arguments), result("c_1")), provider="p")

    assert isinstance(call.parts[0], ToolCallPart)
    assert call.parts[0].args_as_dict() == {"INVALID_JSON": arguments}


@pytest.mark.parametrize("made_up", ["functions.look", "look at", "", "9lives", "größe", "x" * 65])
def test_a_name_that_no_vendor_takes_goes_back_as_one_that_all_do(made_up: str) -> None:
    answer = answer_to(THOUGHT, ToolCallPart(made_up, "{}", "call_0"))
    items = (user(), committed(answer, "c_1"), ResultItem(call_id="c_1", tool=made_up, text="no such tool"))

    (_, call, outcome) = to_messages(items, provider="openai")

    assert isinstance(call, ModelResponse)
    assert isinstance(outcome.parts[0], ToolReturnPart)
    (sent,) = call.tool_calls
    assert re.fullmatch("[A-Za-z_][A-Za-z0-9_-]{0,63}", sent.tool_name)
    assert outcome.parts[0].tool_name == sent.tool_name
    assert kinds(call) == ["tool-call"]


def test_a_text_that_names_them_is_left_alone() -> None:
    arguments = '{"name": "Infinity and NaN"}'

    (_, call, _) = to_messages((user(), asks("c_1", arguments=arguments), result("c_1")), provider="p")

    assert isinstance(call.parts[0], ToolCallPart)
    assert call.parts[0].args == arguments


def test_an_id_that_the_adapter_made_up_is_none_of_the_provider() -> None:
    assert answer_to(ToolCallPart("look", "{}")).calls[0].provider_call_id == ""


def test_broken_characters_stop_here() -> None:
    """O-27"""
    half = "half \ud83d"
    thought = ThinkingPart(content=half, id="reasoning", provider_name="openai")

    answer = answer_to(thought, TextPart(half), ToolCallPart("look", f'{{"x": "{half}"}}', half))

    assert answer.text == "half \ufffd"
    assert answer.calls[0].arguments == '{"x": "half \ufffd"}'
    assert answer.calls[0].provider_call_id == "half \ufffd"
    assert "\\ud83d" not in repr(answer.provider_parts)


def test_no_calls_are_taken_when_text_was_forced() -> None:
    answer = answer_to(TextPart("so far"), ToolCallPart("look", "{}", "c"), with_calls=False)

    assert (answer.text, answer.calls, answer.provider_parts) == ("so far", (), None)


def rounds(count: int) -> tuple[Item, ...]:
    """`count` items: mail, call, result, again and again."""
    items: list[Item] = []
    for number in range(count // 3):
        items += [user(), asks(f"c_{number}", text="I look."), result(f"c_{number}")]
    return tuple(items)


class Tracer(Protocol):
    """Hears of everything that Python does in a function."""

    def __call__(self, frame: FrameType, event: str, value: object, /) -> "Tracer": ...


def steps(work: Callable[[], object]) -> int:
    """How many instructions of Python it takes: the same number on every machine."""
    count = 0

    def trace(frame: FrameType, _event: str, _value: object) -> Tracer:
        nonlocal count
        count += 1
        frame.f_trace_opcodes = True
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_mapping_many_items_is_linear() -> None:
    small, large = rounds(600), rounds(2_400)

    few = steps(lambda: to_messages(small, provider="openai"))
    many = steps(lambda: to_messages(large, provider="openai"))

    assert few < many < 4.1 * few


def test_each_item_is_mapped_once() -> None:
    messages = to_messages(rounds(9_999), provider="openai")

    assert sum(len(message.parts) for message in messages) == 9_999 + 3_333
    assert isinstance(messages[0].parts[0], UserPromptPart)
