"""Handles, ids, tool names and relations (systems.md 3.3, 3.5)."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.rules.naming import HANDLE, HANDLE_ATTEMPTS, handle, is_uuid, relation, slug, tool_name

ID = "0193b2c4-7e1f-7a2b-8c3d-4e5f60718293"
GRANDPARENT, PARENT, UNCLE, SELF, SIBLING, COUSIN, CHILD, GRANDCHILD = range(1, 9)
PARENT_OF = {
    GRANDPARENT: None,
    PARENT: GRANDPARENT,
    UNCLE: GRANDPARENT,
    SELF: PARENT,
    SIBLING: PARENT,
    COUSIN: UNCLE,
    CHILD: SELF,
    GRANDCHILD: CHILD,
}


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("researcher", "researcher"),
        ("Researcher", "researcher"),
        ("Deep Sea -- Diver 3000", "deep-sea-diver-3"),
        ("--reviewer--", "reviewer"),
        ("a_b.c/d", "a-b-c-d"),
        ("exactly-16-chars", "exactly-16-chars"),
        ("fifteen-chars-a-and-more", "fifteen-chars-a"),
        ("Größe", "gr-e"),
        ("研究者", "agent"),
        ("---", "agent"),
        ("", "agent"),
    ],
)
def test_a_profile_gives_the_first_half_of_a_handle(profile: str, expected: str) -> None:
    """CK-23."""
    assert slug(profile) == expected


@given(profile=st.text(), token=st.text(alphabet="0123456789abcdef", min_size=8, max_size=8))
def test_every_profile_makes_a_handle_of_the_one_shape(profile: str, token: str) -> None:
    """CK-23."""
    made = handle(profile, token)

    assert HANDLE.match(made)
    assert made.endswith(f"_{token}")
    assert not is_uuid(made)


@pytest.mark.parametrize(
    "text",
    [
        "Researcher_1a2b3c4d",
        "researcher_1A2B3C4D",
        "researcher_1a2b3c4",
        "researcher_1a2b3c4d5",
        "researcher_1a2b3c4g",
        "researcher-1a2b3c4d",
        "re--searcher_1a2b3c4d",
        "-researcher_1a2b3c4d",
        "researcher-_1a2b3c4d",
        "seventeen-letters_1a2b3c4d",
        "_1a2b3c4d",
        " researcher_1a2b3c4d",
        "researcher_1a2b3c4d ",
        "researcher_1a2b3c4d\n",
        ID,
        "",
    ],
)
def test_what_only_resembles_a_handle_is_none(text: str) -> None:
    """CK-23."""
    assert not HANDLE.match(text)


def test_a_handle_is_drawn_sixteen_times_at_most() -> None:
    """CK-23."""
    assert HANDLE_ATTEMPTS == 16


@pytest.mark.parametrize("text", [ID, ID.upper(), ID.title()])
def test_an_id_is_one_in_either_case(text: str) -> None:
    """O-07."""
    assert is_uuid(text)


@pytest.mark.parametrize(
    "text", ["", ID[:-1], ID + "0", ID[:8], ID.replace("-", ""), f"{{{ID}}}", f" {ID}", f"{ID} ", f"{ID}\n"]
)
def test_a_part_of_an_id_or_more_than_one_is_no_id(text: str) -> None:
    """CK-22: never by prefix. O-06: and never by what one sees only half of."""
    assert not is_uuid(text)


@pytest.mark.parametrize(
    ("recipient", "label"),
    [
        (CHILD, "child"),
        (PARENT, "parent"),
        (SIBLING, "sibling"),
        (GRANDPARENT, "*"),
        (GRANDCHILD, "*"),
        (UNCLE, "*"),
        (COUSIN, "*"),
    ],
)
def test_the_label_is_what_the_recipient_is_to_the_sender(recipient: int, label: str) -> None:
    """CK-4, CK-5."""
    assert relation(SELF, PARENT_OF[SELF], recipient, PARENT_OF[recipient]) == label


def test_two_roots_are_no_siblings() -> None:
    """CK-5: neither has a parent, which is nothing that they share."""
    assert relation(SELF, None, SIBLING, None) == "*"


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("send_message", "send_message"),
        ("mcp.server/tool", "mcp_server_tool"),
        ("f" * 65, "f" * 64),
        ("ü", "_"),
        ("", "unknown"),
    ],
)
def test_a_tool_name_is_shown_as_providers_take_it(given_name: str, shown: str) -> None:
    assert tool_name(given_name) == shown


@given(name=st.text())
def test_no_name_that_a_model_makes_up_breaks_a_later_request(name: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool_name(name))


@given(name=st.text(alphabet=string.ascii_letters + string.digits + "_-", min_size=1, max_size=64))
def test_a_good_tool_name_is_left_alone(name: str) -> None:
    assert tool_name(name) == name
