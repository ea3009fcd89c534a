"""A server that is reached over streamable HTTP, by the SDK's own transport."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import httpx2
from mcp.client import Transport
from mcp.client._transport import TransportStreams  # pyright: ignore[reportPrivateUsage] - it has no other home
from mcp.client.streamable_http import streamable_http_client

from postroom.tools.servers.target import Target
from postroom.tools.servers.wire import MESSAGE_BYTES_MAX

_CONNECT_S: Final = 30.0
_HTTP_ERROR: Final = 400


class WebWire:
    """One connection. It holds no process, so there is nothing to kill."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._status: int = 0

    @property
    def epitaph(self) -> str:
        """The status of the last refused request, which the SDK keeps to itself."""
        return f"answered HTTP {self._status}" if self._status >= _HTTP_ERROR else ""

    def transport(self) -> Transport:
        """The streams over HTTP; the server is told when they are left."""
        return self._reach()

    def kill(self) -> None:
        """Nothing of ours runs there."""

    @asynccontextmanager
    async def _reach(self) -> AsyncGenerator[TransportStreams]:
        # Reading the certificates of the machine takes a while; on the loop every agent would wait.
        client = await asyncio.to_thread(self._new_client)
        async with (
            client as http,
            streamable_http_client(
                self._target.url, http_client=http, max_sse_event_size=MESSAGE_BYTES_MAX
            ) as streams,
        ):
            yield streams

    def _new_client(self) -> httpx2.AsyncClient:
        # Reading has no limit of its own: a call has one, and a stream of news may be silent for hours.
        return httpx2.AsyncClient(
            headers=dict(self._target.headers),
            timeout=httpx2.Timeout(_CONNECT_S, read=None),
            event_hooks={"response": [self._heard]},
        )

    async def _heard(self, response: httpx2.Response) -> None:
        if response.request.method == "POST":
            self._status = response.status_code
        # The SDK bounds the events of a stream, but not an answer that is one JSON document.
        if response.headers.get("content-type", "").startswith("application/json"):
            response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """A body that breaks off when it becomes longer than a message may be."""

    def __init__(self, inner: object) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        assert isinstance(self._inner, httpx2.AsyncByteStream)  # noqa: S101 -- an async client has no other
        async for chunk in self._inner:
            taken += len(chunk)
            if taken > MESSAGE_BYTES_MAX:
                msg = f"the answer is longer than {MESSAGE_BYTES_MAX // 1024**2} MiB"
                raise httpx2.StreamError(msg)
            yield chunk

    async def aclose(self) -> None:
        """Close the body."""
        if isinstance(self._inner, httpx2.AsyncByteStream):
            await self._inner.aclose()
