"""One hook of a plugin in Python, kept from harming anybody: by time, and by what it raises.

A plain function runs in a thread of its own. A thread cannot be killed: what does not come back is
counted, and a plugin that holds several threads is asked no more. An `async` function runs on the room's
loop; one that blocks the loop blocks the room, which nothing here can prevent.
"""

import asyncio
import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from postroom.clock import Clock
from postroom.profiles.hook_settings import Moment, OnFailure
from postroom.tools.hooks.gate import GatedCall, HookFailure
from postroom.tools.hooks.hook import (
    FAILED,
    INVALID,
    TIMED_OUT,
    Answer,
    Event,
    changed,
    denied,
    is_in_time,
    timed_out,
)
from postroom.tools.own_thread import in_own_thread

STUCK_MAX: Final = 4
"""Calls of a hook that may be out when their time is over; then it is asked no more until one comes back."""
_TOLD_CHARS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """How a plugin is treated: its name, its time, and what its failure does to a call."""

    name: str
    timeout_s: float
    on_failure: OnFailure


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a plugin raised: a value, because some exceptions would not stop at a task."""

    error: BaseException


class PythonHook:
    """One function of a plugin. Belongs to the room's loop."""

    def __init__(
        self,
        function: Callable[..., object],
        treatment: Treatment,
        clock: Clock,
        moment: Moment | None = None,
        types: tuple[str, ...] = (),
    ) -> None:
        self.name = treatment.name
        self.team = ""
        self.on_failure = treatment.on_failure
        self._function = function
        self.timeout_s = treatment.timeout_s
        self._clock = clock
        self._moment = moment
        self.types = types
        self._stuck: set[asyncio.Task[object]] = set()

    @property
    def gates(self) -> bool:
        """Whether it is asked about calls."""
        return self._moment is Moment.BEFORE_CALL

    @property
    def observes(self) -> bool:
        """Whether it is told of events."""
        return self._moment is Moment.EVENT

    def wants_call(self, tool: str) -> bool:
        """A plugin looks for itself."""
        del tool
        return True

    def wants_event(self, kind: str) -> bool:
        """A plugin looks for itself."""
        del kind
        return True

    async def ask(self, call: GatedCall) -> Answer | HookFailure:
        """What it says of a call. It gets a copy: what it does to that changes nothing."""
        if len(self._stuck) >= STUCK_MAX:
            return self._too_many()
        arguments = copy.deepcopy(dict(call.arguments))
        said = await self.call(replace(call, arguments=arguments))
        if isinstance(said, Mapping):
            return changed(self.name, dict(cast("Mapping[str, object]", said)))
        return self._answer(said, "None, a text or a mapping")

    async def judge(self, event: Event) -> Answer | HookFailure:
        """What it says of an event of the bus that is a gate."""
        if len(self._stuck) >= STUCK_MAX:
            return self._too_many()
        return self._answer(await self.call(copy.deepcopy(dict(event))), "None or a text")

    def _answer(self, said: object, valid: str) -> Answer | HookFailure:
        match said:
            case None:
                return Answer()
            case HookFailure():
                return said
            case str():
                return denied(said)
            case _:
                what = f"it returned {type(said).__name__}, not {valid}"
                return HookFailure(hook=self.name, code=INVALID, what=what)

    def _too_many(self) -> HookFailure:
        what = f"{len(self._stuck)} earlier calls of it have not come back"
        return HookFailure(hook=self.name, code=TIMED_OUT, what=what)

    async def hear(self, event: Event) -> HookFailure | None:
        """Tell it of an event; not before an earlier one of which it has made too much has come back."""
        if self._stuck:
            await asyncio.wait(self._stuck)
        said = await self.call(copy.deepcopy(dict(event)))
        return said if isinstance(said, HookFailure) else None

    async def call(self, *given: object) -> object:
        """What the function returns, or the `HookFailure` that it was. Raises nothing of its own."""
        task = asyncio.get_running_loop().create_task(self._guarded(given))
        if not await is_in_time(self._clock, self.timeout_s, task):
            self._let_go(task)
            return timed_out(self.name, self.timeout_s)
        said = task.result()
        if not isinstance(said, _Raised):
            return said
        text = f"{type(said.error).__name__}: {said.error}"[:_TOLD_CHARS]
        return HookFailure(hook=self.name, code=FAILED, what=text)

    async def close(self) -> None:
        """Wait for nothing any more. Threads that hang go on until they come back or the process ends."""
        for task in self._stuck:
            task.cancel()

    def _let_go(self, task: "asyncio.Task[object]") -> None:
        self._stuck.add(task)
        task.add_done_callback(self._stuck.discard)
        if inspect.iscoroutinefunction(self._function):
            task.cancel()

    async def _guarded(self, given: tuple[object, ...]) -> object:
        try:
            if inspect.iscoroutinefunction(self._function):
                return await self._function(*given)
            result = await in_own_thread(lambda: self._in_thread(given))
            return await result if inspect.isawaitable(result) else result
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return _Raised(error)
        except GeneratorExit:
            raise
        except BaseException as error:  # outermost frame of a plugin: nothing of it ends the room
            return _Raised(error)

    def _in_thread(self, given: tuple[object, ...]) -> object:
        try:
            return self._function(*given)
        except BaseException as error:  # outermost frame of a plugin's thread
            return _Raised(error)
