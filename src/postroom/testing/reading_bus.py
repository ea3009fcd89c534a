"""The reading rule for an item that several texts share, as on `roster`: who says what, part by part.

A part of another begins with its marker and goes on over lines with `> ` in front. All other paragraphs are
the person's, and the suspicious reader of `postroom.testing.reading` finds no line in them that could pass
for one of another's.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from postroom.rules.envelope_roster import BEFORE, CLOSES, CLOSES_NOT, own_text, unquote
from postroom.rules.markers import START_LEADS, START_TAGS, restore
from postroom.testing.reading import Reading, read, read_body, seen
from postroom.testing.reading_team import read_batch

_ENDS: Final = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_QUOTED: Final = re.compile(f"[^{_ENDS}]*(?:(?:\r\n|[{_ENDS}])> [^{_ENDS}]*)*")
_MESSAGE: Final = re.compile(rf"\[message from (?P<sender>[^\[\]{_ENDS}]+?)(?P<before>{BEFORE})?\] ")
_OTHERS: Final = tuple(f"<{tag.replace(' ', '_')}" for tag in START_TAGS)
_BEGINS: Final = re.compile(rf"{_MESSAGE.pattern.replace('?P<sender>', '?:').replace('?P<before>', '?:')}"
                            rf"|\[notice\] |(?:{'|'.join(_OTHERS)})[ >]")  # fmt: skip
_NEXT: Final = re.compile(rf"\n\n(?={_BEGINS.pattern})")
_JOINT: Final = r"[-_.\s]*"
_INDENT: Final = r"[^\S\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*"
_WORDS: Final = "|".join(word.replace(" ", _JOINT) for word in START_TAGS)
_LIKE_ANOTHERS: Final = re.compile(
    rf"{_INDENT}(?:>|\[\s*(?:{'|'.join(START_LEADS)})(?!\w)|<[\s/\\!?|]*(?:{_WORDS})(?!\w))"
)


def read_item(text: str) -> tuple[Reading, ...]:
    """Everything in an item that is not the person's: one envelope, or the parts of several."""
    if (whole := read(text)) is not None:
        return (whole,)
    if (batch := read_batch(text)) is not None:
        return batch.readings
    return tuple(part for part in read_bus(text) or () if part.kind != "user")


def read_bus(text: str) -> tuple[Reading, ...] | None:
    """The texts of one item in order, the person's as kind `user`; none where it has no such reading."""
    found = list(_parts(text))
    return None if None in found else tuple(part for part in found if part is not None)


def looks_like_anothers(text: str) -> list[str]:
    """The lines that could pass for the beginning of another's text, or for a line of it."""
    return [line for line in seen(text).splitlines() if _LIKE_ANOTHERS.match(line)]


def _parts(text: str) -> Iterator[Reading | None]:
    while text:
        if _BEGINS.match(text):
            shown = _QUOTED.match(text)
            assert shown is not None  # noqa: S101 -- it matches the empty text too
            yield _anothers(shown[0])
            end = shown.end()
        else:
            following = _NEXT.search(text)
            end = following.start() if following else len(text)
            yield _persons(text[:end])
        if end < len(text) and not text.startswith("\n\n", end):
            yield None
            return
        text = text[end + 2 :]


def _anothers(shown: str) -> Reading | None:
    plain = unquote(shown)
    header = _MESSAGE.match(plain)
    if header is None:
        return read(plain)
    name = restore(header["sender"].replace(CLOSES_NOT, CLOSES))
    reading = read_body(Reading(kind="mail", sender=name), plain[header.end() :])
    return None if reading is None else replace(reading, replayed=bool(header["before"]))


def _persons(shown: str) -> Reading | None:
    return None if looks_like_anothers(shown) else Reading(kind="user", body=own_text(shown))
