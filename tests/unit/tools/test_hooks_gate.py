"""The gate: order, changes, denials, and what becomes of a call when a hook fails."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from postroom.domain.plain import Json
from postroom.profiles.hook_settings import OnFailure
from postroom.service.rights import Wish
from postroom.testing.clock import FakeClock
from postroom.tools.hooks.gate import GatedCall, GateVerdict
from postroom.tools.hooks.hook import ARGUMENTS_BYTES_MAX, REASON_CHARS_MAX, matches
from postroom.tools.hooks.plugin import STUCK_MAX
from tests.unit.tools.hook_rig import ask, gate, gated, plugin, until


def _changes(**more: Json) -> Callable[[GatedCall], Mapping[str, Json]]:
    return lambda call: {**call.arguments, **more}


async def test_no_hooks_cost_nothing_and_change_nothing() -> None:
    assert gate().is_idle
    assert await ask() == GateVerdict()


async def test_each_hook_sees_what_the_one_before_it_made() -> None:
    seen: list[Mapping[str, Json]] = []

    def look(call: GatedCall) -> None:
        seen.append(call.arguments)

    verdict = await ask(
        plugin(_changes(a=1), name="first"), plugin(look, name="look"), plugin(_changes(b=2), name="second"),
        call=gated(a=0, b=0),
    )  # fmt: skip

    assert seen == [{"a": 1, "b": 0}]
    assert verdict == GateVerdict(arguments={"a": 1, "b": 2}, hook="first, second")


async def test_the_facts_of_a_call_follow_its_arguments() -> None:
    """A guard that looks at the recipient or the body is not led past a change."""
    seen: list[tuple[str | None, str]] = []

    def reread(arguments: Mapping[str, Json]) -> Wish:
        return Wish(
            tool="send_message", action="message", to=str(arguments["to"]), body=str(arguments["body"])
        )

    call = replace(gated("send_message", to="a", body="x"), to="a", body="x", reread=reread)

    await ask(
        plugin(_changes(to="b", body="y")), plugin(lambda call: seen.append((call.to, call.body))), call=call
    )

    assert seen == [("b", "y")]


async def test_after_a_denial_the_others_are_asked_too_and_every_reason_counts() -> None:
    """OP-88."""
    asked: list[str] = []

    one = await ask(
        plugin(_changes(a=1), name="first"), plugin(lambda _: "not today", name="no"),
        plugin(lambda _: asked.append("late")),
    )  # fmt: skip
    both = await ask(plugin(lambda _: "not today", name="no"), plugin(lambda _: "nor ever", name="never"))

    assert one == GateVerdict(allowed=False, reason="not today", hook="no", denied_by=("no",))
    assert asked == ["late"]
    assert (both.hook, both.reason) == ("no, never", "no: not today\nnever: nor ever")


async def test_arguments_that_are_the_same_change_nothing() -> None:
    assert await ask(plugin(lambda call: dict(call.arguments))) == GateVerdict()


async def test_what_a_hook_does_to_the_arguments_it_is_given_changes_nothing() -> None:
    call = gated(list=[1])

    def meddle(given: GatedCall) -> None:
        given.arguments["list"].append(2)  # pyright: ignore[reportAttributeAccessIssue, reportOptionalMemberAccess]

    assert await ask(plugin(meddle), call=call) == GateVerdict()
    assert call.arguments == {"list": [1]}


@pytest.mark.parametrize("reason", ["", " \n", "\u200b"])
async def test_a_denial_without_a_reason_says_so(reason: str) -> None:
    assert (await ask(plugin(lambda _: reason))).reason == "it gave no reason"


async def test_a_reason_is_cut_and_mended() -> None:
    verdict = await ask(plugin(lambda _: "\ud800" + "x" * 100_000))

    assert verdict.reason.startswith("\ufffdxxx")
    assert len(verdict.reason) < REASON_CHARS_MAX + 10


def _raise(error: BaseException) -> Callable[[object], None]:
    def act(_: object) -> None:
        raise error

    return act


def _raise_later(error: BaseException) -> Callable[[object], object]:
    async def act(_: object) -> None:
        raise error

    return act


def _loop(depth: int) -> dict[str, object]:
    value: dict[str, object] = {}
    for _ in range(depth):
        value = {"in": value}
    return value


BAD: dict[str, tuple[Callable[..., object], str]] = {
    "raises": (_raise(ValueError("broken")), "hook_failed"),
    "raises StopIteration": (_raise(StopIteration()), "hook_failed"),
    "exits": (_raise(SystemExit(3)), "hook_failed"),
    "is interrupted": (_raise(KeyboardInterrupt()), "hook_failed"),
    "raises later": (_raise_later(ValueError("broken")), "hook_failed"),
    "exits later": (_raise_later(SystemExit(3)), "hook_failed"),
    "cancels": (_raise_later(asyncio.CancelledError()), "hook_failed"),
    "takes no such call": (lambda _a, _b: None, "hook_failed"),
    "a number": (lambda _: 7, "hook_answer_invalid"),
    "truth": (lambda _: False, "hook_answer_invalid"),
    "a list": (lambda _: ["no"], "hook_answer_invalid"),
    "no JSON": (lambda _: {"a": object()}, "hook_answer_invalid"),
    "not a number": (lambda _: {"a": float("nan")}, "hook_answer_invalid"),
    "broken text": (lambda _: {"a": "\ud800"}, "hook_answer_invalid"),
    "too long": (lambda _: {"a": "x" * ARGUMENTS_BYTES_MAX}, "hook_answer_invalid"),
    "too deep": (lambda _: _loop(100_000), "hook_answer_invalid"),
}


@pytest.mark.parametrize("on_failure", list(OnFailure))
@pytest.mark.parametrize("how", list(BAD))
async def test_a_failure_lets_the_call_through_or_denies_it(how: str, on_failure: OnFailure) -> None:
    """As `on_failure` says; either way it is told, and the hooks behind it are asked as well."""
    function, code = BAD[how]
    asked: list[str] = []

    verdict = await ask(
        plugin(function, name="bad", on_failure=on_failure), plugin(lambda _: asked.append("next"))
    )

    assert verdict.allowed is (on_failure is OnFailure.ALLOW)
    assert [(one.hook, one.code) for one in verdict.failed] == [("bad", code)]
    assert verdict.arguments is None
    assert asked == ["next"]
    assert verdict.hook == ("" if verdict.allowed else "bad")
    assert verdict.reason.startswith("" if verdict.allowed else "the hook failed: ")


@pytest.mark.parametrize("on_failure", list(OnFailure))
async def test_a_plugin_that_hangs_is_waited_for_two_seconds(on_failure: OnFailure) -> None:
    clock, never = FakeClock(), asyncio.Event()

    async def hang(_: GatedCall) -> None:
        await never.wait()

    asking = asyncio.ensure_future(ask(plugin(hang, clock=clock, on_failure=on_failure)))
    await until(lambda: clock.sleepers == 1)
    await clock.advance(1.9)
    assert not asking.done()
    await clock.advance(0.2)
    verdict = await asking

    assert verdict.allowed is (on_failure is OnFailure.ALLOW)
    assert [one.code for one in verdict.failed] == ["hook_timed_out"]


async def test_a_plugin_that_holds_several_threads_is_asked_no_more_until_one_comes_back() -> None:
    clock, free, calls = FakeClock(), threading.Event(), [0]

    def hang(_: GatedCall) -> None:
        calls[0] += 1
        free.wait()

    hook = plugin(hang, clock=clock)
    try:
        for _ in range(STUCK_MAX):
            asking = asyncio.ensure_future(ask(hook))
            await until(lambda: clock.sleepers == 1)
            await clock.advance(3)
            await asking
        verdict = await ask(hook)
        assert calls[0] == STUCK_MAX
        assert "have not come back" in verdict.failed[0].what
    finally:
        free.set()
    await until(lambda: calls[0] == STUCK_MAX)
    await hook.close()


async def test_a_turn_that_is_cancelled_leaves_no_hook_behind() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def hang(_: GatedCall) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    asking = asyncio.ensure_future(ask(plugin(hang)))
    await started.wait()
    asking.cancel()
    await asyncio.wait((asking,))
    await ended.wait()

    assert asking.cancelled()


@pytest.mark.parametrize(
    ("patterns", "word", "fits"),
    [
        (["*"], "", True), (["*"], "a", True), ([], "a", False), (["message.*"], "message.sent", True),
        (["message.*"], "messageXsent", False), (["a*c"], "abc", True), (["a*c"], "abd", False),
        (["a", "b"], "b", True), (["[a]"], "a", False), (["a.c"], "abc", False),
    ],
)  # fmt: skip
def test_a_star_stands_for_any_characters(patterns: list[str], word: str, fits: bool) -> None:
    assert matches(patterns, word) is fits
