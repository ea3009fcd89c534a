"""Scripts for tests: short builders, gates instead of sleeps, and a model that remembers.

The model is strict (`postroom.llm.strict`) and keeps what it refused: a test ends with
`assert_clean()`, or names the failure it caused itself.
"""

import asyncio
from dataclasses import replace

from postroom.clock import Clock, SystemClock
from postroom.errors import ModelFault, ModelRefusedRequest, ScriptEnded
from postroom.llm.port import Json, ModelAnswer, ModelRequest, OnText
from postroom.llm.scripted import Play, Round, Script, ScriptedAnswer, ScriptedCall, ScriptPlayer

__all__ = [
    "Fail",
    "Gate",
    "Play",
    "Round",
    "ScriptedAnswer",
    "ScriptedModel",
    "batch",
    "call",
    "call_raw",
    "fail",
    "held",
    "say",
]


def say(text: str, *calls: ScriptedAnswer, think_s: float = 0.0) -> ScriptedAnswer:
    """A round of text, with calls after it where some are given."""
    return replace(batch(*calls), text=text, think_s=think_s)


def call(tool: str, /, **arguments: Json) -> ScriptedAnswer:
    """A round of one call."""
    return ScriptedAnswer(calls=(ScriptedCall(tool=tool, arguments=arguments),))


def call_raw(tool: str, arguments: str) -> ScriptedAnswer:
    """A round of one call whose arguments are this very text, valid JSON or not."""
    return ScriptedAnswer(calls=(ScriptedCall(tool=tool, arguments=arguments),))


def batch(*calls: ScriptedAnswer, shared_id: str = "") -> ScriptedAnswer:
    """One round with all these calls; with `shared_id` the provider names each of them so (O-04 b)."""
    joined = (each for answer in calls for each in answer.calls)
    return ScriptedAnswer(
        calls=tuple(replace(each, provider_call_id=shared_id or each.provider_call_id) for each in joined)
    )


class Gate:
    """Holds whoever comes through until a test opens it. Once open it stays open."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.arrivals = 0
        self._opened = asyncio.Event()

    def open(self) -> None:
        """Let everyone through, now and later."""
        self._opened.set()

    async def through(self) -> None:
        """Say that somebody is here, then wait for the gate to open."""
        self.arrivals += 1
        self.reached.set()
        await self._opened.wait()


def held(gate: Gate, then: Round) -> Play:
    """A round that answers only after the gate opened."""

    async def play(request: ModelRequest) -> ModelAnswer | ScriptedAnswer:
        await gate.through()
        return then if isinstance(then, ScriptedAnswer) else await then(request)

    return play


class Fail:
    """A round that fails, `times` times or until it is mended. `failed` counts how often it did."""

    def __init__(self, fault: ModelFault, *, times: int | None, then: Round | None) -> None:
        self.fault = fault
        self.failed = 0
        self._left = times
        self._then = then

    def mend(self) -> None:
        """From now on the round answers with its `then`."""
        self._left = 0

    async def __call__(self, request: ModelRequest) -> ModelAnswer | ScriptedAnswer:
        """Raise the fault while some of it is left, else play on."""
        if self._left != 0:
            self._left = None if self._left is None else self._left - 1
            self.failed += 1
            raise self.fault
        if self._then is None:
            raise ScriptEnded("a failing round was mended and has nothing to say after that")
        return self._then if isinstance(self._then, ScriptedAnswer) else await self._then(request)


def fail(fault: ModelFault, *, times: int | None = None, then: Round | None = None) -> Fail:
    """A round that raises `fault`, `times` times or until `mend()`, and then plays `then`.

    A failed request commits no answer, so the same round is asked again until it has answered.
    """
    return Fail(fault, times=times, then=then)


class ScriptedModel:
    """A strict model for tests: plays rounds, keeps every request and what was wrong with one."""

    def __init__(self, *rounds: Round, clock: Clock | None = None) -> None:
        self.requests: list[ModelRequest] = []
        self.failures: list[str] = []
        self._rounds = rounds
        self._player = ScriptPlayer(Script(rounds), clock=clock or SystemClock())
        self._arrived = asyncio.Event()

    @property
    def has_price(self) -> bool:
        """Always: what its rounds say that they cost, else nothing."""
        return True

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """Play the round; a fault that a test did not script is remembered for `assert_clean`."""
        self.requests.append(request)
        self._arrived.set()
        try:
            return await self._player.request(request, on_text)
        except (ModelRefusedRequest, ScriptEnded) as fault:
            if not any(isinstance(each, Fail) and each.fault is fault for each in self._rounds):
                self.failures.append(f"{request.agent} request {len(self.requests)}: {fault}")
            raise

    async def nth_request(self, number: int) -> ModelRequest:
        """The `number`-th request, counted from 1, as soon as it has come in."""
        while len(self.requests) < number:
            self._arrived.clear()
            await self._arrived.wait()
        return self.requests[number - 1]

    def assert_clean(self) -> None:
        """Fail the test if a request was bad or a script ran out (I4)."""
        if self.failures:
            raise AssertionError("\n".join(self.failures))
