"""How agents and gates stand, what steps gave, and whether values are the same."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import cast

from postroom.domain.plain import Json
from postroom.testing.scenario import who
from postroom.testing.scenario.expect.differ import Difference, holds_all, unless, unless_equal, unless_within
from postroom.testing.scenario.parts.expecting import AgentState, ExitsPart, FilePart, GateState, KeptPart
from postroom.testing.scenario.record import Record


def agents(record: Record, part: Mapping[str, AgentState]) -> Iterator[Difference]:
    """Agents as `postroom ps` shows them."""
    for name, state in part.items():
        if state.count is not None:
            number = len(who.called(record.agents(), name))
            yield from unless(state.count.holds(number), f"{state.count} agents {name}", f"{number}")
        if state.model_fields_set == {"count"}:
            continue
        view = record.agent(name)
        if state.state:
            yield from unless(view.state in state.state, f"{name} {' or '.join(state.state)}", view.state)
        if state.unread is not None:
            yield from unless_equal(f"{name}: unread", state.unread, view.unread)
        if state.parked is not None:
            yield from unless_equal(f"{name}: parked", state.parked, view.parked)


def files(record: Record, part: Mapping[str, FilePart]) -> Iterator[Difference]:
    """Files that the agents have read and written."""
    for name, file in part.items():
        text = record.file(name)
        yield from unless_equal(f"file {name}: exists", file.exists, text is not None)
        if text is None:
            continue
        if file.equals is not None:
            yield from unless_equal(f"file {name}:", file.equals, text)
        yield from unless_within(f"file {name}", text, file.contains, file.lacks)


def gate(part: GateState, arrivals: int) -> Iterator[Difference]:
    """Who came to a gate."""
    yield from unless(part.arrivals.holds(arrivals), f"{part.arrivals} at gate {part.name}", f"{arrivals}")


def exit_codes(part: ExitsPart, kept: Mapping[str, Json]) -> Iterator[Difference]:
    """How processes ended."""
    value = kept.get(part.of)
    codes = value.get("exit_codes") if isinstance(value, dict) else None
    yield from unless_equal(f"exit codes of {part.of}:", part.are, codes)


def kept(part: KeptPart, values: Mapping[str, Json]) -> Iterator[Difference]:
    """What a step gave."""
    found = values.get(part.name)
    yield from unless(holds_all(part.holds, found), f"{part.name} with {part.holds}", found)


def equal(values: Sequence[Json]) -> Iterator[Difference]:
    """All the same."""
    yield from unless(all(v == values[0] for v in values), "equal values", cast("object", list(values)))


def different(values: Sequence[Json]) -> Iterator[Difference]:
    """No two the same."""
    pairs = [one for one, other in combinations(values, 2) if one == other]
    yield from unless(not pairs, "different values", cast("object", list(values)))
