"""Rows of texts: who speaks, and what stands where."""

from collections.abc import Iterator, Sequence

from postroom.testing.scenario.expect.differ import Difference, unless, unless_equal
from postroom.testing.scenario.parts.expecting import Texts


def differ(part: Texts, what: str, roles: Sequence[str], texts: Sequence[str]) -> Iterator[Difference]:
    """What is not as expected of these items."""
    if part.roles is not None:
        yield from unless_equal(f"{what}: roles", part.roles, list(roles))
    if part.last_roles is not None:
        yield from unless_equal(f"{what}: last roles", part.last_roles, _last(roles, len(part.last_roles)))
    if part.equals is not None:
        yield from unless_equal(f"{what}: texts", part.equals, list(texts))
    if part.last_equals is not None:
        yield from unless_equal(f"{what}: last texts", part.last_equals, _last(texts, len(part.last_equals)))
    for wanted in part.contains:
        yield from unless(
            any(wanted in text for text in texts), f"{what}: a text with {wanted!r}", list(texts)
        )
    for unwanted in part.lacks:
        found = [text for text in texts if unwanted in text]
        yield from unless(not found, f"{what}: no text with {unwanted!r}", found)
    whole = "\n".join(texts)
    for wanted, number in part.times.items():
        yield from unless_equal(f"{what}: {wanted!r} so often:", number, whole.count(wanted))
    yield from _in_order(part.in_order, what, whole)


def _last(row: Sequence[str], number: int) -> list[str]:
    return list(row[-number:]) if number else []


def _in_order(wanted: Sequence[str], what: str, whole: str) -> Iterator[Difference]:
    place = 0
    for number, text in enumerate(wanted):
        found = whole.find(text, place)
        if found < 0:
            before = f" behind {wanted[number - 1]!r}" if number else ""
            yield Difference(expected=f"{what}: {text!r}{before}", seen=whole[-2000:])
            return
        place = found + len(text)
