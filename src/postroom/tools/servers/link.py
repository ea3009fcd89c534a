"""One server, kept reachable: one task starts it, listens to it, and starts it again.

The SDK's connection is made of cancel scopes, which must be left by the task that entered them. So
exactly one task owns the connection; whoever calls a tool only sends a request over it. What ends a
connection reaches that task in two ways: a *nudge* asks it to list the tools again, which fails when
nobody is there any more, and cancelling its scope ends the connection at once.
"""

import asyncio
import math
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final

import anyio
from mcp import Client, MCPError
from mcp.client import IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp.types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    CallToolResult,
    Implementation,
    ToolListChangedNotification,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from postroom.clock import Clock
from postroom.llm.port import Json
from postroom.tools.servers.listing import list_tools
from postroom.tools.servers.log import ServerLog
from postroom.tools.servers.offer import Offer, make_offer
from postroom.tools.servers.stdio import StdioWire
from postroom.tools.servers.target import Target
from postroom.tools.servers.web import WebWire
from postroom.tools.servers.wire import Wire
from postroom.tools.servers.words import tell

PAUSE_FIRST_S: Final = 1.0
PAUSE_MAX_S: Final = 60.0
"""A server that was up for this long is believed to be well, and its next pause is the first again."""
_LEAVE_S: Final = 2.0
"""For telling a server over the network that we go."""
_END_S: Final = 5.0
"""For ending a process, which takes three times the grace that it has at most."""


_DOUBTFUL: Final = frozenset((CONNECTION_CLOSED, INVALID_REQUEST, INTERNAL_ERROR))
"""Errors that may come from the way to the server: it broke off, a session ended, a gateway answered."""


class ServerGone(Exception):
    """The server is not there. The text is the end of a sentence that begins with its name."""


