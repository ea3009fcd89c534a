"""A stream as the answer to a request: bytes that many readers share, written as they are.

FastAPI has an answer for server-sent events, which encodes each event for each reader; here it is encoded
once for all (docs/why/0044).
"""

import asyncio
from typing import Final

from fastapi.responses import Response
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from postroom.daemon.stream import Streams
from postroom.daemon.stream_reader import Wish

HEADERS: Final = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    "Connection": "close",
}
"""Nothing on the way may keep frames back, and no other request uses the connection of a stream."""
TRANSPORT: Final = "postroom.transport"


class StreamProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, that lets a stream cut a connection which takes nothing any more."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Let requests see what they came by."""
        self.app_state = {**self.app_state, TRANSPORT: transport}
        super().connection_made(transport)


class StreamReply(Response):
    """Answers with a stream until the reader goes or is sent away."""

    media_type = "text/event-stream"

    def __init__(self, streams: Streams, wish: Wish, revoked: asyncio.Event) -> None:
        super().__init__(headers=HEADERS)
        self._streams = streams
        self._wish = wish
        self._revoked = revoked

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin the answer, then stream."""
        heads = [head for head in self.raw_headers if head[0] != b"content-length"]
        await send({"type": "http.response.start", "status": self.status_code, "headers": heads})
        line = AsgiLine(receive, send, scope.get("state", {}).get(TRANSPORT))
        await self._streams.serve(self._wish, line, self._revoked)


class AsgiLine:
    """The connection of a reader, through the server."""

    def __init__(self, receive: Receive, send: Send, transport: asyncio.Transport | None) -> None:
        self._receive = receive
        self._send = send
        self._transport = transport

    async def write(self, data: bytes) -> None:
        """Send, and wait while the other end takes nothing."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self, data: bytes) -> None:
        """Send the last bytes and hang up."""
        await self._send({"type": "http.response.body", "body": data, "more_body": False})

    async def gone(self) -> None:
        """Wait until the other end has hung up."""
        message: Message = {}
        while message.get("type") != "http.disconnect":
            message = await self._receive()

    def abort(self) -> None:
        """Cut it, whatever it has not taken."""
        if self._transport is not None:
            self._transport.abort()
