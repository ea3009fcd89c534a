"""The log, and what its readers have seen of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from postroom.domain.plain import Json
from postroom.observe.event_view import EventView
from postroom.observe.looks import as_json
from postroom.testing.scenario import who
from postroom.testing.scenario.expect.differ import Difference, holds_all, unless, unless_equal
from postroom.testing.scenario.parts.expecting import EventOrderPart, EventsPart, StreamPart
from postroom.testing.scenario.record import Record


def events(record: Record, part: EventsPart) -> Iterator[Difference]:
    """Events of a kind."""
    of_kind = [e for e in _log(record, part.of) if e.kind == part.kind]
    found = [e for e in of_kind if holds_all(part.payload, e.facts) and part.actor in {None, e.actor}]
    whose = f" of {part.of}" if part.of else ""
    which = f" with {part.payload}" if part.payload else ""
    seen = f"{len(found)}" if found or not of_kind else f"0; others: {[e.facts for e in of_kind]}"
    yield from unless(part.count.holds(len(found)), f"{part.count} {part.kind}{whose}{which}", seen)


def event_order(record: Record, part: EventOrderPart) -> Iterator[Difference]:
    """Kinds one after the other."""
    kinds = [event.kind for event in _log(record, part.of)]
    yield from unless(_follow(part.kinds, kinds), f"events in this order: {part.kinds}", kinds)


def stream(record: Record, part: StreamPart, seen: Sequence[Mapping[str, Json]]) -> Iterator[Difference]:
    """What a client has seen."""
    what = f"client {part.client}"
    if part.count is not None:
        yield from unless(part.count.holds(len(seen)), f"{what}: {part.count} events", f"{len(seen)}")
    if part.equals_log:
        log = [as_json(event) for event in record.events()]
        expected = [cast("dict[str, Json]", event)["pos"] for event in log[: len(seen)]]
        yield from unless_equal(f"{what}: positions", expected, [frame.get("pos") for frame in seen])
        yield from unless(
            [dict(frame) for frame in seen] == log[: len(seen)],
            f"{what}: the rows of the log",
            list(seen)[-1:],
        )
    if part.kinds is not None:
        kinds = [str(frame.get("kind")) for frame in seen]
        yield from unless(_follow(part.kinds, kinds), f"{what}: {part.kinds} in this order", kinds)


def _log(record: Record, of: str | None) -> list[EventView]:
    """The log, or what it says of one agent: of its session too, where its name has `:n`."""
    found, views = record.events(), record.agents()
    if of is None:
        return found
    if ":" in of:
        view = record.agent(of)
        others = {v.branch_id for v in views if v.session_id == view.session_id} - {view.branch_id}
        return [e for e in found if e.session_id == view.session_id and e.branch_id not in others]
    own = {view.branch_id for view in who.called(views, of)}
    return [e for e in found if e.branch_id in own or who.profile_of(e.agent) == of]


def _follow(wanted: Sequence[str], row: Sequence[str]) -> bool:
    rest = iter(row)
    return all(kind in rest for kind in wanted)
