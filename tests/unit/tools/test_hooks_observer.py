"""Observers: in order, told what they have missed, and in nobody's way."""

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from postroom.profiles.hook_settings import Moment
from postroom.testing.clock import FakeClock
from postroom.tools.hooks.gate import HookFailure
from postroom.tools.hooks.hook import Event
from postroom.tools.hooks.observer import BUFFER, Observer
from postroom.tools.hooks.plugin import PythonHook
from tests.unit.tools.hook_rig import PATIENCE_S, command, plugin, until


def event(pos: int) -> Event:
    return {"kind": "turn.ended", "pos": pos, "facts": {"turn": pos}}


def observer(
    function: Callable[..., object], failures: list[HookFailure], clock: FakeClock | None = None
) -> tuple[Observer, PythonHook]:
    hook = plugin(function, moment=Moment.EVENT, clock=clock)
    return Observer(hook, failures.append), hook


async def test_everything_is_told_in_order() -> None:
    heard: list[object] = []
    told, _ = observer(lambda one: heard.append(one["pos"]), [])

    for pos in range(50):
        told.offer(pos, event(pos))
    missed = await told.finish(PATIENCE_S)

    assert heard == list(range(50))
    assert missed == 0


async def test_a_slow_observer_is_told_what_it_has_missed() -> None:
    """Nothing is lost silently: 1,024 wait, the rest is one gap, and what comes later is told again."""
    heard: list[Event] = []
    going = asyncio.Event()

    async def hear(one: Event) -> None:
        await going.wait()
        heard.append(one)

    told, _ = observer(hear, [])
    for pos in range(BUFFER + 100):
        told.offer(pos, event(pos))
    going.set()
    await until(lambda: len(heard) == BUFFER + 1)
    told.offer(5_000, event(5_000))
    await told.finish(PATIENCE_S)

    assert [one["pos"] for one in heard[:BUFFER]] == list(range(BUFFER))
    assert heard[BUFFER] == {
        "kind": "gap", "pos": BUFFER + 99,
        "facts": {"missed": 100, "first_pos": BUFFER, "last_pos": BUFFER + 99},
    }  # fmt: skip
    assert heard[BUFFER + 1 :] == [event(5_000)]


async def test_an_observer_that_raises_is_told_of_the_next_event() -> None:
    heard: list[object] = []
    failures: list[HookFailure] = []

    def hear(one: Event) -> None:
        heard.append(one["pos"])
        if one["pos"] == 1:
            raise SystemExit(1)

    told, _ = observer(hear, failures)
    for pos in range(3):
        told.offer(pos, event(pos))
    await told.finish(PATIENCE_S)

    assert heard == [0, 1, 2]
    assert [(one.code, one.what) for one in failures] == [("hook_failed", "SystemExit: 1")]


async def test_an_observer_that_hangs_in_the_loop_is_cancelled_and_told_of_the_next_event() -> None:
    heard: list[object] = []
    failures: list[HookFailure] = []
    clock = FakeClock()

    async def hear(one: Event) -> None:
        heard.append(one["pos"])
        if one["pos"] == 0:
            await asyncio.Event().wait()

    told, _ = observer(hear, failures, clock)
    told.offer(0, event(0))
    told.offer(1, event(1))
    await until(lambda: clock.sleepers == 1)
    await clock.advance(3)
    await told.finish(PATIENCE_S)

    assert heard == [0, 1]
    assert [one.code for one in failures] == ["hook_timed_out"]


async def test_an_observer_that_hangs_in_its_thread_is_told_nothing_until_it_comes_back() -> None:
    """A thread cannot be ended, so there is never more than one."""
    heard: list[object] = []
    failures: list[HookFailure] = []
    clock, free = FakeClock(), threading.Event()

    def hear(one: Event) -> None:
        heard.append(one["pos"])
        if one["pos"] == 0:
            free.wait(PATIENCE_S)

    told, _ = observer(hear, failures, clock)
    told.offer(0, event(0))
    told.offer(1, event(1))
    await until(lambda: clock.sleepers == 1)
    await clock.advance(3)
    await until(lambda: bool(failures))
    assert heard == [0]
    free.set()
    await told.finish(PATIENCE_S)

    assert heard == [0, 1]


async def test_an_end_waits_no_longer_than_it_is_told_to() -> None:
    async def hang(_: Event) -> None:
        await asyncio.Event().wait()

    told, hook = observer(hang, [])
    for pos in range(3):
        told.offer(pos, event(pos))

    assert await told.finish(0.0) == 3
    await hook.close()


async def test_an_observer_cannot_change_what_others_are_told() -> None:
    one = event(1)

    def meddle(given: Event) -> None:
        given["facts"]["turn"] = 7  # pyright: ignore[reportIndexIssue, reportOptionalSubscript, reportCallIssue, reportArgumentType]

    told, _ = observer(meddle, [])
    told.offer(1, one)
    await told.finish(PATIENCE_S)

    assert one == event(1)


async def test_a_shell_hook_reads_one_event_at_a_time(tmp_path: Path) -> None:
    failures: list[HookFailure] = []
    hook = command(
        tmp_path, "cat >> log; echo >> log; grep -q '\"pos\": 1' log || exit 9", on=(Moment.EVENT,)
    )
    told = Observer(hook, failures.append)

    for pos in range(3):
        told.offer(pos, event(pos))
    await told.finish(PATIENCE_S)
    await hook.close()

    lines = [json.loads(line) for line in (tmp_path / "log").read_text("utf-8").splitlines()]
    assert lines == [{"hook": "keeper", "on": "event", "event": event(pos)} for pos in range(3)]
    assert [one.what for one in failures] == ["exit code 9"]


@pytest.mark.parametrize(("kinds", "wanted"), [(("turn.*",), True), (("message.*",), False)])
def test_a_shell_hook_is_told_of_the_kinds_that_it_names(
    tmp_path: Path, kinds: tuple[str, ...], wanted: bool
) -> None:
    assert command(tmp_path, "true", events=kinds).wants_event("turn.ended") is wanted
