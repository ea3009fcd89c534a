"""The words of lists, transcripts and boards on `branch`."""

from postroom.domain.receipt import Code, Refusal
from postroom.service.listing import BranchLine, Listing, SessionLine
from postroom.service.reading import CallLine, Reading, ReadRequest, TurnBlock
from postroom.service.todos import TodoLine
from postroom.surfaces.branch.lists import LIST_CHARS, listing_text
from postroom.surfaces.branch.words import refusal_text
from postroom.surfaces.reading import READ_CHARS_MAX, block_text, clip, reading_text, unread_text
from postroom.surfaces.todos import DONE_SHOWN, OPEN_SHOWN, board_text


def branch(**more: object) -> BranchLine:
    """A branch with nothing to say."""
    values: dict[str, object] = {
        "address": "S:B", "name": "", "is_busy": False, "is_own": False, "turns": 0, "chars": 0, "state": "",
        "preview": "", **more,
    }  # fmt: skip
    return BranchLine(**values)  # pyright: ignore[reportArgumentType] # a test's own values


def listing(*branches: BranchLine, is_busy: bool | None = False) -> Listing:
    """A list of one session."""
    session = SessionLine(
        session_id="S", profile="p", title="", is_busy=is_busy, is_current=False, branches=branches
    )
    return Listing(sessions=(session,))


def todo(number: int, status: str = "pending") -> TodoLine:
    """An entry of a board."""
    return TodoLine(number=number, subject="s", description="", status=status, owner="o", blocked_by=())


def test_a_session_without_branches_and_a_list_without_sessions_say_so() -> None:
    """OP-79: the line for nothing."""
    assert listing_text(listing()) == "S [p] [idle]\n  (no branches)"
    assert listing_text(Listing(sessions=())) == "(no branches)"


def test_what_is_not_known_of_a_branch_is_left_out() -> None:
    """OP-80"""
    assert listing_text(listing(branch(is_busy=None), is_busy=None)) == "S [p]\n  to=S:B — 0 turns, <1k chars"


def test_sizes_are_rounded_to_thousands() -> None:
    """OP-79"""
    sizes = [listing_text(listing(branch(chars=n))).rpartition(", ")[2] for n in (999, 1_000, 1_600, 24_400)]

    assert sizes == ["<1k chars", "~1k chars", "~2k chars", "~24k chars"]


def test_a_retired_branch_says_how() -> None:
    """OP-7"""
    assert "(merged) — " in listing_text(listing(branch(state="merged")))


def test_of_a_session_with_too_many_branches_the_newest_are_shown() -> None:
    """A list goes into a request whole, so it must not outgrow every window."""
    lines = listing_text(listing(*(branch(name=f"n{n}") for n in range(5_000)))).splitlines()

    assert len("\n".join(lines)) <= LIST_CHARS
    assert lines[1].startswith(f"  ({5_000 - len(lines) + 2} older branches are left out here;")
    assert "«n4999»" in lines[-1]


def test_of_too_many_sessions_the_first_are_shown() -> None:
    """They are listed by when they were last active."""
    one = listing(*(branch(name=f"n{n}") for n in range(30))).sessions[0]
    text = listing_text(Listing(sessions=(one,) * 200))

    assert len(text) <= LIST_CHARS + len("(200 more sessions are left out here)")
    assert text.splitlines()[-1].endswith(" more sessions are left out here)")


def test_a_clipped_text_says_how_much_is_missing_and_makes_no_marker() -> None:
    """OP-82, G5: a cut may end in the middle of a longer word."""
    assert clip("abcdef", 6) == "abcdef"
    assert clip("abcdef", 2) == "ab… (4 more characters)"
    assert clip("[messages", 8) == "⁅message… (1 more characters)"


def test_roles_say_whose_words_they_are() -> None:
    """OP-82, G10: only the person's own text is the user's."""
    blocks = (
        TurnBlock(number=1, role="user", kind="prompt", sender="S:A", is_root=True, text=""),
        TurnBlock(number=2, role="user", kind="user", text=""),
        TurnBlock(number=3, role="user", kind="notice", text=""),
        TurnBlock(number=4, role="summary", text=""),
        TurnBlock(number=5, role="assistant", text=""),
    )

    assert [block_text(block) for block in blocks] == [
        "#1 user (spawn root, prompt from S:A)", "#2 user", "#3 user (notice)",
        "#4 summary (compaction summary of what is above)", "#5 assistant",
    ]  # fmt: skip


def test_an_open_call_has_no_result_yet() -> None:
    call = CallLine(tool="look", state="open", arguments="{}", result="")

    assert block_text(TurnBlock(number=1, role="assistant", text="", calls=(call,))) == (
        "#1 assistant\n  - look: open\n    arguments: {}"
    )


def test_a_result_of_many_lines_stands_below_its_name() -> None:
    call = CallLine(tool="look", state="ok", arguments="{}", result="one\n#2 user\n")
    text = block_text(TurnBlock(number=1, role="assistant", text="", calls=(call,)))

    assert text.endswith("    result:\n      one\n      #2 user")


def test_one_turn_that_is_too_long_for_any_answer_is_cut() -> None:
    """OP-82: at most 80,000 characters in all."""
    found = Reading(of="S:B", unit="turns", total=1, first=1, last=1, until=1, texts=("x" * 100_000,))

    text = reading_text(found)

    assert len(text) == READ_CHARS_MAX
    assert text.endswith("(cut here)")


def test_what_cannot_be_read_is_a_notice() -> None:
    """OP-82"""
    request = ReadRequest(session="t_00000000000000")
    told = unread_text(
        Refusal(code=Code.NO_TASK, facts={"task": "t_1", "state": "running"}), request, refusal_text
    )
    gone = unread_text(
        Refusal(code=Code.UNKNOWN_SESSION, facts={"to": "x"}), ReadRequest(session="x"), refusal_text
    )

    assert told == "[read_conversation] task t_1 has no result yet: it is running"
    assert gone.startswith("[read_conversation] ")


def test_a_long_board_shows_what_is_newest_of_the_done_and_oldest_of_the_rest() -> None:
    """A result is bounded, however long a board is."""
    entries = [todo(n) for n in range(1, OPEN_SHOWN + 3)]
    done = [todo(n, "completed") for n in range(1_000, 1_000 + DONE_SHOWN + 1)]

    lines = board_text([*entries, *done]).splitlines()

    assert "  (2 newer ones are left out)" in lines
    assert "  (1 older ones are left out)" in lines
    assert len(lines) == OPEN_SHOWN + DONE_SHOWN + 4
    assert "  #1 s (o)" in lines
    assert "  #1000 s (o)" not in lines
