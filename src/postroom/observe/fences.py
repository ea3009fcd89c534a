"""Foreign texts on a Markdown page, in which none of them can end its place or name another speaker (G10)."""

import re
from collections.abc import Iterator
from typing import Final

from postroom.domain.plain import Json

_TICKS: Final = re.compile(r"`+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SHORTEST_FENCE: Final = 3


def name(value: Json) -> str:
    """A name on one line between backticks, of which it can have any number itself."""
    text = visible(" ".join(str(value).split()))
    ticks = "`" * (_longest(text) + 1)
    space = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def fenced(text: str, kind: str = "text") -> Iterator[str]:
    """The lines of a text in a fence that nothing in it ends, and an empty one; nothing of an empty text."""
    if not text:
        return
    fence = "`" * max(_longest(text) + 1, _SHORTEST_FENCE)
    yield f"{fence}{kind}"
    # A lone carriage return ends a line for Markdown and not for Python: shown, it ends none.
    yield visible(text)
    yield fence
    yield ""


def _longest(text: str) -> int:
    """The longest run of backticks."""
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def visible(text: str) -> str:
    """Controls of a terminal are shown and not obeyed; lines and tabs stay."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text.replace("\r\n", "\n"))
