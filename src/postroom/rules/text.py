"""Which text may be stored, and what becomes of text that may not (O-27)."""

import re
import unicodedata

# The 25 code points of the Unicode property White_Space. `str.isspace` also takes U+001C to U+001F,
# which are of class Cc and so ignored here anyway.
_WHITE_SPACE = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_IGNORED_CLASSES = frozenset(("Cc", "Cf", "Zl", "Zp"))
_UNENCODABLE = re.compile("[\ud800-\udfff\x00\ufffe\uffff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
CHARS_PER_TOKEN = 4
"""The estimate everywhere: one token is four characters (O-30)."""


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing: only white space, controls and invisible marks."""
    return all(char in _WHITE_SPACE or unicodedata.category(char) in _IGNORED_CLASSES for char in text)


def is_encodable(text: str) -> bool:
    """Whether every part of the way to a model can carry it: no lone surrogate, no non-character."""
    if text.isascii():  # most text, and then nothing but NUL can be wrong
        return "\x00" not in text
    return _UNENCODABLE.search(text) is None


def scrub(text: str) -> str:
    """The text with each character that cannot be carried replaced by U+FFFD.

    Two halves of a pair that stand beside each other are joined: only together they are a character.
    """
    if is_encodable(text):
        return text
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _UNENCODABLE.sub(_REPLACEMENT, joined)


def shorten(text: str, limit_chars: int) -> str:
    """Head and tail of a text that is longer than the limit, saying how much is missing.

    The tail begins in the middle of a line, as it did in the text: a cut makes no new start of a line.
    """
    if len(text) <= limit_chars:
        return text
    half = max(limit_chars // 2, 1)
    return joined(text[:half], len(text) - 2 * half, text[-half:])


def brief(text: str, limit_chars: int) -> str:
    """The beginning of a text on one line, for lists; a cut is marked, and the mark is counted."""
    line = " ".join(text.split())
    return line if len(line) <= limit_chars else f"{line[: limit_chars - 1]}…"


def joined(head: str, missing_chars: int, tail: str) -> str:
    """Head and tail with the words that say what is missing between them."""
    return f"{head}\n[... {missing_chars} characters are left out here ...] {tail}"
