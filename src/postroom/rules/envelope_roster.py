"""How `roster` shows what is said on a bus: the person's text bare, an agent's behind its name and quoted.

Texts that are read together share one item, with an empty line between them. Every line of another's text but
the first has `> ` in front, and the first one its marker, so a paragraph with neither is the person's. What
the person types can look like neither: the sign that would begin a marker or a quoted line gets its twin.
"""

import re
from collections.abc import Iterable
from typing import Final

from postroom.domain.node import MailFacts
from postroom.rules.markers import INDENT, LINE_ENDS, cut, label, neutralise, neutralise_starts, restore

BETWEEN: Final = "\n\n"
"""What stands between two texts of one item."""
QUOTE: Final = "> "
"""In front of every line of an agent's text but its first."""
BEFORE: Final = ", sent before you started"
CLOSES, CLOSES_NOT = "]", "\u2046"
"""What ends a marker, and its twin in a name."""
TWINS: Final = {">": "\u203a", "\uff1e": "\u29fd", "\ufe65": "\u2992"}
"""What a quoted line begins with, and how the person's own is shown there."""
_SIGNS: Final = {twin: sign for sign, twin in TWINS.items()}
_AS_THEY_ARE: Final = frozenset(("user", "mail"))
"""Kinds whose texts are shown alike, alone and among others."""
_LINE: Final = f"(?:\r\n|[{LINE_ENDS}])"
_END: Final = re.compile(_LINE)
_QUOTED_END: Final = re.compile(f"({_LINE}){QUOTE}")
_START: Final = f"(?<![^{LINE_ENDS}]){INDENT}*"
_SIGN_AT_START: Final = re.compile(
    f"({_START})({'|'.join(f'{sign}{twin}*|{twin}+' for sign, twin in TWINS.items())})"
)
_TWIN_AT_START: Final = re.compile(f"({_START})({'|'.join(f'{twin}+' for twin in _SIGNS)})")


def mail(body: str, facts: MailFacts) -> str:
    """One message of an agent."""
    before = BEFORE if facts.replayed else ""
    text = cut(neutralise(body), facts.limit_chars)
    return f"[message from {name_of(facts.sender)}{before}] {quote(text)}"


def name_of(address: str) -> str:
    """An address inside of a marker, on one line, with nothing that would end it."""
    return label(address).replace(CLOSES, CLOSES_NOT)


def own(body: str, facts: MailFacts) -> str:
    """The person's text: as it was typed, but for signs at the beginning of a line that are another's."""
    del facts  # it is shown whole, whoever reads it
    return _SIGN_AT_START.sub(_twinned, neutralise_starts(body))


def own_text(shown: str) -> str:
    """The inverse of `own`."""
    return restore(_TWIN_AT_START.sub(_signed, shown))


def together(texts: Iterable[tuple[str, MailFacts]]) -> str:
    """Several texts as they are read in one item."""
    return BETWEEN.join(text if facts.kind in _AS_THEY_ARE else quote(text) for text, facts in texts)


def quote(text: str) -> str:
    """A text with every line quoted but its first."""
    return _END.sub(lambda end: f"{end[0]}{QUOTE}", text)


def unquote(shown: str) -> str:
    """The inverse of `quote`."""
    return _QUOTED_END.sub(r"\1", shown)


def _twinned(found: re.Match[str]) -> str:
    """One sign is an odd number of twins; a twin that was typed is two, so their number stays even."""
    start, run = found[1], found[2]
    return f"{start}{TWINS[run[0]]}{run[1:] * 2}" if run[0] in TWINS else f"{start}{run * 2}"


def _signed(found: re.Match[str]) -> str:
    start, run = found[1], found[2]
    half = run[0] * (len(run) // 2)
    return f"{start}{_SIGNS[run[0]]}{half}" if len(run) % 2 else f"{start}{half}"
