"""What a tool is: a described function that gets the caller's facts and decoded arguments.

Mail tools are not here: they belong to a surface and go through the service. A foreign tool never
sees the store; its result becomes durable when its call ends (architecture, flow step 7).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from postroom.domain.receipt import Code
from postroom.errors import RoomClosed
from postroom.llm.port import Image, Json, ToolSpec


class Work(Protocol):
    """Work that goes on after the call that began it has ended. It was durable before it began."""

    @property
    def stopped(self) -> asyncio.Event:
        """Set when the person stops the agent, or the room closes: end the work and say so."""
        ...

    async def end(self, text: str, *, is_error: bool = False) -> None:
        """Tell the agent how the work ended, once. Durable on return; it joins or wakes a turn."""
        ...


May: TypeAlias = Callable[[str], bool]
"""Whether the leave of a call also covers this resource: no rule guards it better than what was named."""
BeginWork: TypeAlias = Callable[[str], Awaitable[Work]]
"""Registers work under a label that the agent will read in the message about its end."""


async def _no_work(label: str) -> Work:
    raise RoomClosed(f"nobody would hear how {label} ends", remedy="call the tool from a turn")


def _anything(_resource: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: taken from the executing turn, never from an argument (G5)."""

    session_id: str
    branch_id: str
    turn_id: str
    call_id: str
    agent: str
    cwd: str
    begin_work: BeginWork = _no_work
    """Call it before anything that is to outlive the call is begun."""
    may: May = _anything
    """For tools that come upon more than the one thing that the call names, such as a search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The text the model reads. An error result is a normal outcome, not a crash."""

    text: str
    is_error: bool = False
    refusal: str = ""
    """The stable code when the rules said no: it goes to the caller's log."""
    images: tuple[Image, ...] = ()
    """Pictures beside the text, for models that take them."""


def refused(tool: str, code: Code, why: str) -> ToolResult:
    """The result of a call that the rules refuse: tool and code in front, for models and programs alike."""
    return ToolResult(text=f"{tool}:{code}: {why}", is_error=True, refusal=code)


ResourceOf: TypeAlias = Callable[[Caller, Mapping[str, Json]], str]
"""What a call's action is done to, from who calls and the decoded arguments."""
ToolFunction: TypeAlias = Callable[[Caller, Mapping[str, Json]], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One callable tool. `parallel`: may run beside the other calls of its round."""

    spec: ToolSpec
    run: ToolFunction
    parallel: bool = True
    idempotent: bool = False
    """Whether a call may be made again whose process died before its result was durable: making it twice
    does no more than making it once. Else its agent reads that it was interrupted, and decides."""
    action: str = ""
    """What an agent needs a right to before a call of it is made: `read write shell mcp`; empty: none."""
    resource: ResourceOf | None = None
    """What the action is done to, as rules and the person read it: a path, a command, `server/tool`.
    `None`: the tool's own name. It must not raise, whatever a model has written."""
    only: str = ""
    """The resource of all its calls, where they have but one; the tool is shown only where it is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """Tools that came from one place. A profile may name the group instead of each tool."""

    group: str
    """The module of `module:attr`, or the name of the entry point."""
    origin: str
    """Where they came from, for messages."""
    tools: tuple[Tool, ...]


class Kit(Protocol):
    """Tools with a life of their own: begun with the room, ended with it."""

    @property
    def generation(self) -> int:
        """Grows whenever `toolsets` changes; a turn that starts later gets the new tools."""
        ...

    def toolsets(self) -> tuple[Toolset, ...]:
        """The tools as they are now."""
        ...

    def troubles(self) -> tuple[str, ...]:
        """What is wrong now, in sentences for the person; the agents read it when they call."""
        ...

    async def open(self) -> None:
        """Begin. What cannot begin becomes tools that say so; nothing is raised for it."""
        ...

    async def close(self) -> None:
        """End everything that was begun. Idempotent."""
        ...
