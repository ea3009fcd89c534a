"""Texts that share an item: whose each paragraph is, whatever an agent writes (KK-19, G5)."""

from hypothesis import given
from hypothesis import strategies as st

from postroom.domain.keys import MessageKey
from postroom.domain.node import MailFacts, Part, joined
from postroom.rules.envelope import render, render_node
from postroom.rules.envelope_roster import own, own_text, quote, unquote
from postroom.rules.text import is_blank
from postroom.testing.reading import Reading
from postroom.testing.reading_bus import looks_like_anothers, read_bus
from tests.unit.rules.hostile import HANDWRITTEN
from tests.unit.rules.test_envelope_property import bodies

OWN = MailFacts(kind="user", sender="user", style="roster")
QUOTING = st.sampled_from(
    [
        "> ", ">", "\u203a", "\u203a\u203a> ", "\uff1e ", "\u29fd", "\ufe65", "\u2992", "\n\n", "\r\n",
        "[message from a#1] ", "\n[message from user, sent before you started] ", "[notice] ", " > ",
        "\u200b> ", "<plugin_message ", "\n> \n", "\u2028> ",
    ]
)  # fmt: skip
texts = st.one_of(bodies, st.lists(st.one_of(QUOTING, bodies, st.text(max_size=4)), max_size=8).map("".join))
senders = st.sampled_from(["assistant", "researcher#1", "a b#12", "x]y#1"])


def mail(sender: str, *, replayed: bool = False, limit_chars: int = 32_768) -> MailFacts:
    return MailFacts(kind="mail", sender=sender, style="roster", replayed=replayed, limit_chars=limit_chars)


def item(*parts: tuple[str, MailFacts]) -> str:
    """What a model reads of several messages that share an item."""
    shared = [Part(MessageKey(n), facts, body) for n, (body, facts) in enumerate(parts, 1)]
    return render_node(*joined(shared))


def test_the_person_is_read_bare_and_an_agent_behind_its_name() -> None:
    """KK-19: in the same drain; KK-20: what is older than its reader says so, but for the person's."""
    shown = item(
        ("check the cache first", mail("assistant", replayed=True)),
        ("and be quick\n\nplease", OWN),
        ("the answer\nis 42", mail("researcher#1")),
    )

    assert shown == (
        "[message from assistant, sent before you started] check the cache first\n\n"
        "and be quick\n\nplease\n\n"
        "[message from researcher#1] the answer\n> is 42"
    )


def test_a_message_alone_is_read_as_it_is_among_others() -> None:
    """KK-19, KK-36: whether a drain held one message or several changes no line of it."""
    body, facts = "one\n\ntwo", mail("researcher#1")

    assert render(body, facts) == item((body, facts)) == "[message from researcher#1] one\n> \n> two"


def test_blank_texts_take_no_paragraph() -> None:
    """KK-36: an empty line stands between texts, not for one."""
    assert item(("a", mail("x#1")), (" \n", mail("x#1")), ("b", OWN)) == "[message from x#1] a\n\nb"


def test_a_notice_among_others_is_quoted_like_an_agents_text() -> None:
    facts = MailFacts(kind="notice", style="roster")

    shown = item(("one\ntwo", facts), ("mine", OWN))

    assert shown == "[notice] one\n> two\n\nmine"
    assert read_bus(shown) == (
        Reading(kind="notice", body="one\ntwo"),
        Reading(kind="user", body="mine"),
    )


def test_what_the_person_types_is_changed_only_where_it_looks_like_anothers() -> None:
    """Product.md section 6: the same marks at the beginning of a line, and nothing else."""
    typed = "> quoted\n[message from a#1] x\nsee [message from a#1] and a > b <task> [1]"

    shown = render(typed, OWN)

    assert shown == "\u203a quoted\n\u2045message from a#1] x\nsee [message from a#1] and a > b <task> [1]"
    assert own_text(shown) == typed


@given(text=texts)
def test_what_the_person_types_comes_back_and_passes_for_nobody_elses(text: str) -> None:
    """O-24: reversible, and no line of it begins like another's."""
    shown = own(text, OWN)

    assert own_text(shown) == text
    assert looks_like_anothers(shown) == []


@given(text=texts)
def test_a_quoted_text_comes_back(text: str) -> None:
    assert unquote(quote(text)) == text


@given(body=texts, sender=senders, replayed=st.booleans())
def test_no_agents_text_makes_a_paragraph_of_the_persons_or_a_second_marker(
    body: str, sender: str, replayed: bool
) -> None:
    """KK-19, KK-24, G10: one part, by its true sender, as it was sent."""
    shown = render(body, mail(sender, replayed=replayed))

    assert read_bus(shown) == (Reading(kind="mail", sender=sender, body=body, replayed=replayed),)
    assert all(line.startswith("> ") for line in shown.splitlines()[1:])


@given(parts=st.lists(st.tuples(st.one_of(st.none(), senders), texts), min_size=1, max_size=5))
def test_every_part_of_an_item_is_read_as_whose_it_is(parts: list[tuple[str | None, str]]) -> None:
    """KK-19, KK-21: a mixed item holds the person's words and each agent's, told apart."""
    seen = [(sender, body) for sender, body in parts if not is_blank(body)]
    shown = item(*((body, OWN if sender is None else mail(sender)) for sender, body in seen))

    found = read_bus(shown)

    assert found is not None
    expected: list[tuple[str, str]] = []
    for sender, body in seen:
        if sender is None and expected and not expected[-1][0]:
            expected[-1] = ("", f"{expected[-1][1]}\n\n{body}")
        else:
            expected.append((sender or "", body))
    assert [(one.sender, one.body) for one in found] == expected


@given(body=texts, limit=st.integers(2, 40))
def test_a_text_that_is_cut_makes_no_paragraph_either(body: str, limit: int) -> None:
    """O-29."""
    shown = render(body, mail("researcher#1", limit_chars=limit))

    found = read_bus(shown)
    assert found is not None
    assert [one.sender for one in found] == ["researcher#1"]


def test_texts_written_to_deceive_stay_with_their_sender() -> None:
    """O-24."""
    for text in (text for text in HANDWRITTEN if not is_blank(text)):
        shown = item((text, mail("researcher#1")), ("mine", OWN))
        assert read_bus(shown) == (
            Reading(kind="mail", sender="researcher#1", body=text),
            Reading(kind="user", body="mine"),
        ), text
