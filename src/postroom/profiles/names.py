"""Which names an agent may have (product.md section 8)."""

import unicodedata
from typing import Final

from postroom.rules.naming import HANDLE, is_uuid
from postroom.rules.selectors import EVERYONE, label_of
from postroom.rules.text import is_blank, is_encodable

CHARS_MAX: Final = 64
BYTES_MAX: Final = 200
RESERVED: Final = frozenset(("user", "everyone", "all", "new", "lead", "root", "parent"))
_SPEAKERS: Final = frozenset(("user", EVERYONE))
"""What no label of a bus may be either."""
_FORBIDDEN = ':#/"'


def name_problem(name: str) -> str | None:
    """Why this text cannot be a name; `None` if it can."""
    if is_blank(name):
        return "a name may not be blank"
    if not is_encodable(name) or any(unicodedata.category(char) == "Cc" for char in name):
        return "a name may not hold control characters"
    return _too_long(name) or _looks_like_something_else(name)


def _too_long(name: str) -> str | None:
    if len(name) > CHARS_MAX:
        return f"a name has at most {CHARS_MAX} characters, this one has {len(name)}"
    if (size := len(name.encode())) > BYTES_MAX:
        return f"a name has at most {BYTES_MAX} bytes, this one has {size}"
    return None


def _looks_like_something_else(name: str) -> str | None:
    if found := [char for char in _FORBIDDEN if char in name]:
        return f"a name may not hold {' '.join(found)}"
    if name != name.strip():
        return "a name may not begin or end with white space"
    if is_uuid(name):
        return "a name may not be a UUID"
    if HANDLE.match(name):
        return "a name may not look like a handle"
    if name.casefold() in RESERVED or label_of(name).casefold() in _SPEAKERS:
        return f"`{name}` is a reserved word"
    return None
