"""No text that an agent wrote holds a marker: the one place that knows every marker of every surface.

A marker's first character is shown as its visible twin (product.md section 6). Reversible: a twin in the
text itself is doubled, so `restore` gives the bytes back. What a reader takes for a marker, and what is
left as it is, stands in docs/reference/envelopes.md.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from postroom.rules.text import joined

# What a surface writes, what a host writes in a user's turn, and how models themselves are told who speaks.
TAG_WORDS = (
    "agent message", "subagent notification", "background work", "plugin message", "goal reminder",
    "inherited context", "copied text", "conversation summary", "session message", "mail", "mail reply",
    "task result", "system reminder", "system", "task", "notice", "notification", "user", "human",
    "assistant", "developer", "tool", "tool result", "function result",
    "im start", "im end", "im sep", "end of text", "begin of text", "eot id", "start header id",
    "end header id", "start of turn", "end of turn",
)  # fmt: skip
"""What makes a marker of a `<` before it. A blank is any joint between two words, or none."""
LEAD_WORDS = (
    "message", "use", "system", "user", "human", "assistant", "task", "notice", "notification", "stopped",
    "tool", "queued", "delivered", "held", "send message", "spawned", "agent", "archive agent", "archived",
    "mail", "goal", "plugin", "result", "reply", "turn", "list agents", "list tasks", "read conversation",
    "todo",
)  # fmt: skip
"""What makes a marker of a `[` before it that begins a line."""


class _Words:
    """Words without their joints, and everything that one of them begins with."""

    def __init__(self, words: Sequence[str]) -> None:
        self._whole = frozenset(word.replace(" ", "") for word in words)
        self._begun = frozenset(word[:end] for word in self._whole for end in range(1, len(word) + 1))
        self.firsts = "".join(sorted({word[0] + word[0].upper() for word in words}))

    def begin(self, text: str) -> bool:
        """Whether a text begins with one of them, however its letters are disguised and joined."""
        so_far = ""
        for char in text if text.isascii() else "".join(map(_folded, text)):
            if char.isalnum() and char not in FILLERS:
                so_far += char.lower()
                if so_far not in self._begun:
                    return False
            elif so_far in self._whole:
                return True
        return so_far in self._whole


START_TAGS = (
    "agent message", "subagent notification", "background work", "plugin message", "goal reminder",
    "inherited context", "conversation summary",
)  # fmt: skip
"""What an item of another begins with behind a `<`, where one item may hold several texts."""
START_LEADS = ("message", "notice")
"""The same behind a `[`."""
_TAGS, _START_TAGS = _Words(TAG_WORDS), _Words(START_TAGS)
_LEADS, _START_LEADS = _Words(LEAD_WORDS), _Words(START_LEADS)

# Blocks of characters that NFKC turns into ASCII letters or marks; `_folded` asks for each. The first are
# squares, circles and signs, which `re` takes for no letters.
_SIGNS = (
    "\u20a8\u2116\u2120-\u2122\u213b\u24b6-\u24e9\u3250\u32cc-\u32cf\u3371-\u33dd\u33ff"
    "\U0001f12b-\U0001f12e\U0001f130-\U0001f14f\U0001f16a-\U0001f16c\U0001f190"
)
_COMPATIBLE = (
    "\xaa\xba\u0132\u0133\u017f\u01c4-\u01cc\u01f1-\u01f3\u02b0-\u02b8\u02e1-\u02e3\u1d2c-\u1dbf\u2024\u2071"
    "\u207f\u2090-\u209c\u2102-\u217f\u2c7c\u2c7d\ua7f2-\ua7f4\ufb00-\ufb06\ufe15\ufe16\ufe33\ufe34\ufe47-\ufe4f"
    "\ufe52-\ufe68\uff01\uff0d-\uff0f\uff1c\uff1f\uff21-\uff3f\uff41-\uff5a\uff5c\U000107a5"
    f"\U0001d400-\U0001d6a3{_SIGNS}"
)
LOOKALIKES = dict(
    zip(
        "İаеорсухѕіјԁһкмтвніАВЕКМНОРСТХУЅІЈԌαορνυικτΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡոᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
        "IaeopcyxsijdhkmtbhiABEKMHOPCTXYSIJGaopvuiktABEZHIKMNOPTYXiagnabcdeghijklmnoprstuvwyz",
        strict=True,
    )
)
"""Letters of other scripts that nobody can tell from Latin ones."""
FILLERS = "\u115f\u1160\u3164\uffa0"
"""Letters that nobody sees: Hangul fillers."""

# Controls that are no white space, format characters, and Unicode's Default_Ignorable_Code_Point.
_INVISIBLE = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u2800\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    rf"\U000e0000-\U000e0fff{FILLERS}"
)
_GAP = rf"[\s{_INVISIBLE}]*+"
_BEFORE = rf"[\s{_INVISIBLE}/\\!?|\ufe15\ufe16\ufe56\ufe57\ufe68\uff01\uff0f\uff1f\uff3c\uff5c]*+"
INDENT = rf"[ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000{_INVISIBLE}]"
_INDENT = re.compile(INDENT)
# A line begins wherever a reader sees one begin: behind everything that `str.splitlines` splits at.
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_UNSEEN = rf"(?:[^\w\s!-~{_SIGNS}]|[{FILLERS}])*+"
_JOINT = rf"(?:[^\w\s!-~{_SIGNS}]|[-_.\s{FILLERS}])*+"
_ALIEN = f"{_COMPATIBLE}{''.join(LOOKALIKES)}"
# A few letters more than the longest word has are enough to tell.
_LETTERS = rf"((?:(?:[^\W_{FILLERS}]|[{_SIGNS}]){_JOINT}){{1,25}})"
_DOTS = rf"(?:\u2026|(?:[.\u2024\ufe52\uff0e]{_UNSEEN}){{3}}){_GAP}\d"
_ANGLE = re.compile(rf"[<\uff1c\ufe64](?={_BEFORE}(?=[{_TAGS.firsts}{_ALIEN}]){_LETTERS})")
_BRACKET = re.compile(rf"[\[\uff3b\ufe47](?={_GAP}(?:{_DOTS}|(?=[{_LEADS.firsts}{_ALIEN}]){_LETTERS}))")

# The other two of each kind become the first under NFKC, which some tokenizers apply.
_TWINS = {
    "<": "\u2039",
    "\uff1c": "\u29fc",
    "\ufe64": "\u2991",
    "[": "\u2045",
    "\uff3b": "\u298b",
    "\ufe47": "\u298d",
}
_OPENER = re.compile(f"[{re.escape(''.join(_TWINS))}]")
_BACK = {twin: char for char, twin in _TWINS.items()}
_DOUBLE = re.compile(f"[{''.join(_BACK)}]")
_RESTORE = re.compile("|".join(f"{t}{t}|{t}" for t in _BACK))

# Inside the quotes of an attribute: nothing ends it and nothing ends its line.
_QUOTES = {
    '"': "\u2033",
    ">": "\u203a",
    "\x7f": "\u2421",
    "\x85": "\u2424",
    "\u2028": "\u21b2",
    "\u2029": "\u204b",
    **{chr(code): chr(0x2400 + code) for code in range(0x20)},
}
_ESCAPE = "\u29f9"
_UNQUOTE = {twin: char for char, twin in _QUOTES.items()}
_LITERAL = f"[{_ESCAPE}{''.join(_UNQUOTE)}]"
_QUOTED = re.compile(rf"{_LITERAL}|[\x00-\x1f\x7f\x85\u2028\u2029\">]")
_UNQUOTED = re.compile(f"{_ESCAPE}(.)|{_LITERAL}")


def neutralise(text: str) -> str:
    """The same text with every marker's first character replaced by its visible twin.

    A long conversation holds thousands of mails: a text is searched only for what it can contain.
    """
    if not text.isascii():
        text = _DOUBLE.sub(lambda m: m[0] * 2, text)
    elif "<" not in text and "[" not in text:
        return text
    return _mark(text)


def neutralise_starts(text: str) -> str:
    """The person's text where it shares an item with others: only what begins a line as their texts do."""
    if not text.isascii():
        text = _DOUBLE.sub(lambda m: m[0] * 2, text)
    elif "<" not in text and "[" not in text:
        return text
    return _with_twins(
        text, [at for at in _places(text, _START_TAGS, _START_LEADS) if _begins_a_line(text, at)]
    )


