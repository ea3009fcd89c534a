"""What an agent may be called: a name that a call gives, a name that the person gives, and a model's.
And what a session may be called, which is no address and so holds nearly anything.

A name stands in addresses and in lists that models read, so it may hold nothing that an address is cut at.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

from postroom.rules import naming
from postroom.rules.text import is_blank, is_encodable

CHARS_MAX: Final = 64
BYTES_MAX: Final = 200
LABEL_CHARS: Final = 24
"""Longest name that a call gives (systems.md 1.6)."""
RESERVED: Final = frozenset(("user", "everyone", "all", "new", "lead", "root", "parent"))
"""Words that mean somebody else, however they are written."""
TITLE_CHARS: Final = 80
DISPLAY_NAME: Final = "main"
"""How the first branch of every session is shown; nobody is given it."""
FORBIDDEN: Final = ':#/"'
_UNSEEN: Final = frozenset(("Cc", "Cf", "Zl", "Zp"))
_NO_LINE: Final = _UNSEEN - {"Cf"}
"""Joiners and marks of direction are part of how some languages are written."""
_NO_LABEL: Final = re.compile(r"[^\w-]+")


def label(text: str) -> str:
    """A description or a prompt as a name: letters, digits, `-` and `_`, at most 24 (OP-58).

    Empty where nothing of the text is left.
    """
    name = _NO_LABEL.sub("-", text).strip("-_")[:LABEL_CHARS].strip("-_")
    if _looks_like_an_id(name):
        name = name.replace("_", "-")
    return f"{name}-agent" if _means_another(name) else name


def flaw(name: str) -> str | None:
    """Why a text can be nobody's name, in words that go on after `a name`; `None` when it can."""
    if not is_encodable(name) or is_blank(name):
        return "must not be blank"
    return next((why for why, is_flawed in _FLAWS if is_flawed(name)), None)


def is_title(text: str) -> bool:
    """Whether a session can be called so: one line that can be seen, of at most 80 characters."""
    if not is_encodable(text) or is_blank(text) or len(text) > TITLE_CHARS:
        return False
    return not any(unicodedata.category(char) in _NO_LINE for char in text)


def _looks_like_an_id(name: str) -> bool:
    return naming.is_uuid(name) or naming.is_task_id(name) or naming.HANDLE.match(name) is not None


def _means_another(name: str) -> bool:
    plain = unicodedata.normalize("NFKC", name).casefold()  # full-width and styled letters read alike
    return plain in RESERVED or plain == DISPLAY_NAME


_FLAWS: Final[Sequence[tuple[str, Callable[[str], bool]]]] = (
    (
        f"has at most {CHARS_MAX} characters and {BYTES_MAX} bytes",
        lambda name: len(name) > CHARS_MAX or len(name.encode()) > BYTES_MAX,
    ),
    ("begins and ends with no blank", lambda name: name != name.strip()),
    (
        "holds no characters that nobody sees",
        lambda name: any(unicodedata.category(char) in _UNSEEN for char in name),
    ),
    (f"holds none of {' '.join(FORBIDDEN)}", lambda name: any(char in FORBIDDEN for char in name)),
    ("must not look like an id or a handle", _looks_like_an_id),
    (f"is none of {', '.join(sorted(RESERVED))} and {DISPLAY_NAME}, which mean others", _means_another),
)
