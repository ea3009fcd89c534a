"""No text that an agent wrote holds a marker: the one place that knows every marker of every surface.

A marker's first character is shown as its visible twin (product.md section 6). Reversible: a twin in the
text itself is doubled, so `restore` gives the bytes back. What a reader takes for a marker, and what is
left as it is, stands in docs/reference/envelopes.md.
"""

import re
import unicodedata
from functools import lru_cache

from postroom.rules.text import joined

_UNSEEN = r"(?-i:[^\w\s!-~])*+"
_BETWEEN = r"(?-i:[^\w\s!-~]|[-_.\s])*+"


def _words(*words: str) -> str:
    """Any of these, also with unseen characters between the letters and any joint between the words."""
    return "|".join(_BETWEEN.join(_UNSEEN.join(part) for part in word.split()) for word in words)


# What a surface writes, what a host writes in a user's turn, and how models themselves are told who speaks.
TAG_WORDS = (
    "agent message", "subagent notification", "background work", "plugin message", "goal reminder",
    "inherited context", "copied text", "session message", "mail", "system reminder", "system", "task",
    "notice", "notification", "user", "human", "assistant", "developer", "tool result", "function result",
    "im start", "im end", "im sep", "end of text", "begin of text", "eot id", "start header id",
    "end header id", "start of turn", "end of turn",
)  # fmt: skip
"""What makes a marker of a `<` before it. A blank is any joint between two words, or none."""
LEAD_WORDS = (
    "message", "use", "system", "user", "human", "assistant", "task", "notice", "notification", "stopped",
    "queued", "delivered", "send message", "spawned", "agent", "archive agent", "mail", "goal", "plugin",
)  # fmt: skip
"""What makes a marker of a `[` before it that begins a line."""
_TAGS = _words(*TAG_WORDS)
_LEADS = _words(*LEAD_WORDS)
_DOTS = rf"(?:\u2026|\.{_UNSEEN}\.{_UNSEEN}\.)"
# Controls that are no white space, and Unicode's Default_Ignorable_Code_Point without the Hangul fillers,
# which are letters there: they are folded.
_INVISIBLE = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u2800\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
_GAP = rf"(?-i:[\s{_INVISIBLE}])*+"
_BEFORE = rf"(?-i:[\s{_INVISIBLE}/\\!?|])*+"
_INDENT = rf"(?-i:[ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000{_INVISIBLE}])*"
# A line begins wherever a reader sees one begin: behind everything that `str.splitlines` splits at.
_LINE_START = r"(?:\A|(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]))"
_TAG = re.compile(rf"<(?={_BEFORE}(?:{_TAGS})\b)", re.IGNORECASE)
_LINE = re.compile(rf"{_LINE_START}{_INDENT}\[(?={_GAP}(?:(?:{_LEADS})\b|{_DOTS}{_GAP}\d))", re.IGNORECASE)

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

# Characters that NFKC turns into one ASCII letter or mark, by blocks; `_plain` asks for each.
_COMPATIBLE = (
    "\xaa\xba\u017f\u02b0-\u02b8\u02e1-\u02e3\u1d2c-\u1dbf\u2024\u2071\u207f\u2090-\u209c\u2102-\u217f\u24b6-\u24e9"
    "\u2c7c\u2c7d\ua7f2-\ua7f4\ufe15\ufe16\ufe33\ufe34\ufe47-\ufe4f\ufe52-\ufe68\uff01\uff0d-\uff0f\uff1c\uff1f"
    "\uff21-\uff3f\uff41-\uff5a\uff5c\U000107a5\U0001d400-\U0001d6a3\U0001f12b-\U0001f149"
)
LOOKALIKES = dict(
    zip(
        "аеорсухѕіјԁһкмтвніАВЕКМНОРСТХУЅІЈԌαορνυικτΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡոᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
        "aeopcyxsijdhkmtbhiABEKMHOPCTXYSIJGaopvuiktABEZHIKMNOPTYXiagnabcdeghijklmnoprstuvwyz",
        strict=True,
    )
)
"""Letters of other scripts that nobody can tell from Latin ones."""
FILLERS = "\u115f\u1160\u3164\uffa0"
"""Letters that nobody sees."""
_FOLDABLE = re.compile(f"[{_COMPATIBLE}{''.join(LOOKALIKES)}{FILLERS}]")

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
    return _mark(text)


def restore(text: str) -> str:
    """The inverse of `neutralise`."""
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
    plain = text if text.isascii() or _OPENER.search(text) is None else _FOLDABLE.sub(_plain, text)
    places: list[int] = []
    if "<" in plain:
        places += [m.start() for m in _TAG.finditer(plain)]
    if "[" in plain:
        places += [m.end() - 1 for m in _LINE.finditer(plain)]
    return _with_twins(text, sorted(places)) if places else text


def _with_twins(text: str, places: list[int]) -> str:
    pieces: list[str] = []
    done = 0
    for place in places:
        pieces += (text[done:place], _TWINS[text[place]])
        done = place + 1
    return "".join((*pieces, text[done:]))


def _plain(match: re.Match[str]) -> str:
    return _folded(match[0])


@lru_cache(maxsize=2048)
def _folded(char: str) -> str:
    """The one character that a reader takes it for; as many as before, so every place stays."""
    if char in FILLERS:
        return "\u200b"
    same = unicodedata.normalize("NFKC", char)
    return same if len(same) == 1 and same.isascii() else LOOKALIKES.get(char, char)
