"""The reading rule for an item that several messages share one behind the other, as on `team`.

In front of the first may stand how many of the waiting messages these are. A body can hold no closing tag, so
the first one ends its envelope.
"""

import re
from dataclasses import dataclass

from postroom.testing.reading import Reading, read

_OPENING = re.compile(r'<([a-z_]+)(?: [a-z]+="[^"\n]*")+>\n')
_LINE = re.compile(r"(\d+) of (\d+) waiting messages\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one item says, and how many of how many waiting messages it holds, where it says so."""

    readings: tuple[Reading, ...]
    taken: int = 0
    waiting: int = 0


def read_batch(text: str) -> Batch | None:
    """The readings of an item of envelopes, or none: then something in it is no envelope."""
    line = _LINE.match(text)
    taken, waiting = (int(line[1]), int(line[2])) if line else (0, 0)
    rest, readings = text[line.end() :] if line else text, list[Reading]()
    while rest:
        shown = _first(rest)
        found = read(shown) if shown else None
        if found is None:
            return None
        readings.append(found)
        rest = rest[len(shown) :]
        if rest and not rest.startswith("\n<"):
            return None
        rest = rest[1:]
    return Batch(readings=tuple(readings), taken=taken, waiting=waiting) if readings else None


def _first(text: str) -> str:
    """The first envelope of a text; empty when it begins with none."""
    opening = _OPENING.match(text)
    closing = f"</{opening[1]}>" if opening else ""
    return text[: text.find(closing) + len(closing)] if closing and closing in text else ""
