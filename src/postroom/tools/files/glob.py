"""File patterns such as `*.py`, `src/**/*.{ts,tsx}`: matched name by name, in time linear in the path."""

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from postroom.tools.files.paths import PathRefused

PATTERN_CHARS_MAX: Final = 500
CHOICES_MAX: Final = 64
_CHOICE: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Glob:
    """What a file pattern means. Without `/` it is about the name alone, at any depth."""

    choices: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, pattern: str) -> Self:
        """Read a pattern: `*`, `?`, `[...]`, `**` for any folders, `{a,b}` for either.

        Raises `PathRefused` for one that is too long or stands for too many.
        """
        if len(pattern) > PATTERN_CHARS_MAX:
            raise PathRefused(f"the file pattern is longer than {PATTERN_CHARS_MAX} characters")
        return cls(tuple(_segments(choice) for choice in _choices(pattern)))

    def matches(self, parts: Sequence[str]) -> bool:
        """Whether the path, relative to where the pattern begins, fits it."""
        return any(_fits(segments, parts) for segments in self.choices)


def _choices(pattern: str) -> list[str]:
    """Every pattern that the braces stand for."""
    open_ones, done = [pattern], list[str]()
    while open_ones:
        if len(open_ones) + len(done) > CHOICES_MAX:
            raise PathRefused(f"the braces of the file pattern stand for more than {CHOICES_MAX} patterns")
        one = open_ones.pop()
        found = _CHOICE.search(one)
        if found is None:
            done.append(one)
        else:
            head, tail = one[: found.start()], one[found.end() :]
            open_ones += [f"{head}{middle}{tail}" for middle in found[1].split(",")]
    return done


def _segments(pattern: str) -> tuple[str, ...]:
    parts = [part for part in pattern.split("/") if part not in {"", "."}]
    if "/" not in pattern:
        parts.insert(0, "**")
    return tuple(parts)


def _fits(segments: tuple[str, ...], parts: Sequence[str]) -> bool:
    """Every place in the pattern where the path so far may stand is kept, so nothing is tried twice."""
    places = _with_skips(segments, {0})
    for part in parts:
        stay = {at for at in places if at < len(segments) and segments[at] == "**"}
        step = {
            at + 1 for at in places - stay if at < len(segments) and fnmatch.fnmatchcase(part, segments[at])
        }
        places = _with_skips(segments, stay | step)
    return len(segments) in places


def _with_skips(segments: tuple[str, ...], places: set[int]) -> set[int]:
    """`**` may stand for no folder at all."""
    reached = set(places)
    for at in range(len(segments)):
        if at in reached and segments[at] == "**":
            reached.add(at + 1)
    return reached
