"""Every kind of expectation and the function that looks at it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from postroom.errors import NotFound
from postroom.testing.scenario.expect import calls, log, mail, state
from postroom.testing.scenario.expect.differ import Difference
from postroom.testing.scenario.parts.expecting import Expect
from postroom.testing.scenario.play import Play

Look: TypeAlias = Callable[[Play, Expect], Iterator[Difference]]


def _request(play: Play, e: Expect) -> Iterator[Difference]:
    return calls.request(play.record, e.request) if e.request else iter(())


def _requests(play: Play, e: Expect) -> Iterator[Difference]:
    return calls.requests(play.record, e.requests) if e.requests else iter(())


def _history(play: Play, e: Expect) -> Iterator[Difference]:
    return calls.history(play.record, e.history) if e.history else iter(())


def _result(play: Play, e: Expect) -> Iterator[Difference]:
    return calls.result(play.record, e.result) if e.result else iter(())


def _results(play: Play, e: Expect) -> Iterator[Difference]:
    return calls.results(play.record, e.results) if e.results else iter(())


def _receipt(play: Play, e: Expect) -> Iterator[Difference]:
    return calls.receipt(play.record, e.receipt) if e.receipt else iter(())


def _messages(play: Play, e: Expect) -> Iterator[Difference]:
    return mail.messages(play.record, e.messages) if e.messages else iter(())


def _read(play: Play, e: Expect) -> Iterator[Difference]:
    return mail.read(play.record, e.read) if e.read else iter(())


def _tasks(play: Play, e: Expect) -> Iterator[Difference]:
    return mail.tasks(play.record, e.tasks) if e.tasks else iter(())


def _events(play: Play, e: Expect) -> Iterator[Difference]:
    return log.events(play.record, e.events) if e.events else iter(())


def _event_order(play: Play, e: Expect) -> Iterator[Difference]:
    return log.event_order(play.record, e.event_order) if e.event_order else iter(())


def _stream(play: Play, e: Expect) -> Iterator[Difference]:
    if e.stream is None:
        return iter(())
    return log.stream(play.record, e.stream, play.clients.named(e.stream.client).seen)


def _agents(play: Play, e: Expect) -> Iterator[Difference]:
    return state.agents(play.record, e.agents) if e.agents else iter(())


def _exit_codes(play: Play, e: Expect) -> Iterator[Difference]:
    return state.exit_codes(e.exit_codes, play.kept) if e.exit_codes else iter(())


def _kept(play: Play, e: Expect) -> Iterator[Difference]:
    return state.kept(e.kept, play.kept) if e.kept else iter(())


def _equal(_play: Play, e: Expect) -> Iterator[Difference]:
    return state.equal(e.equal) if e.equal else iter(())


def _different(_play: Play, e: Expect) -> Iterator[Difference]:
    return state.different(e.different) if e.different else iter(())


LOOKS: Final[Mapping[str, Look]] = {
    "request": _request,
    "requests": _requests,
    "history": _history,
    "result": _result,
    "results": _results,
    "receipt": _receipt,
    "messages": _messages,
    "read": _read,
    "tasks": _tasks,
    "events": _events,
    "event_order": _event_order,
    "stream": _stream,
    "agents": _agents,
    "exit_codes": _exit_codes,
    "kept": _kept,
    "equal": _equal,
    "different": _different,
}


async def differences(play: Play, expect: Expect) -> list[Difference]:
    """Everything that is not as expected, in the order of this table."""
    try:
        found = [
            d for name, look in LOOKS.items() if name in expect.model_fields_set for d in look(play, expect)
        ]
    except NotFound as fault:
        return [Difference(expected="an agent or a receipt that is there", seen=fault.message)]
    if expect.gate is not None:
        arrivals = await (await play.stage()).arrivals(expect.gate.name)
        found += state.gate(expect.gate, arrivals)
    return found
