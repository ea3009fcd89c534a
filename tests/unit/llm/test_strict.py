"""The strictest reading of a request (G6): one test per kind, and that good ones pass."""

from dataclasses import replace

import pytest

from postroom.llm.port import ModelRequest, ModelSettings, ToolSpec
from postroom.llm.strict import Flaw, check, estimated_tokens
from postroom.rules.text import is_blank
from tests.unit.llm.requests import asks, request, result, user

BAD: dict[str, tuple[Flaw, ModelRequest]] = {
    "a call without a result": (Flaw.UNPAIRED_CALL, request(user(), asks("a"))),
    "one result for two calls": (Flaw.UNPAIRED_CALL, request(user(), asks("a", "b"), result("a"))),
    "an answer before the result": (
        Flaw.UNPAIRED_CALL,
        request(user(), asks("a"), asks(text="hm"), result("a")),
    ),
    "a result without a call": (Flaw.STRAY_RESULT, request(user(), result("a"))),
    "a second result": (Flaw.STRAY_RESULT, request(user(), asks("a"), result("a"), result("a"))),
    "a result far from its call": (
        Flaw.STRAY_RESULT,
        request(user(), asks("a"), result("a"), user(), result("a")),
    ),
    "one id twice in an answer": (Flaw.REPEATED_ID, request(user(), asks("a", "a"), result("a"))),
    "one id in two answers": (
        Flaw.REPEATED_ID,
        request(user(), asks("a"), result("a"), asks("a"), result("a")),
    ),
    "text before the result": (
        Flaw.TEXT_INSIDE_PAIR,
        request(user(), asks("a"), user(), result("a")),
    ),
    "text between two results": (
        Flaw.TEXT_INSIDE_PAIR,
        request(user(), asks("a", "b"), result("a"), user(), result("b")),
    ),
    "blank user text": (Flaw.BLANK_TEXT, request(user(" \u200b\ufeff\n"))),
    "an empty answer": (Flaw.BLANK_TEXT, request(user(), asks())),
    "a blank text beside a call": (
        Flaw.BLANK_TEXT,
        request(user(), asks("a", text="  "), result("a")),
    ),
    "an empty result": (Flaw.BLANK_TEXT, request(user(), asks("a"), result("a", ""))),
    "blank instructions": (Flaw.BLANK_TEXT, replace(request(user()), instructions="\u2028")),
    "a lone surrogate": (Flaw.NOT_UTF8, request(user("half \ud83d pair"))),
    "a lone surrogate in arguments": (
        Flaw.NOT_UTF8,
        request(user(), asks("a", arguments='{"x": "\udc00"}'), result("a")),
    ),
    "more than the window": (
        Flaw.OVER_WINDOW,
        replace(request(user("x" * 400)), settings=ModelSettings(context_window=100)),
    ),
}


@pytest.mark.parametrize(("flaw", "bad"), BAD.values(), ids=BAD.keys())
def test_a_bad_request_is_named_by_its_kind(flaw: Flaw, bad: ModelRequest) -> None:
    found = check(bad)

    assert found is not None
    assert found.startswith(f"{flaw}: ")


def test_a_history_with_batches_and_mail_between_rounds_passes() -> None:
    good = request(
        user("plan"),
        asks("c_1_0_0", "c_1_0_1", text="I look twice."),
        result("c_1_0_0"),
        result("c_1_0_1"),
        user('<agent_message from="b">hello</agent_message>'),
        user("and this"),
        asks("c_1_1_0"),
        result("c_1_1_0"),
        asks(text="Done."),
        user("thanks"),
    )

    assert check(good) is None


def test_results_may_come_in_another_order_than_their_calls() -> None:
    assert check(request(user(), asks("a", "b"), result("b"), result("a"))) is None


def test_a_request_that_fills_the_window_exactly_passes() -> None:
    full = request(user("x" * 40))
    tokens = estimated_tokens(full)

    assert check(replace(full, settings=ModelSettings(context_window=tokens))) is None
    assert check(replace(full, settings=ModelSettings(context_window=tokens - 1))) is not None


def test_tools_count_towards_the_window() -> None:
    tool = ToolSpec(name="look", description="x" * 400, parameters={"type": "object"})
    small = request(user())

    assert estimated_tokens(replace(small, tools=(tool,))) >= estimated_tokens(small) + 100


@pytest.mark.parametrize("text", ["", " \t\n", "\u00a0\u3000", "\u200b\u200d", "\ufeff", "\x00\x1b"])
def test_text_without_anything_to_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " . ", "\u200bé", "😀"])
def test_text_with_one_visible_character_is_not_blank(text: str) -> None:
    assert not is_blank(text)
