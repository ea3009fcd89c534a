"""The end of a task as its dispatcher reads it: what came of it, its head, and where the rest is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.domain.node import MailFacts
from postroom.domain.task import Outcome
from postroom.rules.envelope import TEASER_BYTES, TEASER_LINES, outcome_text, render, teaser
from postroom.rules.text import shorten

CHILD = "k_00000000"
REST = f'get_subagent_result(session_id="{CHILD}") has the rest'
FAMILY = "👨\u200d👩\u200d👧"


def ended(outcome: Outcome, code: str = "", description: str = "") -> MailFacts:
    return MailFacts(kind="result", sender=CHILD, outcome=outcome, code=code, description=description)


def numbered(lines: int) -> str:
    return "\n".join(f"line {n}" for n in range(1, lines + 1))


@pytest.mark.parametrize(
    ("result", "lines"),
    [
        ("one", 1),
        (numbered(TEASER_LINES), TEASER_LINES),
        ("a" * TEASER_BYTES, 1),
        ("ü" * (TEASER_BYTES // 2), 1),
        ("one\n", 1),
        ("one\r\ntwo", 2),
    ],
)
def test_a_short_result_is_shown_whole(result: str, lines: int) -> None:
    """systems.md 3.8: the first 20 lines or 2 KiB; O-24: byte for byte."""
    assert teaser(result, CHILD) == f"{result}\n({lines} lines)"


@pytest.mark.parametrize(
    ("result", "shown", "lines"),
    [
        (numbered(TEASER_LINES + 1), numbered(TEASER_LINES), TEASER_LINES + 1),
        ("a" * (TEASER_BYTES + 1), "a" * TEASER_BYTES, 1),
        ("a" + "ü" * (TEASER_BYTES // 2), "a" + "ü" * (TEASER_BYTES // 2 - 1), 1),
        ("字" * 700, "字" * (TEASER_BYTES // 3), 1),
        ("aaa" + "😀" * 600, "aaa" + "😀" * ((TEASER_BYTES - 3) // 4), 1),
        ("\n".join(["b" * 1_000] * 3), "b" * 1_000 + "\n" + "b" * 1_000 + "\n" + "b" * 46, 3),
    ],
)
def test_a_long_result_is_cut_behind_a_whole_character_and_says_where_the_rest_is(
    result: str, shown: str, lines: int
) -> None:
    """O-29."""
    assert teaser(result, CHILD) == f"{shown}\n({lines} lines; {REST})"


@given(text=st.text(st.sampled_from("aü字😀\n" + FAMILY), min_size=1, max_size=40), times=st.integers(60, 90))
def test_no_cut_goes_through_a_character(text: str, times: int) -> None:
    """O-29: the teaser is a prefix in whole characters, and no shorter than it must be."""
    result = text * times
    shown, _, tail = teaser(result, CHILD).rpartition("\n(")

    assert result.startswith(shown)
    assert len(shown.encode()) <= TEASER_BYTES
    assert shown.count("\n") < TEASER_LINES
    assert (REST in tail) is (shown != result)
    if shown != result and shown.count("\n") < TEASER_LINES - 1:
        assert len(shown.encode()) > TEASER_BYTES - 4


def test_every_way_to_end_reads_differently_and_only_success_reads_as_one() -> None:
    """O-40, G8."""
    texts = {outcome: outcome_text("", ended(outcome)) for outcome in Outcome}

    assert len(set(texts.values())) == len(Outcome)
    assert [o for o, text in texts.items() if not text.startswith("ERROR: ")] == [Outcome.SUCCEEDED]
    assert all(CHILD in text for text in texts.values())


@pytest.mark.parametrize(
    ("facts", "result", "expected"),
    [
        (ended(Outcome.SUCCEEDED), "42", f"{CHILD} succeeded.\n42\n(1 lines)"),
        (
            ended(Outcome.SUCCEEDED, description="the sum"),
            "42",
            f"{CHILD} (the sum) succeeded.\n42\n(1 lines)",
        ),
        (ended(Outcome.EMPTY, "empty"), "", f"ERROR: {CHILD} ended without any text: empty."),
        (ended(Outcome.FAILED, "model_failed"), "", f"ERROR: {CHILD} failed: model_failed."),
        (ended(Outcome.FAILED), "", f"ERROR: {CHILD} failed."),
        (
            ended(Outcome.ROUND_CAP, "round_cap"),
            "so far",
            f"ERROR: {CHILD} was ended by its cap on rounds: round_cap.\nso far\n(1 lines)",
        ),
    ],
)
def test_the_end_of_a_task_names_the_child_the_outcome_and_the_cause(
    facts: MailFacts, result: str, expected: str
) -> None:
    """O-40: never an empty success; what was written before the cap is shown, and flagged."""
    opening = f'<subagent_notification from="{CHILD}" status="{facts.outcome}">'

    assert outcome_text(result, facts) == expected
    assert render(result, facts) == f"{opening}\n{expected}\n</subagent_notification>"


@given(text=st.text(min_size=1, max_size=200), limit=st.integers(2, 60))
def test_a_shortened_text_keeps_head_and_tail_and_counts_what_is_missing(text: str, limit: int) -> None:
    """O-29."""
    shown, half = shorten(text, limit), limit // 2

    if len(text) <= limit:
        assert shown == text
    else:
        missing = len(text) - 2 * half
        assert shown == f"{text[:half]}\n[... {missing} characters are left out here ...] {text[-half:]}"


def test_a_prompt_and_a_mail_are_shortened_at_the_limit_that_was_fixed_for_them() -> None:
    """Product.md section 3, Window: one delivery never fills a window."""
    for kind in ("prompt", "mail"):
        whole = render("x" * 100, MailFacts(kind=kind, sender=CHILD, limit_chars=100))
        cut = render("x" * 101, MailFacts(kind=kind, sender=CHILD, limit_chars=100))

        assert "left out" not in whole
        assert "[... 1 characters are left out here ...]" in cut
