"""Names: what a call, the person and a model may call an agent."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.rules import names
from postroom.rules.naming import HANDLE, is_uuid


@given(st.text())
def test_a_label_is_short_safe_and_no_other_address(text: str) -> None:
    label = names.label(text)

    assert len(label) <= names.LABEL_CHARS
    assert re.fullmatch(r"[\w-]*", label)
    assert not HANDLE.match(label)
    assert label == "" or label.casefold() not in {*names.RESERVED, names.DISPLAY_NAME}


@pytest.mark.parametrize("text", ["worker_1a2b3c4d", "t_0123456789abcd"])
def test_a_label_that_would_look_like_an_id_is_changed(text: str) -> None:
    assert names.label(text) == text.replace("_", "-")


def test_a_label_that_means_somebody_else_still_has_at_most_24_characters() -> None:
    longest = max(*names.RESERVED, names.DISPLAY_NAME, key=len)

    assert len(names.label(longest)) <= names.LABEL_CHARS


def test_a_label_that_only_looks_like_another_word_is_changed_too() -> None:
    """Full-width letters are letters, and read like the others."""
    assert names.label("\uff55\uff53\uff45\uff52") == "\uff55\uff53\uff45\uff52-agent"


@pytest.mark.parametrize("name", ["tax papers", "Größe", "税务", "a.b_c-d", "x" * 64, "builder 2"])
def test_what_a_person_would_call_it_is_a_name(name: str) -> None:
    assert names.flaw(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "", "\u200b", " a", "a ", "a:b", "a#b", "a/b", 'a"b', "a\tb", "\u202ea", "x" * 65, "\U0001f600" * 51,
        "user", "Everyone", "ALL", "new", "Lead", "root", "parent", "Main",
        "\uff55\uff53\uff45\uff52", "M\U0001d41ain",
        "01890a5d-ac96-774b-bcce-b302099a8057", "worker_1a2b3c4d", "t_0123456789abcd", "\ud800",
    ],
)  # fmt: skip
def test_what_an_address_could_not_hold_is_no_name(name: str) -> None:
    assert names.flaw(name) is not None


@given(st.text())
def test_a_name_without_a_flaw_can_stand_in_an_address(text: str) -> None:
    if names.flaw(text) is None:
        assert len(text.encode()) <= names.BYTES_MAX
        assert not set(text) & set(names.FORBIDDEN)
        assert not is_uuid(text)
