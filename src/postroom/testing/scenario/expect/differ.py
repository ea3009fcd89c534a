"""How an expectation differs from what is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from postroom.domain.plain import Json

SHOWN_CHARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that was expected, and what was seen instead."""

    expected: str
    seen: str


def unless_equal(what: str, expected: object, seen: object) -> Iterator[Difference]:
    """A difference unless both are the same."""
    if expected != seen:
        yield Difference(expected=f"{what} {expected!r}", seen=cut(repr(seen)))


def unless(holds: bool, expected: str, seen: object) -> Iterator[Difference]:  # noqa: FBT001 -- reads as `unless x`
    """A difference unless it holds."""
    if not holds:
        yield Difference(expected=expected, seen=cut(seen if isinstance(seen, str) else repr(seen)))


def unless_within(
    what: str, text: str, contains: Sequence[str], lacks: Sequence[str]
) -> Iterator[Difference]:
    """A difference for each text that is missing in another, and for each that should be."""
    for wanted in contains:
        yield from unless(wanted in text, f"{what} with {wanted!r}", text)
    for unwanted in lacks:
        yield from unless(unwanted not in text, f"{what} without {unwanted!r}", text)


def cut(text: str) -> str:
    """No longer than a person reads."""
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]} … ({len(text)} characters)"


def holds_all(values: dict[str, Json], facts: object) -> bool:
    """Whether a map has all these values."""
    if not isinstance(facts, dict):
        return False
    table = cast("dict[str, object]", facts)
    return all(key in table and table[key] == value for key, value in values.items())
