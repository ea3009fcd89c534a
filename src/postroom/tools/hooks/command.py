"""A shell hook: a command that reads JSON and answers by its exit code.

0 allows, and JSON on its output may change the arguments; 2 denies, with the reason on its error stream;
everything else is a failure. Each run is a process group of its own, and nothing of it is left behind.
"""

import asyncio
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from postroom.clock import Clock
from postroom.domain.plain import Json
from postroom.profiles.hook_settings import HookSettings, Moment, OnFailure
from postroom.tools.hooks.gate import GatedCall, HookFailure
from postroom.tools.hooks.hook import (
    FAILED,
    INVALID,
    Answer,
    Event,
    changed,
    denied,
    is_in_time,
    matches,
    timed_out,
)
from postroom.tools.own_thread import in_own_thread, settled
from postroom.tools.shell.environment import clean_environment, shell_argv
from postroom.tools.shell.process import Command, Order, Outcome, Why

DENIES: Final = 2
OUTPUT_BYTES_MAX: Final = 1_048_576
"""Bytes of an answer; a longer one is none."""
ERRORS_BYTES_MAX: Final = 65_536
_TOLD_CHARS: Final = 400


@dataclass(slots=True, kw_only=True)
class Head:
    """The first bytes of what a command writes; the rest is only counted."""

    bytes_max: int
    data: bytes = b""
    dropped_bytes: int = 0

    def take(self, data: bytes) -> None:
        """More of it."""
        kept = data[: self.bytes_max - len(self.data)]
        self.data += kept
        self.dropped_bytes += len(data) - len(kept)

    def text(self) -> str:
        """What was kept, broken bytes replaced."""
        return self.data.decode(errors="replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """How one run ended, and what it wrote."""

    outcome: Outcome
    output: Head
    errors: Head


class CommandHook:
    """One `[hooks.NAME]`. `team` is the folder whose agents it looks at; empty: all."""

    def __init__(self, settings: HookSettings, *, team: str, env: Mapping[str, str], clock: Clock) -> None:
        self.name = settings.name
        self.team = team
        self._settings = settings
        self._clock = clock
        self._env = clean_environment(env, settings.env)
        self._running: set[asyncio.Task[Outcome]] = set()

    @property
    def on_failure(self) -> OnFailure:
        """What its failure does to a call."""
        return self._settings.on_failure

    @property
    def gates(self) -> bool:
        """Whether it is asked about calls."""
        return Moment.BEFORE_CALL in self._settings.on

    @property
    def observes(self) -> bool:
        """Whether it is told of events."""
        return Moment.EVENT in self._settings.on

    @property
    def types(self) -> tuple[str, ...]:
        """Events of the bus that it is told of, or asked about."""
        return self._settings.types

    def wants_call(self, tool: str) -> bool:
        """Whether it is asked about calls of this tool."""
        return matches(self._settings.tools, tool)

    def wants_event(self, kind: str) -> bool:
        """Whether it is told of events of this kind."""
        return matches(self._settings.events, kind)

    async def ask(self, call: GatedCall) -> Answer | HookFailure:
        """Run the command for a call."""
        about: dict[str, Json] = {
            "session_id": call.session_id, "branch_id": call.branch_id, "turn_id": call.turn_id,
            "call_id": call.call_id, "agent": call.agent, "tool": call.tool,
            "arguments": dict(call.arguments), "action": call.action, "resource": call.resource,
            "to": call.to, "body": call.body,
        }  # fmt: skip
        run = await self._run(Moment.BEFORE_CALL, "call", about)
        if isinstance(run, HookFailure):
            return run
        if run.outcome.code == DENIES:
            return denied(run.errors.text())
        return self._answer(run.output) if run.outcome.code == 0 else self._bad_end(run)

    async def judge(self, event: Event) -> Answer | HookFailure:
        """Run the command for a gate of the bus: 2 denies, with its error stream as the reason."""
        run = await self._run(str(event["type"]), "event", event)
        if isinstance(run, HookFailure):
            return run
        if run.outcome.code == DENIES:
            return denied(run.errors.text())
        return Answer() if run.outcome.code == 0 else self._bad_end(run)

    async def hear(self, event: Event) -> HookFailure | None:
        """Run the command for an event; what it says to that is not read."""
        run = await self._run(str(event.get("type", Moment.EVENT)), "event", event)
        if isinstance(run, HookFailure):
            return run
        return None if run.outcome.code == 0 else self._bad_end(run)

    async def close(self) -> None:
        """Kill what still runs; on return nothing of it is left."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    async def _run(self, on: str, about: str, facts: Mapping[str, Json]) -> _Run | HookFailure:
        message: dict[str, Json] = {"hook": self.name, "on": on, about: dict(facts)}
        data = json.dumps(message).encode()
        output, errors = Head(bytes_max=OUTPUT_BYTES_MAX), Head(bytes_max=ERRORS_BYTES_MAX)
        begun = _Begun(self._order(), output, errors)
        task = asyncio.get_running_loop().create_task(begun.follow(data))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            if not await is_in_time(self._clock, self._settings.timeout_s, task):
                task.cancel()
                await asyncio.wait((task,))
                return timed_out(self.name, self._settings.timeout_s)
            outcome = task.result()
        except OSError as error:
            return self._failure(FAILED, f"it could not be started: {error}")
        if outcome.why is Why.TIME:
            return timed_out(self.name, self._settings.timeout_s)
        return _Run(outcome=outcome, output=output, errors=errors)

    def _order(self) -> Order:
        return Order(
            argv=shell_argv(self._settings.command, self._env), cwd=str(self._settings.folder), env=self._env,
            limit_s=self._settings.timeout_s,
        )  # fmt: skip

    def _answer(self, output: Head) -> Answer | HookFailure:
        if not output.data.strip():
            return Answer()
        if output.dropped_bytes:
            return self._failure(INVALID, f"its answer is longer than {output.bytes_max} bytes")
        try:
            value: object = json.loads(output.data)
        except (ValueError, RecursionError) as error:
            return self._failure(INVALID, f"its answer is not JSON: {error}")
        if not isinstance(value, dict) or set(cast("dict[str, object]", value)) - {"arguments"}:
            return self._failure(INVALID, 'its answer is not {"arguments": {...}}')
        fields = cast("dict[str, object]", value)
        return changed(self.name, fields["arguments"]) if fields else Answer()

    def _bad_end(self, run: _Run) -> HookFailure:
        code = run.outcome.code
        how = f"it was killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        said = " ".join(run.errors.text().split())[:_TOLD_CHARS]
        return self._failure(FAILED, f"{how}: {said}" if said else how)

    def _failure(self, code: str, what: str) -> HookFailure:
        return HookFailure(hook=self.name, code=code, what=what)


class _Begun:
    """One run in a thread of its own."""

    def __init__(self, order: Order, output: Head, errors: Head) -> None:
        self._order = order
        self._output = output
        self._errors = errors
        self._command: Command | None = None
        self._must_stop = False

    async def follow(self, data: bytes) -> Outcome:
        """Run to the end. Cancelling this kills the command and comes back when nothing of it is left."""
        task = asyncio.ensure_future(in_own_thread(lambda: self._work(data)))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._stop()
            await settled(task)
            raise

    def _work(self, data: bytes) -> Outcome:
        """What it reads lies in a file without a name: no hook can block us by not reading."""
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            order = replace(self._order, stdin=file.fileno())
            self._command = Command(order, self._output, self._errors)
            if self._must_stop:
                self._command.stop()
            return self._command.run(lambda _pid: None)

    def _stop(self) -> None:
        self._must_stop = True
        if self._command is not None:
            self._command.stop()