class Link:
    """The way to one server. `changed` is called when other tools are offered than before."""

    def __init__(
        self, target: Target, *, clock: Clock, cwd: Path, log: ServerLog, changed: Callable[[], None]
    ) -> None:
        self.target: Final = target
        self.offer = Offer()
        self.was_reached: bool = False
        self._clock, self._cwd, self._log, self._changed = clock, cwd, log, changed
        # Written by the owning task alone, apart from the events.
        self._client: Client | None = None
        self._wire: Wire | None = None
        self._scope: anyio.CancelScope | None = None
        self._trouble: str = "has not been started"
        self._up_at_s: float = math.inf
        self._again_s: float | None = None
        self._nudged = asyncio.Event()
        self._settled = asyncio.Event()
        self._judged = asyncio.Event()
        self._is_closing = False
        self._owner: asyncio.Task[None] | None = None

    @property
    def trouble(self) -> str:
        """What is wrong and when it is tried again, as the end of a sentence; empty when it is up."""
        if self._client is not None:
            return ""
        if self._is_closing:
            return "is being closed"
        if self._again_s is None:
            return self.target.mask(self._trouble or "is being started")
        left_s = max(0.0, self._again_s - self._clock.monotonic_s())
        return f"{self.target.mask(self._trouble)}; it is tried again in {math.ceil(left_s)} s"

    async def open(self) -> None:
        """Return when the server is up, or has failed for the first time, or its start took too long."""
        self._owner = asyncio.create_task(self._keep(), name=f"postroom-mcp-{self.target.name}")
        await self._settled.wait()

    async def ask(self, tool: str, arguments: Mapping[str, Json]) -> CallToolResult:
        """One request. Cancelling it tells the server.

        Raises `ServerGone` when the server is not there or goes away meanwhile, and what the SDK
        raises for an answer that is an error or makes no sense.
        """
        client = self._client
        if client is None:
            raise ServerGone(self.trouble)
        try:
            return await client.call_tool(tool, dict(arguments))
        except MCPError as error:
            if error.code in _DOUBTFUL and not await self._is_still(client):
                said = f"{self.trouble}; whether the work was done is not known"
                raise ServerGone(said) from None
            raise

    async def close(self) -> None:
        """End the server and everything that waits for it, within seconds. Idempotent."""
        self._is_closing = True
        self._nudged.set()
        owner = self._owner
        if owner is None or owner.done():
            return
        try:
            if self._client is not None:
                await asyncio.wait((owner,), timeout=_LEAVE_S)
            if self._scope is not None:
                self._scope.cancel()
            await asyncio.wait((owner,), timeout=_END_S)
        finally:
            owner.cancel()
            if self._wire is not None:
                self._wire.kill()
        await asyncio.wait((owner,), timeout=_END_S)

    # ---------------------------------------------------------------------- the owning task

    async def _keep(self) -> None:
        pause_s = PAUSE_FIRST_S
        try:
            while not self._is_closing:
                self._up_at_s = math.inf
                await self._connect()
                if self._clock.monotonic_s() - self._up_at_s >= PAUSE_MAX_S:
                    pause_s = PAUSE_FIRST_S
                await self._rest(pause_s)
                pause_s = min(pause_s * 2, PAUSE_MAX_S)
        finally:
            self._settle()

    async def _rest(self, pause_s: float) -> None:
        if self._is_closing:
            return
        self._again_s = self._clock.monotonic_s() + pause_s
        self._log.note(f"{self._trouble}; it is tried again in {pause_s:g} s")
        self._settle()
        with anyio.CancelScope() as self._scope:
            await self._clock.sleep_s(pause_s)
        self._again_s = None

    async def _connect(self) -> None:
        """One connection from beginning to end. Afterwards `_trouble` says why it ended."""
        self._trouble = ""
        self._nudged.clear()
        self._wire = wire = self._new_wire()
        raised = ""
        try:
            with anyio.CancelScope() as self._scope:
                await self._talk(wire)
        except Exception as error:  # outermost frame of the connection; the next one may be better
            raised = tell(error, self.target.mask)
        self._trouble = self._trouble or wire.epitaph or raised or "went away"

    def _new_wire(self) -> Wire:
        if self.target.url:
            return WebWire(self.target)
        return StdioWire(self.target, cwd=self._cwd, log=self._log, on_end=self._nudged.set)

    async def _talk(self, wire: Wire) -> None:
        named = Implementation(name="postroom", version=version("postroom"))
        client = Client(wire.transport(), client_info=named, message_handler=self._hear, cache=None)
        try:
            with self._limit("did not start") as limit:
                async with client:
                    await self._list(client)
                    limit.cancel()
                    self._client, self._up_at_s = client, self._clock.monotonic_s()
                    self._log.note("is up")
                    self._settle()
                    await self._stay(client)
        finally:
            self._client = None

    async def _stay(self, client: Client) -> None:
        """Until somebody closes the link, or listing the tools fails."""
        async with anyio.create_task_group() as group:
            if _announces(client):
                group.start_soon(self._subscribe, client)
            while True:
                await self._nudged.wait()
                self._nudged.clear()
                if self._is_closing:
                    break
                with self._limit("did not list its tools"):
                    await self._list(client)
                self._judge()
            self._client = None
            group.cancel_scope.cancel()

    async def _subscribe(self, client: Client) -> None:
        """Hear of other tools from a server of the newer protocol, which must be asked to tell."""
        pause_s = PAUSE_FIRST_S
        while True:
            try:
                async with client.listen(tools_list_changed=True) as news:
                    self._nudged.set()  # for what has changed before the server listened to us
                    async for _ in news:
                        self._nudged.set()
            except MCPError as refused:
                if refused.code == METHOD_NOT_FOUND:
                    return
            except SubscriptionLost:
                pass
            await self._clock.sleep_s(pause_s)
            pause_s = min(pause_s * 2, PAUSE_MAX_S)

    async def _hear(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._nudged.set()

    async def _list(self, client: Client) -> None:
        offer = make_offer(self.target.name, await list_tools(client, self.target.mask))
        if offer != self.offer or not self.was_reached:
            self.offer, self.was_reached = offer, True
            self._changed()
            for said in (f"lists {len(offer.tools)} tools that can be offered", *offer.problems):
                self._log.note(said)

    @contextmanager
    def _limit(self, what: str) -> Generator[asyncio.Task[None]]:
        """End the connection when the body takes longer than a start may."""
        limit = asyncio.create_task(self._expire(what))
        try:
            yield limit
        finally:
            limit.cancel()

    async def _expire(self, what: str) -> None:
        await self._clock.sleep_s(self.target.start_s)
        self._trouble = f"{what} within {self.target.start_s:g} s"
        self._settle()  # whoever opens the room need not wait until the server has ended
        if self._scope is not None:
            self._scope.cancel()

    # -------------------------------------------------------------------- those who wait for it

    def _settle(self) -> None:
        self._settled.set()
        self._judge()

    def _judge(self) -> None:
        """Wake those who asked whether the server is still there."""
        self._judged.set()
        self._judged = asyncio.Event()

    async def _is_still(self, client: Client) -> bool:
        """Whether the connection stands, which is found out by using it."""
        if self._client is client:
            judged = self._judged
            self._nudged.set()
            await judged.wait()
        elif self._again_s is None and self._owner is not None and not self._owner.done():
            await self._judged.wait()  # it is just being left; then the cause will be known
        return self._client is client


def _announces(client: Client) -> bool:
    tools = client.server_capabilities.tools
    is_newer = client.protocol_version in MODERN_PROTOCOL_VERSIONS
    return is_newer and tools is not None and bool(tools.list_changed)
