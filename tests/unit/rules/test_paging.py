"""Pages of a long text: bounded, and together the text."""

from hypothesis import given
from hypothesis import strategies as st

from postroom.rules.paging import LINE_CHARS, PAGE_CHARS, page

RARE = st.text(st.sampled_from("ab€👩‍🚀\n\r\x0b\u2028 "), max_size=60)


@given(parts=st.lists(st.tuples(RARE, st.integers(0, 9_000)), max_size=4), limit=st.integers(1, 2_000))
def test_pages_are_bounded_and_together_are_the_text(parts: list[tuple[str, int]], limit: int) -> None:
    """O-29: of mixed width, with every kind of line end, and lines of any length."""
    text = "".join(rare + "x" * long for rare, long in parts)
    found, at = "", 0
    while (shown := page(text, at, limit)).text:
        assert len(shown.text) <= max(PAGE_CHARS, LINE_CHARS)
        assert shown.end - shown.first <= limit
        found, at = found + shown.text, shown.end

    assert found == text
    assert at == shown.total


def test_a_page_holds_what_it_can_of_what_was_asked_for() -> None:
    """A limit of lines says nothing of their length."""
    shown = page("y" * 3_999 + "\n", 0, 2_000)
    many = page(("y" * 3_999 + "\n") * 20, 0, 2_000)

    assert (shown.end, shown.total, shown.cut) == (1, 1, ())
    assert (many.end, many.total) == (PAGE_CHARS // 4_000, 20)


def test_parts_of_a_long_line_are_named_wherever_a_page_begins() -> None:
    """The bounds are those of the whole line, also where a page shows some of it."""
    text = "a\n" + "b" * (2 * LINE_CHARS + 1) + "\nc"

    assert [page(text, at, 1).cut for at in range(5)] == [(), ((1, 4),), ((1, 4),), ((1, 4),), ()]
