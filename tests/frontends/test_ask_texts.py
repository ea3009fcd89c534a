"""What an agent writes into an ask stays inside of the lines that show it."""

import sys
import unicodedata

import pytest

from postroom.domain.plain import Json
from postroom.frontends.cli import ask_texts
from postroom.frontends.cli.texts import Row

IDS = ("01a22bdf-e68b-77f6-8d95-212233dcf7a1", "01a22bdf-e68b-77f6-8d95-312233dcf7a1")
OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that a terminal obeys, hides, or turns the text with."""


def ask(**given: Json) -> Row:
    """An ask whose texts are given."""
    return {
        "ask_id": IDS[0], "kind": "approval", "session_id": "s", "agent": "bob_1a2b3c4d", "profile": "bob",
        "tool": "shell", "action": "shell", "resource": "make", "to": "", "text": "make", "options": [],
        "requested_us": 0, "due_us": None, **given,
    }  # fmt: skip


def test_no_character_of_an_ask_is_obeyed() -> None:
    """Every character that a terminal would obey; a tab in a text that is shown as written moves nothing."""
    every = [chr(n) for n in range(sys.maxunicode + 1) if unicodedata.category(chr(n)) in OBEYED]

    shown = ask_texts.plain("".join(every)) + "".join(map(ask_texts.as_written, set(every) - {"\n", "\t"}))
    lines = [
        line
        for char in every[:200]
        for full in (False, True)
        for line in ask_texts.page(
            ask(text=char, tool=char, resource=char, agent=char, to=char, options=[char]), "x", full=full
        )
    ]

    assert not {c for c in {*shown, *"".join(lines)} - {"\t"} if unicodedata.category(c) in OBEYED}


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_text_that_ends_its_line_begins_no_other_ask(ending: str) -> None:
    row = ask(text=f"one{ending}1a2b3c4d  carl wants nothing", resource=f"make{ending}x")

    first, *lines = ask_texts.page(row, "short")
    whole = list(ask_texts.page(row, "short", full=True))[1:]

    assert first == "short  bob_1a2b3c4d wants shell: shell make x"
    assert lines == ["    | one 1a2b3c4d carl wants nothing"]
    assert whole == ["    | one", "    | 1a2b3c4d  carl wants nothing"]


def test_a_long_text_says_how_long_it_is() -> None:
    (_, line) = ask_texts.page(ask(text="x" * 5000), "short")

    assert line == f"    | {'x' * ask_texts.SHOWN_CHARS}… (5000 characters)"


def test_ids_are_shown_as_long_as_they_must_be() -> None:
    short = ask_texts.short_ids([ask(ask_id=one) for one in IDS])
    other = ask_texts.short_ids([ask(ask_id=one) for one in (IDS[0], IDS[1].replace("f7a1", "f7a2"))])

    assert list(short.values()) == ["212233dcf7a1", "312233dcf7a1"]
    assert list(other.values()) == ["33dcf7a1", "33dcf7a2"]
    assert ask_texts.short_ids([]) == {}
