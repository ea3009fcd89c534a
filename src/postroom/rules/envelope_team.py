"""How `team` shows what others wrote: one tag for each message, which says when it was written and its age.

Beside the sender a message has its number in the reader's mailbox, which `reply_to` and `read_message` take.
It says so when the reader has gone on since it was accepted: what was done meanwhile may have overtaken an
order. The rule is docs/reference/envelopes.md; why, is docs/why/0040.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from postroom.domain.node import MailFacts
from postroom.rules.envelope_branch import TRACKED, end_line, shown
from postroom.rules.markers import cut, label, neutralise, quoted
from postroom.rules.text import is_blank

OLD_ROUNDS = 2
"""Answers of the reader since a message was accepted, from which on it is called old."""
OLD = "written before your last {rounds} rounds"
BATCH = "{of} waiting messages"
"""In front of the first of several messages that enter together, or while more of them wait."""
WHOLE = "read_message(n={n}) has all {chars} characters"
WHOLE_IN_FILE = "{where} has all {chars} characters"
_MINUTE_S = 60
_HOUR_S = 3_600
_DAY_S = 86_400


def message(body: str, facts: MailFacts) -> str:
    """What an agent wrote."""
    return _tagged("mail", facts, body, ())


def task(body: str, facts: MailFacts) -> str:
    """A task for an agent that exists."""
    return _tagged("task", facts, body, (TRACKED,))


def result(body: str, facts: MailFacts) -> str:
    """What came of a task, for the one who gave it."""
    return _tagged("task_result", facts, body, (end_line(facts),))


def reply(body: str, facts: MailFacts) -> str:
    """What an agent said to a message, for the one who wrote it."""
    return _tagged("mail_reply", facts, body, (end_line(facts),))


def notice(body: str, facts: MailFacts) -> str:
    """The runtime's own words."""
    return _tagged("notice", facts, body, ())


def age_text(age_s: int) -> str:
    """A time span in its largest unit, rounded down."""
    if age_s < _MINUTE_S:
        return f"{max(age_s, 0)} s"
    if age_s < _HOUR_S:
        return f"{age_s // _MINUTE_S} min"
    if age_s < 2 * _DAY_S:
        return f"{age_s // _HOUR_S} h"
    return f"{age_s // _DAY_S} days"


def time_text(at_us: int) -> str:
    """A moment of wall time, in UTC and to the second."""
    return datetime.fromtimestamp(at_us // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _tagged(tag: str, facts: MailFacts, body: str, lines: tuple[str, ...]) -> str:
    """The runtime's lines, if there are any, end with an empty one; behind it stands the text."""
    attributes = "".join(f' {name}="{value}"' for name, value in _attributes(facts, body))
    text = shown(body, facts) if lines else cut(neutralise(body), facts.limit_chars)
    inside = "\n".join([*lines, "", text] if lines and text else lines or (text,))
    front = f"{BATCH.format(of=facts.batch)}\n" if facts.batch else ""
    return f"{front}<{tag}{attributes}>\n{inside}\n</{tag}>"


def _attributes(facts: MailFacts, body: str) -> Iterator[tuple[str, str]]:
    yield "n", str(facts.n)
    if facts.sender:
        yield "from", quoted(facts.sender)
    if facts.task:
        yield ("task" if facts.kind == "result" else "message"), facts.task
    if facts.outcome:
        yield "status", label(facts.outcome)
    yield "at", time_text(facts.at_us)
    yield "age", age_text(facts.age_s)
    if facts.rounds >= OLD_ROUNDS:
        yield "old", OLD.format(rounds=facts.rounds)
    if facts.answers:
        yield "answers", str(facts.answers)
    if not is_blank(body) and len(neutralise(body)) > facts.limit_chars:
        yield "whole", _whole(body, facts)


def _whole(body: str, facts: MailFacts) -> str:
    if facts.where:
        return WHOLE_IN_FILE.format(where=quoted(facts.where), chars=len(body))
    return WHOLE.format(n=facts.n, chars=len(body))
