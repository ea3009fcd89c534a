"""How an answer ended decides whether it is one."""

from typing import Literal

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from postroom.errors import AnswerCut, AnswerFiltered, AnswerRefused, ModelFault, ModelUnavailable
from postroom.llm.vendor_finish import fault_of

Reason = Literal["stop", "length", "content_filter", "tool_call", "error"]
TEXT = TextPart("so far")
CALL = ToolCallPart("look", '{"at": "a')


def ended(*parts: TextPart | ToolCallPart, reason: Reason | None, **details: str) -> ModelFault | None:
    response = ModelResponse(parts=parts, finish_reason=reason, provider_details=dict(details) or None)
    return fault_of(response, provider="p")


@pytest.mark.parametrize("reason", ["stop", "tool_call"])
def test_a_whole_answer_has_no_fault(reason: Reason) -> None:
    assert ended(TEXT, CALL, reason=reason) is None


def test_a_text_cut_by_its_length_is_an_answer() -> None:
    assert ended(TEXT, reason="length", finish_reason="max_tokens") is None


def test_a_call_cut_by_its_length_is_not() -> None:
    assert type(ended(TEXT, CALL, reason="length")) is AnswerCut


@pytest.mark.parametrize("parts", [(), (TEXT,), (CALL,)], ids=["empty", "text", "call"])
def test_what_a_filter_withheld_is_no_answer(parts: tuple[TextPart, ...]) -> None:
    fault = ended(*parts, reason="content_filter", finish_reason="SAFETY")

    assert type(fault) is AnswerFiltered
    assert fault.message == "p: the content filter withheld the answer: SAFETY"


def test_a_blocked_request_says_why() -> None:
    fault = ended(reason="content_filter", block_reason="OTHER", block_reason_message="not  this\nword")

    assert fault is not None
    assert fault.message.endswith("withheld the answer: not this word")


@pytest.mark.parametrize("details", [{"finish_reason": "refusal"}, {"refusal": "I will not."}])
def test_a_model_that_refuses_is_told_from_a_filter(details: dict[str, str]) -> None:
    fault = ended(TEXT, reason="content_filter", **details)

    assert type(fault) is AnswerRefused
    assert details.get("refusal", "") in fault.message


def test_an_answer_that_the_provider_broke_off_may_be_tried_again() -> None:
    fault = ended(reason="error", finish_reason="MALFORMED_FUNCTION_CALL")

    assert type(fault) is ModelUnavailable
    assert "MALFORMED_FUNCTION_CALL" in fault.message


def test_a_stream_that_ends_without_a_reason_was_cut() -> None:
    assert type(ended(TEXT, reason=None)) is ModelUnavailable


def test_a_reason_that_nobody_knows_is_a_reason() -> None:
    assert ended(TEXT, reason=None, finish_reason="eos") is None
