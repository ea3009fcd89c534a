"""Foreign text in a question to a model: JSON on one line, in which nothing begins, ends or hides a block."""

import json
import re
from typing import Final

from postroom.domain.plain import Json

_TAGS: Final = "<>&\uff1c\uff1e\uff06\ufe64\ufe65\ufe60"
"""What begins, ends or escapes a tag, also in the forms that NFKC takes for the same."""
_SUSPECT: Final = re.compile(r"[<>&]|[^\x20-\x7e]")


def one_line(value: Json) -> str:
    """JSON on one line, with all escaped that could begin a tag, or hide and reorder what a model reads."""
    return _SUSPECT.sub(_shown, json.dumps(value, ensure_ascii=False))


def _shown(found: re.Match[str]) -> str:
    char = found[0]
    if char in _TAGS:
        return f"\\u{ord(char):04x}"
    return char if char.isprintable() else json.dumps(char)[1:-1]
