"""One hook, whatever it is written in: told of events, or asked about calls, within its time."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from postroom.clock import Clock
from postroom.domain.plain import Json
from postroom.profiles.hook_settings import OnFailure
from postroom.rules.text import is_blank, is_encodable, scrub
from postroom.tools.hooks.gate import GatedCall, HookFailure

T = TypeVar("T")
TIMED_OUT: Final = "hook_timed_out"
FAILED: Final = "hook_failed"
INVALID: Final = "hook_answer_invalid"
REASON_CHARS_MAX: Final = 4_000
"""Characters of a hook's reason that a model reads."""
ARGUMENTS_BYTES_MAX: Final = 1_048_576
"""Bytes of JSON that a hook may put in the place of a call's arguments."""
Event = Mapping[str, Json]
"""An event as `postroom log --json` prints it, names in place of keys and never a body; or one of the bus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a hook says of a call: nothing, no, or other arguments."""

    reason: str | None = None
    """Why not; `None`: it does not mind."""
    arguments: Mapping[str, Json] | None = None
    """What to use instead."""


class Hook(Protocol):
    """Code of others. Nothing it does is raised here: a failure is a value."""

    @property
    def name(self) -> str:
        """As denials, the log and the person read it."""
        ...

    @property
    def team(self) -> str:
        """The folder of the team whose agents it looks at; empty: all."""
        ...

    @property
    def on_failure(self) -> OnFailure:
        """What its failure does to a call."""
        ...

    @property
    def gates(self) -> bool:
        """Whether it is asked about calls."""
        ...

    @property
    def observes(self) -> bool:
        """Whether it is told of events."""
        ...

    def wants_call(self, tool: str) -> bool:
        """Whether it is asked about calls of this tool."""
        ...

    def wants_event(self, kind: str) -> bool:
        """Whether it is told of events of this kind."""
        ...

    @property
    def types(self) -> tuple[str, ...]:
        """Events of the bus that it is told of, or asked about."""
        ...

    async def ask(self, call: GatedCall) -> Answer | HookFailure:
        """What it says of a call."""
        ...

    async def judge(self, event: Event) -> Answer | HookFailure:
        """What it says of an event of the bus that is a gate."""
        ...

    async def hear(self, event: Event) -> HookFailure | None:
        """Tell it of an event; how that failed."""
        ...

    async def close(self) -> None:
        """End what it still does. Idempotent."""
        ...


def matches(patterns: Sequence[str], word: str) -> bool:
    """Whether one of the patterns is this word; `*` stands for any characters."""
    return any(
        pattern == "*" or re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), word, re.DOTALL)
        for pattern in patterns
    )


def denied(reason: str) -> Answer:
    """A denial with its reason as a model may read it."""
    text = scrub(reason).strip()
    if is_blank(text):
        return Answer(reason="it gave no reason")
    cut = text[:REASON_CHARS_MAX]
    return Answer(reason=cut if cut == text else f"{cut} [...]")


def changed(hook: str, arguments: object) -> Answer | HookFailure:
    """Other arguments, if they are a JSON object that can be sent to a tool and be kept."""
    try:
        text = json.dumps(arguments, allow_nan=False, ensure_ascii=False)
        fits = is_encodable(text) and len(text.encode()) <= ARGUMENTS_BYTES_MAX
        copy: Json = json.loads(text) if fits else None
    except (TypeError, ValueError, RecursionError) as error:
        return HookFailure(hook=hook, code=INVALID, what=f"its arguments are not JSON: {error}")
    if not isinstance(copy, dict):
        what = "its arguments are no JSON object, hold broken characters, or are too long"
        return HookFailure(hook=hook, code=INVALID, what=what)
    return Answer(arguments=copy)


def timed_out(hook: str, timeout_s: float) -> HookFailure:
    """It gave no answer in time."""
    return HookFailure(hook=hook, code=TIMED_OUT, what=f"it gave no answer within {timeout_s:g} s")


async def is_in_time(clock: Clock, timeout_s: float, task: "asyncio.Task[T]") -> bool:
    """Whether the task is done before its time is over. Cancelling this cancels it.

    A task that is not done is the caller's to end.
    """
    timer = asyncio.get_running_loop().create_task(clock.sleep_s(timeout_s))
    try:
        await asyncio.wait((task, timer), return_when=asyncio.FIRST_COMPLETED)
    except BaseException:
        task.cancel()
        raise
    finally:
        timer.cancel()
    return task.done()
