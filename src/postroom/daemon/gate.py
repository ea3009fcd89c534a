"""The inner door of the HTTP server: counts who is inside, and turns away who comes while it closes.

A request is accepted or refused as a whole: what was let in is waited for before the room closes, and what
comes later is told `engine_shutdown`.
"""

import asyncio
import json
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

from postroom.daemon.life import Life
from postroom.daemon.protocol import OPEN_PATHS
from postroom.daemon.wire import Failure
from postroom.daemon.words import REFUSAL_WORDS
from postroom.domain.receipt import Code


class Gate:
    """An application around the application."""

    def __init__(self, app: ASGIApp, life: Life) -> None:
        self._app = app
        self._life = life
        # Changed on the loop only, by the requests themselves.
        self._inside = 0
        self._empty = asyncio.Event()
        self._empty.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or turn it away."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._life.is_closing and scope["path"] not in OPEN_PATHS:
            await _turn_away(send)
        else:
            await self._let_in(scope, receive, send)

    async def empty(self, timeout_s: float) -> bool:
        """Wait until everybody inside has their answer; whether that came in time."""
        try:
            await asyncio.wait_for(self._empty.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._inside += 1
        self._empty.clear()
        try:
            await self._app(scope, receive, send)
        finally:
            self._inside -= 1
            if not self._inside:
                self._empty.set()


async def _turn_away(send: Send) -> None:
    message, remedy = REFUSAL_WORDS[Code.ENGINE_SHUTDOWN]
    failure = Failure(code=Code.ENGINE_SHUTDOWN, message=message, remedy=remedy)
    body = json.dumps({"error": failure.as_json()}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close"), (b"retry-after", b"1")]
    await send({"type": "http.response.start", "status": HTTPStatus.SERVICE_UNAVAILABLE, "headers": headers})
    await send({"type": "http.response.body", "body": body})
