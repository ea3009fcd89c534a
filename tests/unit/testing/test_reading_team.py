"""The envelopes of `team` are read as their page says, and no text makes one of its own."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.rules.envelope import render
from postroom.rules.envelope_team import age_text
from postroom.testing.reading import markers, read
from postroom.testing.reading_team import read_batch
from tests.unit.rules.test_envelope_property import bodies
from tests.unit.testing.team_envelopes import ITEMS, MAIL, READINGS, RESULT, facts

KINDS = {"mail": "mail", "task": "task", "result": "task_result", "reply": "mail_reply", "notice": "notice"}


def test_every_envelope_of_the_page_is_read_as_the_page_says() -> None:
    assert {name: read_batch(text) for name, text in ITEMS.items()} == READINGS


@given(body=bodies, name=bodies, kind=st.sampled_from(sorted(KINDS)), limit=st.sampled_from([20, 30_000]))
def test_an_envelope_has_one_opening_and_one_closing_marker(
    body: str, name: str, kind: str, limit: int
) -> None:
    """O-24: whatever the body, the name and the reason are, and wherever it is cut."""
    outcome = "failed" if kind in ("result", "reply") else ""
    one = replace(
        facts(kind, 3), name=name, code=name, description=name, outcome=outcome, limit_chars=limit, where=name
    )

    shown = [marker for marker in markers(render(body, one)) if not marker.startswith("[... ")]

    assert [marker.strip("</") for marker in shown] in (
        [KINDS[kind], KINDS[kind]],
        [KINDS[kind].partition("_")[0]] * 2,
    )


@given(texts=st.lists(bodies, min_size=1, max_size=4))
def test_the_texts_of_an_item_come_back_one_by_one(texts: list[str]) -> None:
    """O-24: none of them can end its envelope, begin another one, or say how many wait."""
    facts_of_first = replace(MAIL, batch=f"{len(texts)} of 9")
    shown = "\n".join(
        render(text, replace(facts_of_first if at == 0 else MAIL, n=at + 1)) for at, text in enumerate(texts)
    )

    found = read_batch(shown)

    assert found is not None
    assert [(one.body, one.number) for one in found.readings] == [(t, n + 1) for n, t in enumerate(texts)]
    assert (found.taken, found.waiting) == (len(texts), 9)


@pytest.mark.parametrize(
    "text",
    [
        "2 of 3 waiting messages",
        f"{ITEMS['team-mail']}\nand more",
        ITEMS["team-mail"].replace(' n="12"', ""),
        ITEMS["team-mail"].replace(' at="2026-12-01T10:04:05Z"', ""),
        ITEMS["team-mail"].replace(
            ' age="7 min"', ' age="7 min" whole="read_message(n=12) has all 9 characters"'
        ),
        ITEMS["team-long"].replace(' whole="read_message(n=12) has all 51 characters"', ""),
        ITEMS["team-task"].replace("\n\n", "\n"),
        render("x", replace(RESULT, style="team")).replace("</task_result>", ""),
    ],
)
def test_what_lacks_a_part_is_no_envelope(text: str) -> None:
    assert read_batch(text) is None


def test_one_message_by_itself_has_one_reading() -> None:
    batch = READINGS["team-mail"]

    assert read(ITEMS["team-mail"]) == batch.readings[0]


@pytest.mark.parametrize(
    ("age_s", "text"),
    [
        (-5, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"),
        (172_799, "47 h"), (172_800, "2 days"), (8_640_000, "100 days"),
    ],
)  # fmt: skip
def test_an_age_is_told_in_its_largest_unit(age_s: int, text: str) -> None:
    assert age_text(age_s) == text
