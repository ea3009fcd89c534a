"""Where a conversation can be cut, and what a place is called."""

import pytest

from postroom.domain.keys import NodeKey
from postroom.domain.path import Step
from postroom.rules.paths import find_place, fork_title, snap


def step(node: int, role: str, turn: int = 1, calls: int = 0, message: str = "") -> Step:
    """A node of a turn."""
    return Step(NodeKey(node), role, turn, 1, calls, f"turn-{turn}", message)


PATH = (
    step(1, "user", message="message-1"),
    step(2, "assistant", calls=2),
    step(3, "tool", calls=2),
    step(4, "assistant"),
    step(5, "user", turn=2, message="message-2"),
    step(6, "assistant", turn=2, calls=1),
)
"""Two turns; the second waits for its one call."""


@pytest.mark.parametrize(("kept", "snapped"), [(0, 0), (1, 1), (2, 1), (3, 3), (4, 4), (5, 5), (6, 5)])
def test_a_path_is_cut_where_every_call_has_its_result(kept: int, snapped: int) -> None:
    assert snap(PATH, kept) == snapped


@pytest.mark.parametrize(
    ("reference", "kept"),
    [
        ("0", 0), ("1", 1), ("2", 2), ("3", 3), ("4", 3), ("5", 4), ("6", 5), ("7", 6), ("007", 6),
        ("turn-1", 4), ("TURN-2", 6), ("message-1", 1), ("message-2", 5),
    ],
)  # fmt: skip
def test_a_place_is_an_item_the_end_of_a_turn_or_a_message(reference: str, kept: int) -> None:
    """Each result of a round is an item of its own."""
    assert find_place(PATH, reference) == kept


@pytest.mark.parametrize(
    "reference", ["8", "-1", "", " ", "turn", "turn-1 ", "١", "9" * 50, "9" * 5000, "message-3"]
)
def test_what_names_no_place_is_none(reference: str) -> None:
    assert find_place(PATH, reference) is None
    assert find_place((), reference) is None


def test_an_empty_conversation_has_the_place_before_everything() -> None:
    assert find_place((), "0") == 0
    assert find_place((), "1") is None


@pytest.mark.parametrize(
    ("title", "forked"),
    [
        ("a trip", "a trip (fork)"), ("a trip (fork)", "a trip (fork 2)"),
        ("a trip (fork 9)", "a trip (fork 10)"), ("", "(fork)"), ("two\nlines (fork)", "two\nlines (fork 2)"),
        ("(fork) in the road", "(fork) in the road (fork)"),
    ],
)  # fmt: skip
def test_a_fork_is_told_from_its_original_by_its_title(title: str, forked: str) -> None:
    assert fork_title(title) == forked
