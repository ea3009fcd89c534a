"""How the list of a goal is decoded."""

from hypothesis import given
from hypothesis import strategies as st

from postroom.rules.goals import ITEMS_MAX, Item, is_reached, read_items, write_items
from postroom.surfaces.goals import decode_items

ITEMS = st.lists(st.builds(Item, st.text(min_size=1, max_size=20), st.booleans()), max_size=ITEMS_MAX)


@given(ITEMS)
def test_a_list_is_taken_whole_or_refused_whole(items: list[Item]) -> None:
    found = decode_items({"items": [item._asdict() for item in items]})

    assert isinstance(found, str) or found == tuple(items)


@given(ITEMS)
def test_a_list_is_stored_as_it_was_given(items: list[Item]) -> None:
    assert read_items(write_items(items)) == tuple(items)


@given(ITEMS)
def test_a_goal_is_reached_when_something_was_to_be_done_and_all_of_it_is(items: list[Item]) -> None:
    assert is_reached(items) == (len(items) > 0 and False not in {item.done for item in items})


def test_a_text_that_no_model_can_be_sent_is_refused() -> None:
    """O-27."""
    assert isinstance(decode_items({"items": [{"text": "\ud800", "done": False}]}), str)
