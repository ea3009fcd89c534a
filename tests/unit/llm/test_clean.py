"""O-27: what no store or stream can carry is replaced, everything else arrives intact."""

import pytest

from postroom.llm.clean import clean_json
from postroom.rules.text import scrub

REPLACED = "\ufffd"


@pytest.mark.parametrize("code_point", [0xD83D, 0xDC00, 0x0000, 0xFFFE, 0xFFFF])
def test_a_broken_character_becomes_the_replacement_character(code_point: int) -> None:
    """O-27"""
    assert scrub(f"a{chr(code_point)}b") == f"a{REPLACED}b"


def test_two_halves_that_arrive_apart_become_one_character() -> None:
    assert scrub("a\ud83d\ude00b") == "a😀b"


def test_correct_text_is_left_alone() -> None:
    assert scrub("zwei Wörter\n😀\t\u200b") == "zwei Wörter\n😀\t\u200b"


def test_every_text_and_key_of_a_json_value_is_cleaned() -> None:
    cleaned = clean_json({"k\x00": ["\ud83d", 1, None, {"x": "ok"}]})

    assert cleaned == {f"k{REPLACED}": [REPLACED, 1, None, {"x": "ok"}]}
