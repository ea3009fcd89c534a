"""The bus: who is told, who is asked, and what nobody's failure does to the others."""

import asyncio
import threading

import pytest

from postroom.domain.bus import EVENT_TYPES, BusEvent, Origin
from postroom.testing.clock import FakeClock
from postroom.tools.hooks.bus import at_place
from postroom.tools.hooks.gate import HookFailure
from tests.unit.tools.hook_rig import bus, until

STOP = "turn.stop"


async def test_a_listener_is_told_of_the_types_that_it_names_until_it_leaves() -> None:
    told: list[str] = []
    here = bus()
    leave = here.subscribe(lambda event: told.append(event.type), ["turn.start", "turn.end"])

    for name in ("turn.start", "tool.after", "turn.end"):
        here.emit(name, {})
    leave()
    here.emit("turn.start", {})

    assert told == ["turn.start", "turn.end"]


async def test_a_listener_that_raises_harms_neither_who_tells_nor_the_others() -> None:
    told: list[str] = []
    warned: list[str] = []
    here = bus(warned=warned)

    def breaks(_: BusEvent) -> None:
        raise RuntimeError("broken")

    here.subscribe(breaks)
    here.subscribe(lambda event: told.append(event.type))
    here.emit("turn.start", {})

    assert told == ["turn.start"]
    assert warned == ["a listener of turn.start failed: RuntimeError: broken"]


async def test_an_event_says_where_it_happened_and_what_it_says_itself_wins() -> None:
    told: list[BusEvent] = []
    here = bus()
    here.subscribe(told.append)

    with at_place({"session_id": "s", "turn_id": "t"}):
        here.emit("agents.listed", {"sessions": 1}, metadata={"turn_id": "other"})
    here.emit("agents.listed", {"sessions": 1}, origin=Origin.PROACTIVE)

    assert told[0].metadata == {"session_id": "s", "turn_id": "other"}
    assert told[1].metadata == {}
    assert [event.origin for event in told] == [Origin.AGENT, Origin.PROACTIVE]
    assert told[0].id != told[1].id


async def test_an_unregistered_type_warns_once_is_told_and_never_raises() -> None:
    """OP-91."""
    told: list[str] = []
    warned: list[str] = []
    here = bus(warned=warned)
    here.subscribe(lambda event: told.append(event.type))

    for _ in range(3):
        here.emit("nobody.knows", {})
        here.emit("nor.this", {})

    assert told == ["nobody.knows", "nor.this"] * 3
    assert warned == [
        "nobody.knows is no registered type of event", "nor.this is no registered type of event",
    ]  # fmt: skip


async def test_a_thread_may_tell_something_and_listeners_hear_it_on_the_loop() -> None:
    heard: list[int] = []
    here = bus()
    here.open()
    here.subscribe(lambda _: heard.append(threading.get_ident()))

    thread = threading.Thread(target=lambda: here.emit("turn.start", {}))
    thread.start()
    thread.join()
    await until(lambda: bool(heard))

    assert heard == [threading.get_ident()]


async def test_every_reason_of_every_gate_denies_in_the_order_of_registration() -> None:
    """OP-88."""
    here = bus()
    asked: list[str] = []

    async def first(_: BusEvent) -> str:
        asked.append("first")
        return "tests are missing"

    def second(_: BusEvent) -> None:
        asked.append("second")

    def third(_: BusEvent) -> str:
        asked.append("third")
        return "no news"

    for gate in (first, second, third):
        here.guard(gate, [STOP])
    verdict = await here.ask(STOP, {})

    assert asked == ["first", "second", "third"]
    assert not verdict.allowed
    assert [(r.by, r.text) for r in verdict.reasons] == [("first", "tests are missing"), ("third", "no news")]
    assert verdict.subscribers == 3


async def test_a_gate_that_raises_allows_and_is_named() -> None:
    """OP-88."""
    warned: list[str] = []
    failed: list[HookFailure] = []
    here = bus(warned=warned)

    def breaks(_: BusEvent) -> str:
        raise KeyError("x")

    here.guard(breaks, [STOP])
    verdict = await here.ask(STOP, {}, failed=failed.append)

    assert verdict.allowed
    assert warned == ["turn.stop: the gate breaks failed: KeyError: 'x'"]
    assert [one.hook for one in failed] == ["breaks"]


async def test_a_gate_asked_from_within_a_gate_of_the_same_type_allows_with_a_warning() -> None:
    """OP-88: also from a thread that it began; another type and another task are asked as ever."""
    warned: list[str] = []
    here = bus(warned=warned)
    inner: list[bool] = []

    async def asks_again(_: BusEvent) -> str:
        inner.append((await here.ask(STOP, {})).allowed)
        inner.append((await here.ask("tool.before", {})).allowed)
        return "no"

    here.guard(asks_again, [STOP])
    here.guard(lambda _: "never", ["tool.before"])
    verdicts = await asyncio.gather(here.ask(STOP, {}), here.ask(STOP, {}))

    assert inner == [True, False] * 2
    assert [verdict.allowed for verdict in verdicts] == [False, False]
    assert len(warned) == 2


async def test_when_the_time_is_over_the_rest_is_not_asked_and_allows() -> None:
    """OP-88: the time is soft, who is asked already is waited for."""
    clock, warned = FakeClock(), list[str]()
    here = bus(clock, warned)
    asked: list[str] = []

    async def slow(_: BusEvent) -> str:
        await clock.advance(11)
        return "slow, and heard"

    here.guard(slow, [STOP])
    here.guard(lambda _: asked.append("late") or "never heard", [STOP])
    verdict = await here.ask(STOP, {}, timeout_s=10)

    assert [reason.text for reason in verdict.reasons] == ["slow, and heard"]
    assert asked == []
    assert (verdict.duration_ms, verdict.subscribers) == (11_000.0, 2)
    assert warned == ["turn.stop: 1 gates were not asked, 10 s were over"]


async def test_what_was_asked_is_told_with_its_verdict() -> None:
    """OP-90."""
    told: list[BusEvent] = []
    here = bus()
    here.guard(lambda _: "not yet", [STOP])
    here.subscribe(told.append)
    await here.ask(STOP, {"last_text": "done"})

    record = told[0].record()
    assert record["payload"] == {"last_text": "done"}
    assert record["verdict"] == {
        "allowed": False, "reasons": [{"by": "<lambda>", "text": "not yet"}], "duration_ms": 0.0,
        "subscribers": 1,
    }  # fmt: skip


async def test_while_nobody_listens_nobody_is_told_and_nothing_is_made() -> None:
    here = bus()

    assert not here.is_heard
    assert not any(here.wants(name) or here.is_gated(name) for name in EVENT_TYPES)


@pytest.mark.parametrize("name", sorted(EVENT_TYPES))
def test_every_type_says_what_it_is_told_of(name: str) -> None:
    assert EVENT_TYPES[name].payload