def restore(text: str) -> str:
    """The inverse of `neutralise` and of `neutralise_starts`."""
    return _RESTORE.sub(lambda m: m[0][0] if len(m[0]) > 1 else _BACK[m[0]], text)


def label(text: str) -> str:
    """A name or description on one line, so that it can neither end its line nor forge the next one."""
    return neutralise(" ".join(text.split()))


@lru_cache(maxsize=1024)
def quoted(text: str) -> str:
    """Any name as the value of an attribute. Reversible: what would end it is shown as its visible twin."""
    if text.isascii() and text.isalnum():
        return text
    return _QUOTED.sub(lambda m: _QUOTES.get(m[0]) or _ESCAPE + m[0], neutralise(text))


def unquoted(text: str) -> str:
    """The inverse of `quoted`."""
    return restore(_UNQUOTED.sub(lambda m: m[1] or _UNQUOTE[m[0]], text))


def cut(text: str, limit_chars: int) -> str:
    """`rules.text.shorten` for a neutral text: no cut makes a marker, none halves a doubled twin.

    What is said to be missing counts characters of the body. Where the head ends, the beginning of a longer
    word may have become a marker, so the head is looked through again.
    """
    if len(text) <= limit_chars:
        return text
    half = max(limit_chars // 2, 1)
    start, end = half, len(text) - half
    start -= _is_inside_a_pair(text, start)
    end += _is_inside_a_pair(text, end)
    return joined(_mark(text[:start]), len(restore(text[start:end])), text[end:])


def _is_inside_a_pair(text: str, at: int) -> bool:
    """Whether a cut would halve a doubled twin. Pairs come first in a run of twins, a marker's twin last."""
    twin = text[at]
    if twin not in _BACK:
        return False
    return (at - len(text[:at].rstrip(twin))) % 2 == 1


def _mark(text: str) -> str:
    return _with_twins(text, _places(text, _TAGS, _LEADS))


def _places(text: str, tags: _Words, leads: _Words) -> list[int]:
    """Where markers with these words begin."""
    is_ascii = text.isascii()
    if not is_ascii and _OPENER.search(text) is None:
        return []
    places: list[int] = []
    if not is_ascii or "<" in text:
        places += [m.start() for m in _ANGLE.finditer(text) if tags.begin(m[1])]
    if not is_ascii or "[" in text:
        places += [
            m.start()
            for m in _BRACKET.finditer(text)
            if (m[1] is None or leads.begin(m[1])) and _begins_a_line(text, m.start())
        ]
    return sorted(places)


def _begins_a_line(text: str, at: int) -> bool:
    """Whether nothing that is seen stands before it on its line."""
    while at and _INDENT.match(text, at - 1):
        at -= 1
    return at == 0 or text[at - 1] in LINE_ENDS


def _with_twins(text: str, places: list[int]) -> str:
    if not places:
        return text
    pieces: list[str] = []
    done = 0
    for place in places:
        pieces += (text[done:place], _TWINS[text[place]])
        done = place + 1
    return "".join((*pieces, text[done:]))


@lru_cache(maxsize=2048)
def _folded(char: str) -> str:
    """What a reader takes it for: mostly one character, but some signs stand for two or three letters."""
    same = unicodedata.normalize("NFKC", char)
    return same if same.isascii() else LOOKALIKES.get(char, char)
