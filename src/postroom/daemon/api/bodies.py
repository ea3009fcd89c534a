"""Bodies of requests: read whole before any route, but no more of them than may be, and not for ever."""

import asyncio
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Receive

from postroom.daemon.api.faults import HttpFault

BODY_S: Final = 30.0
"""How long a body may take to arrive."""


class BodyTooLarge(HttpFault):
    """The body of a request is larger than `daemon.request_bytes_max`. What came of it was thrown away."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"

    @property
    def headers(self) -> dict[str, str]:
        """The rest of the body is not read."""
        return {"connection": "close"}


class BodyTooSlow(HttpFault):
    """The body of a request did not arrive in time. Nothing was done; send it again."""

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "body_too_slow"
    retryable = True

    @property
    def headers(self) -> dict[str, str]:
        """The rest of the body is not read."""
        return {"connection": "close"}


class Bodies:
    """Reads bodies of at most so many bytes."""

    def __init__(self, bytes_max: int, within_s: float = BODY_S) -> None:
        self._bytes_max = bytes_max
        self._within_s = within_s

    async def read(self, headers: Headers, receive: Receive) -> Receive:
        """The whole body, as one message. Raises `BodyTooLarge` and `BodyTooSlow`."""
        length = headers.get("content-length", "0")
        announced = int(length) if length.isdecimal() else 0
        if announced > 2 * self._bytes_max:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._within_s):
                body = await self._whole(receive)
        except TimeoutError as error:
            raise BodyTooSlow("the body did not arrive in time", remedy="send it again") from error
        return _once({"type": "http.request", "body": body, "more_body": False}, receive)

    async def _whole(self, receive: Receive) -> bytes:
        """Until it ends. Raises `HttpFault` when the client hangs up before.

        As much again as may be is thrown away piece by piece: who is hung up on while it still sends, never
        hears why.
        """
        body, n_bytes = bytearray(), 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise HttpFault("the body was cut", remedy="nothing was done")
            piece: bytes = message.get("body", b"")
            n_bytes += len(piece)
            if n_bytes <= self._bytes_max:
                body += piece
            if n_bytes > 2 * self._bytes_max:
                raise self._too_large()
            if not message.get("more_body", False):
                break
        if n_bytes > self._bytes_max:
            raise self._too_large()
        return bytes(body)

    def _too_large(self) -> BodyTooLarge:
        return BodyTooLarge(
            f"the body is larger than {self._bytes_max} bytes", remedy="send less; nothing was done"
        )


def without_body(receive: Receive) -> Receive:
    """Nothing of it: who comes without a token has nothing to say."""
    return _once({"type": "http.request", "body": b"", "more_body": False}, receive)


def _once(message: Message, receive: Receive) -> Receive:
    """The message first, then whatever comes: that the client hangs up."""
    waiting = [message]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message
