"""The tools of one server, and the calls that are under way."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from mcp.types import CallToolResult

from postroom.clock import Clock
from postroom.llm.port import Json
from postroom.rules.text import scrub
from postroom.tools.base import Caller, Tool, ToolResult, Toolset
from postroom.tools.servers.link import Link, ServerGone
from postroom.tools.servers.offer import Offered, resource_name
from postroom.tools.servers.results import read_result
from postroom.tools.servers.standin import server_toolset, stand_in
from postroom.tools.servers.words import tell_call

_CUT_S: Final = 2.0
"""How long the closing room waits until every server was told that its calls are cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolbox:
    """What an agent can call of one server, be it there or not."""

    link: Link
    clock: Clock
    running: set[asyncio.Task[CallToolResult]] = field(default_factory=set[asyncio.Task[CallToolResult]])
    """Requests that no server has answered yet, those included whose caller has left."""

    def toolset(self) -> Toolset:
        """The tools that the server listed last, and the stand-in for those that it cannot give."""
        name = self.link.target.name
        tools = [self._tool(tool) for tool in self.link.offer.tools]
        if self.link.offer.problems or not tools:
            tools.append(stand_in(name, self.explain, self.link.offer.problems))
        return server_toolset(name, tools)

    def _tool(self, offered: Offered) -> Tool:
        resource = resource_name(self.link.target.name, offered.spec.name)
        run = partial(self._run, offered)
        return Tool(
            spec=offered.spec, run=run, action="mcp", resource=lambda _caller, _arguments: resource,
            only=resource,
        )  # fmt: skip

    def say(self) -> str:
        """One sentence on how the server is; empty when nothing is wrong."""
        causes = [self.link.trouble] if self.link.trouble else []
        if self.link.offer.problems:
            causes.append(f"gives less than it lists: {'; '.join(self.link.offer.problems)}")
        elif self.link.was_reached and not self.link.offer.tools:
            causes.append("lists no tools")
        name = self.link.target.name
        said = f"the MCP server `{name}` {'; '.join(causes)}"
        return self.link.target.mask(scrub(said)) if causes else ""

    def explain(self) -> str:
        """The same sentence, or that all is well, for whoever calls the stand-in."""
        name = self.link.target.name
        return self.say() or f"the MCP server `{name}` is there; its tools come with the next turn"

    async def close(self) -> None:
        """Cut what is still running, and end the server."""
        for call in self.running:
            call.cancel()
        if self.running:
            await asyncio.wait(self.running, timeout=_CUT_S)
        await self.link.close()

    async def _run(self, tool: Offered, caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
        """One call: as long as `call_s` at most. Leaving it early tells the server to stop."""
        del caller  # a server is told nothing of who calls
        work = asyncio.create_task(self.link.ask(tool.remote_name, arguments))
        self.running.add(work)
        work.add_done_callback(self._forget)
        limit = asyncio.create_task(self.clock.sleep_s(self.link.target.call_s))
        try:
            await asyncio.wait((work, limit), return_when=asyncio.FIRST_COMPLETED)
        finally:
            limit.cancel()
            # Not awaited: a server that does not even take the message must not hold the turn.
            work.cancel()
        return self._masked(self._outcome(work))

    def _forget(self, work: asyncio.Task[CallToolResult]) -> None:
        self.running.discard(work)
        if not work.cancelled():
            work.exception()  # it was told to the caller, or the caller has left

    def _outcome(self, work: asyncio.Task[CallToolResult]) -> ToolResult:
        if not work.done():
            limit_s = self.link.target.call_s
            return _error(f"no answer within {limit_s:g} s; the server was told to stop")
        if work.cancelled():
            return _error("the call was cut, because its server is being closed")
        match work.exception():
            case None:
                return read_result(work.result(), self.link.target.mask)
            case ServerGone() as gone:
                return _error(f"the MCP server `{self.link.target.name}` {gone}")
            case Exception() as failure:
                return _error(tell_call(failure, self.link.target.mask))
            case failure:
                raise failure

    def _masked(self, result: ToolResult) -> ToolResult:
        return replace(result, text=self.link.target.mask(result.text))


def _error(text: str) -> ToolResult:
    return ToolResult(text=scrub(text), is_error=True)
