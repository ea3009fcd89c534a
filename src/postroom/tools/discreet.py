"""Keys do not enter the store by way of a tool: what it gives is read through here.

A file that an agent may read, a command's output or an exception of somebody else's library can hold the key
of a model. The model that reads it has no use for it, and what it reads is kept, exported and searched.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from postroom.llm.port import Json
from postroom.tools.base import Caller, Tool, ToolResult, Work
from postroom.tools.python import told

Hide: TypeAlias = Callable[[str], str]
"""The text with something else in the place of every key."""


def discreet(tool: Tool, hide: Hide) -> Tool:
    """The same tool; no key is in its results, its errors, or what is told of the end of its work."""

    async def run(caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
        async def begin_work(label: str) -> Work:
            return _DiscreetWork(await caller.begin_work(hide(label)), hide)

        try:
            result = await tool.run(replace(caller, begin_work=begin_work), arguments)
        except Exception as error:  # outermost frame of a tool: its fault is a result
            return ToolResult(text=hide(told(error)), is_error=True)
        return replace(result, text=hide(result.text))

    return replace(tool, run=run)


class _DiscreetWork:
    """Work whose end is told without keys (`postroom.tools.base.Work`)."""

    def __init__(self, work: Work, hide: Hide) -> None:
        self._work = work
        self._hide = hide

    @property
    def stopped(self) -> asyncio.Event:
        return self._work.stopped

    async def end(self, text: str, *, is_error: bool = False) -> None:
        await self._work.end(self._hide(text), is_error=is_error)
