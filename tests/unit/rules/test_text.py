"""Blank and unsendable text (O-27; product.md section 5)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.rules.text import brief, is_blank, is_encodable, scrub


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


# Unicode's White_Space beyond the classes that count anyway, written as in PropList.txt.
SPACES = [
    *range(0x09, 0x0E),
    0x20,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
]
SPACES += [0x3000]
INVISIBLE = ("Cc", "Cf", "Zl", "Zp")
every_text = st.text(st.characters(exclude_categories=()))


def test_each_character_is_seen_unless_its_property_or_class_says_otherwise() -> None:
    """O-28."""
    unseen = {char for char in map(chr, range(0x10000)) if is_blank(char)}

    assert unseen == set(map(chr, SPACES)) | {
        char for char in map(chr, range(0x10000)) if unicodedata.category(char) in INVISIBLE
    }


@given(text=st.text("\t \u200b\ufeff\u3000x.\U0001f600", max_size=6))
def test_one_visible_character_makes_a_text_visible(text: str) -> None:
    assert is_blank(text) is all(is_blank(char) for char in text)


@given(text=every_text)
def test_scrubbed_text_can_be_sent_and_nothing_else_in_it_has_changed(text: str) -> None:
    """O-27."""
    scrubbed = scrub(text)

    assert is_encodable(scrubbed)
    assert scrubbed.encode().decode() == scrubbed
    assert [b for a, b in zip(text, scrubbed, strict=True) if a != b] == ["\ufffd"] * sum(
        not is_encodable(char) for char in text
    )


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


@given(st.text(), st.integers(1, 40))
def test_what_a_list_shows_of_a_text_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = brief(text, limit)

    assert len(line) <= limit
    assert line.splitlines() in ([], [line])
    assert line == " ".join(text.split()) or line.endswith("…")
