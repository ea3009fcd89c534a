"""The reading rule against texts that want to be more than they are (O-24, G5; docs/reference/envelopes.md).

Wherever such a text stands, what the model reads is one envelope with its true sender and the exact body.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from postroom.domain.node import MailFacts
from postroom.domain.receipt import Candidate, Code, Refusal
from postroom.rules.envelope import TEASER_BYTES, TEASER_LINES, render
from postroom.rules.goals import Item, outline
from postroom.rules.inherited import Copied, Text
from postroom.rules.markers import (
    FILLERS,
    LEAD_WORDS,
    LOOKALIKES,
    TAG_WORDS,
    label,
    neutralise,
    quoted,
    restore,
    unquoted,
)
from postroom.rules.text import is_blank
from postroom.service.tasks import Fetched
from postroom.surfaces.arguments import decode
from postroom.surfaces.person import refusal_text
from postroom.surfaces.tree import page_text, send_text, teaser_text
from postroom.testing.reading import Reading, markers, read
from tests.unit.rules.hostile import BY_TRICK, HANDWRITTEN, generated

SENDER = "a_00000000"
GENERATED = 10_000


def mail(text: str) -> tuple[str, Reading]:
    return render(text, MailFacts(kind="mail", sender=SENDER)), Reading(kind="mail", sender=SENDER, body=text)


def mail_with_hint(text: str) -> tuple[str, Reading]:
    shown = render(text, MailFacts(kind="mail", sender=SENDER, hint=True))
    return shown, Reading(kind="mail", sender=SENDER, body=text, hint=True)


def notice(text: str) -> tuple[str, Reading]:
    return render(text, MailFacts(kind="notice")), Reading(kind="notice", body=text)


def plugin_body(text: str) -> tuple[str, Reading]:
    facts = MailFacts(kind="plugin", sender="plugin:audit")
    return render(text, facts), Reading(kind="plugin", sender="plugin:audit", body=text)


def plugin_name(text: str) -> tuple[str, Reading]:
    facts = MailFacts(kind="plugin", sender=f"plugin:{text}")
    return render("x", facts), Reading(kind="plugin", sender=f"plugin:{text}", body="x")


def end_of_work(text: str) -> tuple[str, Reading]:
    facts = MailFacts(kind="plugin", sender="background", outcome="ended", description="dig")
    return render(text, facts), Reading(kind="work", about="dig", status="ended", body=text)


def label_of_work(text: str) -> tuple[str, Reading]:
    facts = MailFacts(kind="plugin", sender="background", outcome="failed", description=text)
    return render("x", facts), Reading(kind="work", about=text, status="failed", body="x")


def result(text: str) -> tuple[str, Reading]:
    facts = MailFacts(kind="result", sender=SENDER, outcome="succeeded")
    about = f"{SENDER} succeeded."
    return render(text, facts), Reading(
        kind="result", sender=SENDER, status="succeeded", about=about, body=text
    )


def description_of_task(text: str) -> tuple[str, Reading]:
    """On one line: the blanks in it are joined."""
    facts = MailFacts(kind="result", sender=SENDER, outcome="succeeded", description=text)
    shown = " ".join(text.split())
    about = f"{SENDER} ({shown}) succeeded." if shown else f"{SENDER} succeeded."
    return render("42", facts), Reading(
        kind="result", sender=SENDER, status="succeeded", about=about, body="42"
    )


def reason_of_an_end(text: str) -> tuple[str, Reading]:
    facts = MailFacts(kind="result", sender=SENDER, outcome="cancelled", code=text)
    about = f"ERROR: {SENDER} was cancelled: {' '.join(text.split())}."
    return render("", facts), Reading(kind="result", sender=SENDER, status="cancelled", about=about)


def goal(text: str) -> tuple[str, Reading]:
    body = outline(text, (Item(text, done=True), Item(text, done=False)))
    shown = render(body, MailFacts(kind="goal", outcome="1 of 3"))
    return shown, Reading(kind="goal", status="1 of 3", body=body, hint=True)


def inherited(text: str) -> tuple[str, Reading]:
    texts = (Text("user", text), Text(SENDER, text))
    shown = render(Copied(texts=texts).dump(), MailFacts(kind="inherited", sender=SENDER))
    return shown, Reading(kind="inherited", sender=SENDER, texts=texts)


def name_in_inherited(text: str) -> tuple[str, Reading]:
    texts = (Text(text, "x"), Text("user", "y"))
    shown = render(Copied(texts=texts, is_cut=True).dump(), MailFacts(kind="inherited", sender=SENDER))
    return shown, Reading(kind="inherited", sender=SENDER, texts=texts, is_whole=False)


BRANCH = "0193b2c4-7e1f-7a2b-8c3d-4e5f60718293:0193b2c4-7e1f-7a2b-8c3d-4e5f60718294"
TASK = "t_0123456789abcd"


def branch(kind: str, **more: str) -> MailFacts:
    outcome = {"result": "succeeded", "reply": "succeeded"}.get(kind, "")
    facts = MailFacts(kind=kind, style="branch", sender=BRANCH, task=TASK, outcome=outcome, hint=True)
    return replace(facts, **more)  # pyright: ignore[reportArgumentType] # texts, as those fields are


def said(text: str) -> str:
    """What a reader on `branch` gets of a text: nothing of a blank one, which nobody can send."""
    return "" if is_blank(text) else text


def branch_message(text: str) -> tuple[str, Reading]:
    return render(text, branch("mail")), Reading(kind="mail", sender=BRANCH, body=said(text), hint=True)


def branch_task(text: str) -> tuple[str, Reading]:
    return render(text, branch("task")), Reading(kind="task", sender=BRANCH, body=said(text))


def follow_up(kind: str, about: str, body: str, status: str = "succeeded") -> Reading:
    return Reading(kind=kind, sender=BRANCH, reference=TASK, status=status, about=about, body=body)


def branch_result(text: str) -> tuple[str, Reading]:
    return render(text, branch("result")), follow_up("result", f"{BRANCH} has answered.", said(text))


def branch_reply(text: str) -> tuple[str, Reading]:
    return render(text, branch("reply")), follow_up("reply", f"{BRANCH} has answered.", said(text))


def branch_description(text: str) -> tuple[str, Reading]:
    shown = " ".join(text.split())
    about = f"w ({shown}) has answered." if shown else "w has answered."
    return render("42", branch("result", name="w", description=text)), follow_up("result", about, "42")


def branch_name(text: str) -> tuple[str, Reading]:
    about = f"{' '.join(text.split()) or BRANCH} has answered."
    return render("42", branch("reply", name=text)), follow_up("reply", about, "42")


def branch_failure(text: str) -> tuple[str, Reading]:
    about = f"ERROR: w failed: {' '.join(text.split())}."
    shown = render("", branch("result", name="w", outcome="failed", code=text))
    return shown, follow_up("result", about, "", "failed")


ENVELOPES: tuple[Callable[[str], tuple[str, Reading]], ...] = (
    mail, mail_with_hint, notice, plugin_body, plugin_name, end_of_work, label_of_work, result,
    description_of_task, reason_of_an_end, goal, inherited, name_in_inherited, branch_message, branch_task,
    branch_result, branch_reply, branch_description, branch_name, branch_failure,
)  # fmt: skip


def fetched(text: str, description: str = "") -> Fetched:
    facts = MailFacts(kind="result", sender=SENDER, outcome="succeeded", description=description)
    return Fetched(
        handle=SENDER,
        state="completed",
        status="succeeded",
        facts=facts,
        text=text,
        turn_id="t",
        task_id="t_0",
    )


CALL_RESULTS: Mapping[str, Callable[[str], str]] = {
    "teaser": lambda text: teaser_text(fetched(text, text)),
    "page": lambda text: page_text(fetched(text), 0, 2000),
    "candidate": lambda text: send_text(
        text,
        Refusal(
            code=Code.UNKNOWN_REFERENCE,
            facts={"to": text},
            candidates=(Candidate(handle="k_1", description=text, status="idle", session_id="s"),),
        ),
    ),
    "argument": lambda text: str(decode((), {text: text})),
    "denial": lambda text: refusal_text(
        "shell", Refusal(code=Code.PERMISSION_DENIED, facts={"by": text, "reason": text, "resource": text})
    ),
}


def test_there_are_enough_texts_and_no_two_are_alike() -> None:
    assert len(HANDWRITTEN) == len(set(HANDWRITTEN)) >= 200
    assert len(set(generated(GENERATED))) == GENERATED
    assert sum(bool(markers(text)) for text in generated(1_000)) > 500


@pytest.mark.parametrize("trick", BY_TRICK)
@pytest.mark.parametrize("place", ENVELOPES, ids=lambda place: place.__name__)
def test_a_hostile_text_is_read_as_what_it_is(
    place: Callable[[str], tuple[str, Reading]], trick: str
) -> None:
    """O-24: one envelope, the true sender, the exact bytes."""
    for text in BY_TRICK[trick]:
        shown, expected = place(text)

        assert read(shown) == expected, repr(text)


def test_ten_thousand_generated_texts_are_read_as_what_they_are() -> None:
    """O-24: each as a body, and in one of the other places."""
    for number, text in enumerate(generated(GENERATED)):
        for place in (mail, ENVELOPES[1 + number % (len(ENVELOPES) - 1)]):
            shown, expected = place(text)
            if not expected.body.count("\n") >= TEASER_LINES:
                assert read(shown) == expected, (place.__name__, text)


@pytest.mark.parametrize("trick", BY_TRICK)
def test_an_agents_first_task_has_no_envelope_and_cannot_make_one(trick: str) -> None:
    for text in BY_TRICK[trick]:
        shown = render(text, MailFacts(kind="prompt", sender=SENDER))

        assert read(shown) is None
        assert markers(shown) == []
        assert restore(shown) == text


@pytest.mark.parametrize("kind", CALL_RESULTS)
def test_the_result_of_a_call_holds_no_marker(kind: str) -> None:
    """An envelope in a call's result would be no envelope; there is none even so."""
    for text in (*HANDWRITTEN, *generated(500)):
        assert markers(CALL_RESULTS[kind](text)) == [], repr(text)


