"""What people read of an ask: who wants what, until when, and how it is decided.

Everything in an ask was written by an agent that wants something. So it is shown on lines that it cannot
leave: nothing in it ends a line, steers a terminal, hides a character or turns the direction of the text.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from postroom.frontends.cli.output import shown
from postroom.frontends.cli.texts import Row, clock, text
from postroom.rules.naming import TAIL_CHARS

SHOWN_CHARS: Final = 240
"""How much of a text is shown where the whole is one command away."""
NAME_CHARS: Final = 120
"""How much of a tool's name or of what a call is about: a command, a path, a pattern."""
_HIDDEN: Final = frozenset(("Cf", "Zl", "Zp"))
"""Categories of characters that show nothing, or turn the text around them (U+202E)."""


def plain(words: str) -> str:
    """An agent's text on one line, with everything visible that would not be."""
    return "".join(_visible(char) for char in shown(" ".join(words.split())))


def as_written(line: str) -> str:
    """One line of a text, with its blanks: in a program or a command they may matter."""
    return "".join(_visible(char) for char in shown(line))


def _visible(char: str) -> str:
    if char.isascii() or unicodedata.category(char) not in _HIDDEN:
        return char
    return f"\\u{{{ord(char):x}}}"


def shortened(words: str, chars: int = SHOWN_CHARS) -> str:
    """The same, no longer than that; how long it is, when something is missing."""
    line = plain(words)
    return line if len(line) <= chars else f"{line[:chars]}… ({len(words)} characters)"


def short_ids(asks: Sequence[Row]) -> Mapping[str, str]:
    """Id -> as much of its end as tells it from the others."""
    ids = [text(ask, "ask_id") for ask in asks]
    for chars in range(TAIL_CHARS, max(map(len, ids), default=TAIL_CHARS)):
        tails = {one: one[-chars:] for one in ids}
        if len(set(tails.values())) == len(set(ids)):
            return tails
    return {one: one for one in ids}


def short_id(ask_id: str) -> str:
    """The end of an id, where only one ask is spoken of."""
    return ask_id[-TAIL_CHARS:]


def wish(ask: Row) -> str:
    """Who wants what, on one line: `bob_1a2b3c4d wants send_message: message parent → ann`."""
    is_root = text(ask, "agent") == text(ask, "session_id")  # it has no handle, and an id is no name
    agent = shortened(text(ask, "profile" if is_root else "agent"), NAME_CHARS)
    if is_question(ask):
        return f"{agent} asks"
    deed = shortened(f"{text(ask, 'action')} {text(ask, 'resource')}", NAME_CHARS)
    to = f" → {shortened(text(ask, 'to'), NAME_CHARS)}" if text(ask, "to") else ""
    return f"{agent} wants {shortened(text(ask, 'tool'), NAME_CHARS)}: {deed}{to}"


def until(ask: Row) -> str:
    """`until 14:03:59`; of a held message that it waits; nothing for what else waits as long as it takes."""
    due = ask.get("due_us")
    if due is None:
        return "held until then" if text(ask, "message_id") else ""
    return f"until {clock(due)}"


def options(ask: Row) -> list[str]:
    """What may be answered; nothing where any text may."""
    found = ask.get("options")
    return [str(option) for option in found] if isinstance(found, list | tuple) else []


def option_lines(ask: Row, *, full: bool = False) -> Iterator[str]:
    """Each of them behind its number."""
    for number, option in enumerate(options(ask), 1):
        yield f"{number}  {plain(option) if full else shortened(option)}"


def is_question(ask: Row) -> bool:
    """Whether it wants an answer, and not leave to do something."""
    return ask.get("kind") == "question"


def one_line(ask: Row) -> str:
    """An ask where there is room for one line."""
    parts = (f"{wish(ask)}: {shortened(text(ask, 'text'))}" if text(ask, "text") else wish(ask), until(ask))
    return ", ".join(part for part in parts if part)


def ended(facts: Row) -> str:
    """How an ask ended: `approved by person for the tree`."""
    by = f" by {plain(text(facts, 'by'))}" if text(facts, "by") else ""
    scope = " for the tree" if facts.get("scope") == "tree" else ""
    return f"{text(facts, 'state')}{by}{scope}"


def page(ask: Row, short: str, *, full: bool = False) -> Iterator[str]:
    """An ask as some lines of a list; with `full`, with all of its text."""
    yield "  ".join(part for part in (short, wish(ask), until(ask)) if part)
    if full:
        yield from (f"    | {as_written(line)}" for line in text(ask, "text").splitlines())
    elif text(ask, "text"):
        yield f"    | {shortened(text(ask, 'text'))}"
    yield from (f"    {line}" for line in option_lines(ask, full=full))
