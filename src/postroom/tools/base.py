"""What a tool is: a described function that gets the caller's facts and decoded arguments.

Mail tools are not here: they belong to a surface and go through the service. A foreign tool never
sees the store; its result becomes durable when its call ends (architecture, flow step 7).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from postroom.llm.port import Json, ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: taken from the executing turn, never from an argument (G5)."""

    session_id: str
    branch_id: str
    turn_id: str
    call_id: str
    agent: str
    cwd: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The text the model reads. An error result is a normal outcome, not a crash."""

    text: str
    is_error: bool = False
    refusal: str = ""
    """The stable code when the rules said no: it goes to the caller's log."""


ToolFunction: TypeAlias = Callable[[Caller, Mapping[str, Json]], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One callable tool. `parallel`: may run beside the other calls of its round."""

    spec: ToolSpec
    run: ToolFunction
    parallel: bool = True
