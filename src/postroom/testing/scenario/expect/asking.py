"""What the person is asked, and what they have allowed."""

from collections.abc import Iterator, Sequence

from postroom.observe.asks import AskView
from postroom.testing.scenario.expect.differ import Difference, unless, unless_equal
from postroom.testing.scenario.parts.expecting import AskRow, RightsPart
from postroom.testing.scenario.record import Record


def asks(record: Record, part: Sequence[AskRow]) -> Iterator[Difference]:
    """Exactly these are open: agents that ask at the same moment do so in any order."""
    found = record.asks()
    names = {view.session_id: view.profile for view in record.agents()}
    seen = [f"{names.get(ask.session_id)}: {ask.kind} {ask.ask_id} {ask.text!r}" for ask in found]
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
        and (row.of is None or row.of in _names(record, ask.session_id))
        and (row.to is None or row.to in {ask.to, _profile(record, ask.to)})
    )


def _names(record: Record, session_id: str) -> set[str]:
    """`b` is any agent of that name, `b:2` the second."""
    view = next(view for view in record.agents() if view.session_id == session_id)
    same = [one.session_id for one in record.agents() if one.profile == view.profile]
    return {view.profile, f"{view.profile}:{same.index(session_id) + 1}"}


def _profile(record: Record, address: str) -> str:
    """The name in the file of whoever has this handle or session id."""
    found = (one.profile for one in record.agents() if address in {one.handle, one.session_id})
    return next(found, address)


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
