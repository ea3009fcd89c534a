"""Every kind of expectation and the function that looks at it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias, TypeVar

from postroom.errors import NotFound
from postroom.testing.scenario.expect import asking, calls, log, mail, state
from postroom.testing.scenario.expect.differ import Difference
from postroom.testing.scenario.parts.expecting import Expect, StreamPart
from postroom.testing.scenario.play import Play
from postroom.testing.scenario.record import Record

Differences: TypeAlias = Iterator[Difference]
Look: TypeAlias = Callable[[Play, Expect], Differences]
T = TypeVar("T")


def _on_record(pick: Callable[[Expect], T | None], look: Callable[[Record, T], Differences]) -> Look:
    """An expectation of what is on the disk."""
    return _on_play(pick, lambda play, part: look(play.record, part))


def _on_play(pick: Callable[[Expect], T | None], look: Callable[[Play, T], Differences]) -> Look:
    """An expectation of what the scenario itself has kept."""

    def differ(play: Play, expect: Expect) -> Differences:
        part = pick(expect)
        return iter(()) if part is None else look(play, part)

    return differ


def _stream(play: Play, part: StreamPart) -> Differences:
    return log.stream(play.record, part, play.clients.named(part.client).seen)


LOOKS: Final[Mapping[str, Look]] = {
    "request": _on_record(lambda e: e.request, calls.request),
    "requests": _on_record(lambda e: e.requests, calls.requests),
    "history": _on_record(lambda e: e.history, calls.history),
    "result": _on_record(lambda e: e.result, calls.result),
    "results": _on_record(lambda e: e.results, calls.results),
    "receipt": _on_record(lambda e: e.receipt, calls.receipt),
    "messages": _on_record(lambda e: e.messages, mail.messages),
    "read": _on_record(lambda e: e.read, mail.read),
    "tasks": _on_record(lambda e: e.tasks, mail.tasks),
    "todos": _on_record(lambda e: e.todos, mail.todos),
    "asks": _on_record(lambda e: e.asks, asking.asks),
    "rights": _on_record(lambda e: e.rights, asking.rights),
    "events": _on_record(lambda e: e.events, log.events),
    "event_order": _on_record(lambda e: e.event_order, log.event_order),
    "agents": _on_record(lambda e: e.agents, state.agents),
    "files": _on_record(lambda e: e.files, state.files),
    "stream": _on_play(lambda e: e.stream, _stream),
    "exit_codes": _on_play(lambda e: e.exit_codes, lambda play, part: state.exit_codes(part, play.kept)),
    "kept": _on_play(lambda e: e.kept, lambda play, part: state.kept(part, play.kept)),
    "equal": _on_play(lambda e: e.equal, lambda _, values: state.equal(values)),
    "different": _on_play(lambda e: e.different, lambda _, values: state.different(values)),
}
"""`gate` is not here, because only the room that runs can tell who came to one."""


async def differences(play: Play, expect: Expect) -> list[Difference]:
    """Everything that is not as expected, in the order of this table."""
    looks = [look for name, look in LOOKS.items() if name in expect.model_fields_set]
    try:
        found = [difference for look in looks for difference in look(play, expect)]
    except NotFound as fault:
        return [Difference(expected="an agent or a receipt that is there", seen=fault.message)]
    if expect.gate is not None:
        arrivals = await (await play.stage()).arrivals(expect.gate.name)
        found += state.gate(expect.gate, arrivals)
    return found
