"""Blank and unsendable text (O-27; product.md section 5)."""

import pytest

from postroom.rules.text import is_blank, is_encodable, scrub


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        ("", True),
        (" \t\r\n", True),
        ("\u00a0\u2003\u3000", True),
        ("\u200b\u200e\ufeff\u2028\u2029", True),
        ("\x00\x1f\x7f", True),
        ("\u2800", False),  # a Braille pattern without dots is a symbol, not white space
        ("\u200bx", False),
        (".", False),
    ],
)
def test_blank_is_what_leaves_a_reader_nothing_to_see(text: str, blank: bool) -> None:
    assert is_blank(text) is blank


@pytest.mark.parametrize("char", ["\ud800", "\0", "\ufffe", "\uffff"])
def test_a_character_that_cannot_be_sent_is_found_and_replaced(char: str) -> None:
    """O-27."""
    text = f"a{char}b"

    assert not is_encodable(text)
    assert scrub(text) == "a\ufffdb"
    assert is_encodable(scrub(text))


def test_good_text_stays_as_it_is() -> None:
    text = "Grüße, 😀\n\t\ufffd"

    assert is_encodable(text)
    assert scrub(text) == text
