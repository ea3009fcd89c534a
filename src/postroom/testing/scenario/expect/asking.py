"""What the person is asked, and what they have allowed."""

from collections.abc import Iterator, Sequence

from postroom.observe.asks import AskView
from postroom.testing.scenario.expect.differ import Difference, unless, unless_equal
from postroom.testing.scenario.parts.expecting import AskRow, RightsPart
from postroom.testing.scenario.record import Record


def asks(record: Record, part: Sequence[AskRow]) -> Iterator[Difference]:
    """Exactly these are open: agents that ask at the same moment do so in any order."""
    found = record.asks()
    seen = [f"{ask.profile}: {ask.kind} {ask.ask_id} {ask.text!r}" for ask in found]
    yield from unless(len(part) == len(found), f"{len(part)} open asks", seen)
    left = list(found)
    for number, row in enumerate(part, 1):
        match = next((ask for ask in left if _fits(record, row, ask)), None)
        wanted = row.model_dump(exclude_unset=True)
        yield from unless(match is not None, f"open ask {number} with {wanted}", seen)
        if match is not None:
            left.remove(match)


def _fits(record: Record, row: AskRow, ask: AskView) -> bool:
    exact = {"id": ask.ask_id, "kind": ask.kind, "question": ask.text, "options": ask.options} | {
        name: getattr(ask, name) for name in ("tool", "action", "resource")
    }
    return (
        all(getattr(row, name) in (None, value) for name, value in exact.items())
        and (row.contains is None or row.contains in ask.text)
        and (row.of is None or row.of in record.names_of(ask.agent))
        and (row.to is None or row.to in record.names_of(ask.to))
    )


def rights(record: Record, part: RightsPart) -> Iterator[Difference]:
    """Mode, rules and grants of a tree."""
    found = record.rights(part.of)
    if found is None:
        return
    if part.mode is not None:
        yield from unless_equal("mode", part.mode, found.mode)
    if part.overlay is not None:
        rules = [[rule.action, rule.pattern, rule.effect] for rule in found.overlay]
        yield from unless_equal("overlay", part.overlay, rules)
    if part.grants is not None:
        number = len(found.grants)
        yield from unless(part.grants.holds(number), f"{part.grants} grants", f"{number}")
