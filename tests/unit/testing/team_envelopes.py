"""The examples of the envelopes of `team`, as the code writes them, and how each is to be read."""

from dataclasses import replace

from postroom.domain.node import MailFacts
from postroom.rules.envelope import render
from postroom.testing.reading import Reading
from postroom.testing.reading_team import Batch

WRITER, TESTER = "writer_1a2b3c4d", "tester_5e6f7a8b"
AT, AT_US = "2026-12-01T10:04:05Z", 1_796_119_445_000_000
PANE = "Please look at the left pane.\nIt is empty."
PASSED = "All 12 tests pass."
LONG = "The first half of a long text, and its second half."
LATE = "Your message to tester_5e6f7a8b was not read: its time was over. It began: Are you there?"
TRACKED = "This is a tracked task: what this turn says last is its result, and goes back by itself."


def facts(kind: str, n: int, sender: str = WRITER) -> MailFacts:
    """The facts of a delivery that a reader on `team` reads seven minutes after it was written."""
    return MailFacts(kind=kind, style="team", sender=sender, n=n, at_us=AT_US, age_s=425)


MAIL = facts("mail", 12)
RESULT = replace(
    facts("result", 14, TESTER), task="t_0123456789abcd", outcome="succeeded", description="run the tests"
)
FIRST, SECOND = replace(MAIL, batch="2 of 3"), replace(facts("mail", 13, TESTER), joins=True)
ITEMS = {
    "team-mail": render(PANE, MAIL),
    "team-old": render(PANE, replace(MAIL, rounds=3, answers=9)),
    "team-batch": f"{render(PANE, FIRST)}\n{render(PASSED, SECOND)}",
    "team-task": render(PANE, facts("task", 12)),
    "team-result": render(PASSED, RESULT),
    "team-failed": render("", replace(RESULT, outcome="failed", code="round_cap")),
    "team-reply": render(
        PASSED, replace(facts("reply", 15, TESTER), outcome="succeeded", name="tests", answers=4)
    ),
    "team-notice": render(LATE, facts("notice", 16, "")),
    "team-long": render(LONG, replace(MAIL, limit_chars=24)),
}
_MAIL = Reading(kind="mail", sender=WRITER, body=PANE, number=12, at=AT, age="7 min")
_RESULT = Reading(
    kind="result", sender=TESTER, status="succeeded", reference="t_0123456789abcd", body=PASSED, number=14,
    at=AT, age="7 min", about=f"{TESTER} (run the tests) has answered.",
)  # fmt: skip
READINGS = {
    "team-mail": Batch(readings=(_MAIL,)),
    "team-old": Batch(readings=(replace(_MAIL, old="written before your last 3 rounds", answers=9),)),
    "team-batch": Batch(
        readings=(_MAIL, replace(_MAIL, sender=TESTER, body=PASSED, number=13)), taken=2, waiting=3
    ),
    "team-task": Batch(readings=(replace(_MAIL, kind="task", about=TRACKED),)),
    "team-result": Batch(readings=(_RESULT,)),
    "team-failed": Batch(
        readings=(replace(_RESULT, status="failed", about=f"ERROR: {TESTER} failed: round_cap.", body=""),)
    ),
    "team-reply": Batch(
        readings=(
            Reading(
                kind="reply", sender=TESTER, status="succeeded", body=PASSED, number=15, at=AT, age="7 min",
                about="tests has answered.", answers=4,
            ),
        )
    ),
    "team-notice": Batch(readings=(Reading(kind="notice", body=LATE, number=16, at=AT, age="7 min"),)),
    "team-long": Batch(
        readings=(
            replace(
                _MAIL, body=LONG[:12], tail=LONG[-12:], left_out=27, is_whole=False,
                where="read_message(n=12)",
            ),
        )
    ),
}  # fmt: skip
