"""What agents were sent, what they have read, and what became of tasks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from postroom.domain.event import EventKind
from postroom.observe.views import MessageView
from postroom.testing.scenario.expect.differ import Difference, unless, unless_equal
from postroom.testing.scenario.parts.expecting import (
    MessageRow,
    MessagesPart,
    ReadPart,
    TaskRow,
    TasksPart,
    TodosPart,
)
from postroom.testing.scenario.record import Record

_MOVES: Final[Mapping[str, str]] = {
    EventKind.TASK_LINED_UP: "queued",
    EventKind.TASK_STARTED: "running",
}
"""Events that say how an open task stands from then on."""


@dataclass(slots=True, kw_only=True)
class Told:
    """A task as the log tells it."""

    id: str
    names: frozenset[str]
    """What the agent that has it is called."""
    state: str
    outcome: str | None = None
    cause: str = ""


def messages(record: Record, part: MessagesPart) -> Iterator[Difference]:
    """The messages of an agent."""
    found = [m for m in record.messages(part.to) if part.kind in {None, m.kind}]
    what = f"{part.kind or 'messages'} to {part.to}"
    if part.are is not None:
        yield from unless_equal(f"{what}: number", len(part.are), len(found))
        for number, (row, one) in enumerate(zip(part.are, found, strict=False), 1):
            yield from _row(record, row, one, f"{what}: {number}.")
    if part.count is not None:
        number = sum(part.state in {None, m.state} for m in found)
        state = f" in state {part.state}" if part.state else ""
        yield from unless(part.count.holds(number), f"{what}: {part.count}{state}", f"{number}")


def _row(record: Record, row: MessageRow, one: MessageView, what: str) -> Iterator[Difference]:
    for name in row.model_fields_set - {"contains", "sender"}:
        yield from unless_equal(f"{what} {name}", getattr(row, name), getattr(one, name))
    if row.contains is not None:
        yield from unless(row.contains in one.body, f"{what} with {row.contains!r}", one.body)
    if row.sender is not None:
        names = record.names_of(one.sender)
        yield from unless(row.sender in names, f"{what} sender {row.sender!r}", one.sender)


def read(record: Record, part: ReadPart) -> Iterator[Difference]:
    """The bodies of consumed mail in the order of the conversation."""
    bodies = {m.message_id: m.body for m in record.messages(part.by) if m.kind == "mail"}
    session_id = record.agent(part.by).session_id
    consumed = [
        event.message_id
        for event in record.events()
        if event.kind == EventKind.MESSAGE_CONSUMED and event.session_id == session_id
    ]
    found = [bodies[message] for message in consumed if message in bodies]
    yield from unless_equal(f"mail read by {part.by}:", part.bodies, found)


def tasks(record: Record, part: TasksPart) -> Iterator[Difference]:
    """The tasks of the store as its log tells them."""
    found = [task for task in _tasks(record) if part.of is None or part.of in task.names]
    what = f"tasks of {part.of}" if part.of else "tasks"
    if part.are is not None:
        yield from unless_equal(f"{what}: number", len(part.are), len(found))
        for number, (row, one) in enumerate(zip(part.are, found, strict=False), 1):
            yield from _task_row(row, one, f"{what}: {number}.")
    if part.count is not None:
        yield from unless(part.count.holds(len(found)), f"{what}: {part.count}", f"{len(found)}")


def _task_row(row: TaskRow, one: Told, what: str) -> Iterator[Difference]:
    for name in row.model_fields_set - {"of", "cause_contains"}:
        yield from unless_equal(f"{what} {name}", getattr(row, name), getattr(one, name))
    if row.of is not None:
        yield from unless(row.of in one.names, f"{what} of {row.of}", sorted(one.names))
    if row.cause_contains is not None:
        cause = one.cause
        yield from unless(row.cause_contains in cause, f"{what} cause with {row.cause_contains!r}", cause)


def _tasks(record: Record) -> list[Told]:
    """Each task with whose it is, its state and, once it has ended, its outcome and cause."""
    found: dict[int, Told] = {}
    for event in record.events():
        task = event.facts.get("task")
        if not isinstance(task, int):
            continue
        if event.kind == EventKind.TASK_QUEUED:
            state, public_id = str(event.facts.get("state") or "queued"), str(event.facts.get("id"))
            found[task] = Told(id=public_id, names=record.names_of_target(event), state=state)
        elif event.kind in _MOVES:
            found[task].state = _MOVES[event.kind]
        elif event.kind == EventKind.TASK_ENDED:
            facts = {name: str(event.facts.get(name)) for name in ("state", "outcome", "cause")}
            found[task] = replace(found[task], **facts)
    return list(found.values())


def todos(record: Record, part: TodosPart) -> Iterator[Difference]:
    """The board of a session."""
    found = record.todos(part.of)
    what = f"todos of {part.of}"
    yield from unless_equal(f"{what}: number", len(part.are), len(found))
    for number, (row, one) in enumerate(zip(part.are, found, strict=False), 1):
        for name in row.model_fields_set:
            seen = list(one.blocked_by) if name == "blocked_by" else getattr(one, name)
            yield from unless_equal(f"{what}: {number}. {name}", getattr(row, name), seen)
