"""What models were asked and what their calls came to."""

from collections.abc import Iterator, Sequence

from postroom.llm.port import Item, ResultItem, UserItem
from postroom.testing.reading import Reading
from postroom.testing.reading_bus import read_item
from postroom.testing.scenario.deeds import tool_of
from postroom.testing.scenario.expect import texts
from postroom.testing.scenario.expect.differ import Difference, unless, unless_equal, unless_within
from postroom.testing.scenario.journal import role_of
from postroom.testing.scenario.parts.expecting import (
    EnvelopeRow,
    HistoryPart,
    ReceiptPart,
    RequestPart,
    RequestsPart,
    ResultPart,
    ResultsPart,
)
from postroom.testing.scenario.record import Record, code_of


def request(record: Record, part: RequestPart) -> Iterator[Difference]:
    """One request of an agent."""
    asked = record.requests(part.of, part.purpose)
    number = part.number or len(asked)
    what = f"request {number} of {part.of}"
    if not 1 <= number <= len(asked):
        yield Difference(expected=what, seen=f"{len(asked)} requests")
        return
    found = asked[number - 1]
    yield from texts.differ(part, what, [role_of(i) for i in found.items], [i.text for i in found.items])
    if part.tools is not None:
        names = sorted(tool.name for tool in found.tools)
        yield from unless_equal(f"{what}: tools", sorted(part.tools), names)
    if part.envelopes is not None:
        yield from _envelopes(record, part.envelopes, found.items, what)


def _envelopes(
    record: Record, rows: Sequence[EnvelopeRow], items: Sequence[Item], what: str
) -> Iterator[Difference]:
    shown = [one for item in items if isinstance(item, UserItem) for one in read_item(item.text)]
    yield from unless_equal(f"{what}: number of envelopes", len(rows), len(shown))
    for number, (row, one) in enumerate(zip(rows, shown, strict=False), 1):
        yield from _envelope(record, row, one, f"{what}: envelope {number}")


def _envelope(record: Record, row: EnvelopeRow, one: Reading, what: str) -> Iterator[Difference]:
    for name in row.model_fields_set - {"sender"}:
        yield from unless_equal(f"{what} {name}", getattr(row, name), getattr(one, name))
    if row.sender is not None:
        names = record.names_of(one.sender)
        yield from unless(row.sender in names, f"{what} sender {row.sender!r}", one.sender)


def requests(record: Record, part: RequestsPart) -> Iterator[Difference]:
    """How many model calls there were."""
    number = len(record.requests(part.of, part.purpose))
    whose = part.of or "all agents"
    yield from unless(part.count.holds(number), f"{part.count} requests of {whose}", f"{number}")


def history(record: Record, part: HistoryPart) -> Iterator[Difference]:
    """A conversation as it is stored."""
    items = record.history(part.of)
    what = f"history of {part.of}"
    yield from texts.differ(part, what, [item.role for item in items], [item.text for item in items])
    if part.provenance is not None:
        yield from unless_equal(f"{what}: provenance", part.provenance, [item.provenance for item in items])


def result(record: Record, part: ResultPart) -> Iterator[Difference]:
    """One result."""
    found = _results(record, part.of, part.tool)
    number = part.number or len(found)
    what = f"result {number} of {part.of}"
    if not 1 <= number <= len(found):
        yield Difference(expected=what, seen=f"{len(found)} results")
        return
    one = found[number - 1]
    if part.is_error is not None:
        yield from unless_equal(f"{what}: is_error", part.is_error, one.is_error)
    if part.code is not None:
        yield from unless_equal(f"{what}: code", part.code, code_of(one))
    yield from unless_within(what, one.text, part.contains, part.lacks)


def results(record: Record, part: ResultsPart) -> Iterator[Difference]:
    """The codes of all results."""
    found = [code_of(r) for r in _results(record, part.of, part.tool)]
    yield from unless_equal(f"results of {part.of}:", part.are, found)


def _results(record: Record, agent: str, named: str | None) -> list[ResultItem]:
    """The results of an agent, or those of one tool or deed."""
    tool = tool_of(record.surface, named)
    return [one for one in record.results(agent) if tool in {None, one.tool}]


def receipt(record: Record, part: ReceiptPart) -> Iterator[Difference]:
    """A receipt."""
    found = record.receipt(part.of, part.number)
    what = f"receipt {part.number} of {part.of}"
    if part.mode is not None:
        yield from unless_equal(f"{what}: mode", part.mode, found.mode)
    if part.recipient_state:
        holds = found.recipient_state in part.recipient_state
        yield from unless(
            holds, f"{what}: recipient {' or '.join(part.recipient_state)}", found.recipient_state
        )