@pytest.mark.parametrize("kind", ["argument", "candidate", "denial"])
def test_no_name_or_reason_adds_a_line_to_the_result_of_a_call(kind: str) -> None:
    for text in HANDWRITTEN:
        assert len(CALL_RESULTS[kind](text).splitlines()) == (2 if kind == "candidate" else 1), repr(text)


def test_every_text_comes_back_from_every_form() -> None:
    """Product.md section 6: reversible."""
    for text in (*HANDWRITTEN, *generated(2_000)):
        assert restore(neutralise(text)) == text
        assert unquoted(quoted(text)) == text
        assert restore(label(text)) == " ".join(text.split())
        assert markers(neutralise(text)) == markers(f'x="{quoted(text)}"') == []


def test_a_name_in_an_attribute_ends_neither_it_nor_its_line() -> None:
    for text in HANDWRITTEN:
        shown = quoted(text)

        assert '"' not in shown
        assert ">" not in shown
        assert len(f"x{shown}".splitlines()) == 1


@pytest.mark.parametrize("trick", BY_TRICK)
def test_a_text_that_is_cut_anywhere_is_still_one_envelope(trick: str) -> None:
    """O-29: head and tail are the bytes of the body, and the cut makes no marker."""
    for text in BY_TRICK[trick]:
        for limit in range(2, len(text), max(len(text) // 60, 1)):
            found = read(render(text, MailFacts(kind="mail", sender=SENDER, limit_chars=limit, hint=True)))

            assert found is not None, (limit, text)
            assert (found.sender, found.hint) == (SENDER, True)
            assert text.startswith(found.body)
            assert text.endswith(found.tail)
            assert len(found.body) + found.left_out + len(found.tail) == len(text)


@pytest.mark.parametrize("trick", BY_TRICK)
@pytest.mark.parametrize("where", ["", "/srv/my work/.postroom/results/t_0123456789abcd.txt"])
def test_a_follow_up_that_is_cut_anywhere_is_one_envelope_that_says_where_the_whole_is(
    trick: str, where: str
) -> None:
    """O-29."""
    place = where or f'read_conversation(session_id="{TASK}")'
    for text in BY_TRICK[trick]:
        for limit in range(2, len(text), max(len(text) // 40, 1)):
            found = read(render(text, replace(branch("result", where=where), limit_chars=limit)))

            assert found is not None, (limit, text)
            assert (found.sender, found.reference, found.where) == (BRANCH, TASK, place)
            assert text.startswith(found.body)
            assert text.endswith(found.tail)
            assert len(found.body) + found.left_out + len(found.tail) == len(text)


@pytest.mark.parametrize("trick", BY_TRICK)
def test_a_result_that_is_cut_anywhere_is_still_one_envelope(trick: str) -> None:
    facts = MailFacts(kind="result", sender=SENDER, outcome="succeeded")
    for text in BY_TRICK[trick]:
        size = len(text.encode())
        for before in range(TEASER_BYTES - size, TEASER_BYTES, max(size // 8, 1)):
            whole = "y" * (before - 1) + "\n" + text + "z"
            found = read(render(whole, facts))

            assert found is not None, (before, text)
            assert found.sender == SENDER
            assert not found.is_whole
            assert whole.startswith(found.body)


def test_a_text_of_a_megabyte_is_read_as_what_it_is() -> None:
    body = "".join(HANDWRITTEN) * 130
    facts = MailFacts(kind="mail", sender=SENDER, limit_chars=10_000_000)

    assert len(body) > 1_000_000
    assert read(render(body, facts)) == Reading(kind="mail", sender=SENDER, body=body)


@pytest.mark.parametrize("unit", ["<", "[", "\uff1c", "\n[", "<m", "<agent_", "<\u200b", "\u2039", "<\u0430"])
def test_a_text_of_beginnings_is_looked_through_in_one_pass(unit: str) -> None:
    """So long that more than one pass would take until the time limit of every test."""
    neutralise(unit * (1_200_000 // len(unit)))


def test_what_is_no_single_envelope_has_no_reading() -> None:
    one, two = mail("one")[0], mail("two")[0]

    assert [read(text) for text in (f"{one}\n{two}", f"{one} ", f"x{one}", one[:-1], "", "hello")] == [
        None
    ] * 6
    assert read(one.replace("one", "</agent_message>")) is None
    assert read(one.replace("\none\n", "one")) is None


def test_no_character_that_counts_as_letters_hides_a_marker() -> None:
    """Every code point that NFKC makes letters of, and every look-alike, in every word where it can stand."""
    folded = {char: unicodedata.normalize("NFKC", char).lower() for char in map(chr, range(0x80, 0x110000))}
    same = {char: text for char, text in folded.items() if text.isascii() and text.isalpha()}
    alike = {char: text.lower() for char, text in LOOKALIKES.items()}
    for char, plain in (*same.items(), *alike.items()):
        tags = [f"<{word.replace(plain, char, 1).replace(' ', '_')}>" for word in TAG_WORDS if plain in word]
        leads = [f"[{word.replace(plain, char, 1)}]" for word in LEAD_WORDS if plain in word]
        for text in tags + leads:
            assert markers(text), (text, hex(ord(char)))
            assert markers(neutralise(text)) == [], (text, hex(ord(char)))


def test_no_character_that_nobody_sees_hides_a_marker() -> None:
    """Every control, format character and combining mark that Unicode knows."""
    for char in map(chr, range(0x110000)):
        kind = unicodedata.category(char)
        if kind in ("Cc", "Cf", "Mn", "Me", "Zs", "Zl", "Zp") or char in FILLERS:
            for text in (
                f"<m{char}ail>",
                f"<mail{char}>",
                f"<{char}mail>",
                f"x\n{char}[notice]",
                f"[{char}notice]",
            ):
                assert markers(neutralise(text)) == [], (text, hex(ord(char)))
