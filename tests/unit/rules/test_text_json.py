"""Arguments as JSON text: what a later request may hold of what a model wrote (O-27)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.rules.text import is_encodable
from postroom.rules.text_json import scrub_arguments

BROKEN = ("\\ud83d", "\\udc00", "\\u0000", "\\ufffe", "\\uFFFF", "\\udc00\\ud83d")


def has_only_good_text(value: object) -> bool:
    if isinstance(value, str):
        return is_encodable(value)
    if isinstance(value, list):
        return all(has_only_good_text(v) for v in value)
    if isinstance(value, dict):
        return all(is_encodable(k) and has_only_good_text(v) for k, v in value.items())
    return True


@pytest.mark.parametrize("escape", BROKEN)
def test_an_escape_of_what_no_provider_takes_is_replaced_wherever_it_stands(escape: str) -> None:
    """O-27: in a value, deep in a list, and in a key."""
    for written in (
        f'{{"a": "x{escape}y"}}',
        f'{{"a": [1, {{"b": ["{escape}"]}}]}}',
        f'{{"{escape}": null}}',
    ):
        kept = scrub_arguments(written)

        assert has_only_good_text(json.loads(kept)), written
        assert "\ufffd" in kept


@pytest.mark.parametrize(
    "written",
    [
        "{}",
        '{"a": "Grüße, 😀"}',
        '{ "a" :1.50, "b": [true, null] }',
        '{"path": "C:\\\\users"}',
        "",
        "{broken",
        '{"a": 1',
        '{"a": "\\ud83d"',
        "send it to b\\u0000",
        "[" * 100_000 + '"\\u0041"',
        "[" * 100_000 + '"\\u0041"' + "]" * 100_000,
    ],
)
def test_good_text_and_text_that_is_no_json_keep_every_character(written: str) -> None:
    assert scrub_arguments(written) == written


def test_an_emoji_written_as_a_correct_pair_arrives() -> None:
    """O-27."""
    assert json.loads(scrub_arguments('{"body": "\\ud83d\\ude00"}')) == {"body": "😀"}


def test_an_escaped_backslash_before_a_u_is_no_escape() -> None:
    assert json.loads(scrub_arguments('{"a": "\\\\ud83d"}')) == {"a": "\\ud83d"}


@pytest.mark.parametrize("char", ["\ud83d", "\0", "\uffff"])
def test_a_broken_character_without_an_escape_is_replaced_too(char: str) -> None:
    assert scrub_arguments(f'{{"a": "{char}"}}') == '{"a": "\ufffd"}'
    assert scrub_arguments(f"no json {char}") == "no json \ufffd"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(value=anything)
def test_whatever_json_a_model_writes_stays_json_and_can_be_sent(value: object) -> None:
    written = json.dumps(value)

    kept = scrub_arguments(written)

    assert is_encodable(kept)
    assert has_only_good_text(json.loads(kept))
    assert scrub_arguments(kept) == kept
    if has_only_good_text(value):
        assert json.loads(kept) == value
