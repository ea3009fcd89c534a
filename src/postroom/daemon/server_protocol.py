"""Connections as the daemon takes them: who holds one without using it is hung up on.

Everybody on this machine can connect. So a connection costs something only while a request of it is worked
on, and of those that wait for the other end there are never more than so many.
"""

import asyncio
import json
from dataclasses import dataclass
from typing import ClassVar, Final
from weakref import WeakKeyDictionary

import h11
from uvicorn.server import ServerState

from postroom.daemon.stream_reply import StreamProtocol
from postroom.daemon.wire import Failure

_NO_REQUEST: Final = Failure(
    code="bad_request", message="what was sent cannot be read as an HTTP request",
    remedy="send one as RFC 9112 says, with one `Host`",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long the other ends may take, and how many of them."""

    request_s: float = 20.0
    """Until a request, the first or a following one, has named what it wants."""
    rest_s: float = 5.0
    """Until it stops sending a body whose request was answered already; then for taking the goodbye."""
    stall_s: float = 90.0
    """Without taking anything of an answer: longer than streams wait, which say why they hang up."""
    waiting_max: int = 750
    """Connections that wait for the other end; for one more the one that waits longest makes way."""


class ServerProtocol(StreamProtocol):
    """One connection. Between whole requests the server's own patience counts, which is shorter."""

    patience: ClassVar[Patience] = Patience()
    _all_waiting: ClassVar[WeakKeyDictionary[ServerState, dict["ServerProtocol", None]]] = WeakKeyDictionary()
    """Of each server those that wait for the other end, the longest first."""
    _timer: asyncio.TimerHandle | None = None
    _stall_timer: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """The other end has to do something next: ask, or take its answer."""
        return not self.cycle or self.cycle.response_complete or self.flow.write_paused

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._look_again_in(self.patience.request_s)
        waiting = self._waiting()
        waiting[self] = None
        if len(waiting) > self.patience.waiting_max:
            longest = next(iter(waiting))
            del waiting[longest]
            longest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._waiting().pop(self, None)
        for timer in (self._timer, self._stall_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """What has come may be a request."""
        super().handle_events()
        self._note()

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP: say so in the form of every failure, and hang up."""
        del msg
        body = json.dumps({"error": _NO_REQUEST.as_json()}).encode()
        head = h11.Response(status_code=400, reason=b"Bad Request", headers=[
            ("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close"),
        ])  # fmt: skip
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def on_response_complete(self) -> None:
        """Wait for the next request, and not for long for the rest of a body that nobody wants."""
        super().on_response_complete()
        is_unread = self.conn.their_state is h11.SEND_BODY
        self._look_again_in(self.patience.rest_s if is_unread else self.patience.request_s)
        self._note()

    def pause_writing(self) -> None:
        """The other end takes less than it is sent."""
        super().pause_writing()
        self._note()
        self._watch_writing()

    def resume_writing(self) -> None:
        """It has taken enough."""
        super().resume_writing()
        self._note()
        if self._stall_timer is not None:
            self._stall_timer.cancel()

    def _waiting(self) -> dict["ServerProtocol", None]:
        return self._all_waiting.setdefault(self.server_state, {})

    def _note(self) -> None:
        if not self.is_waiting:
            self._waiting().pop(self, None)
        elif self in self.connections:
            self._waiting().setdefault(self)

    def _look_again_in(self, delay_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(delay_s, self._hang_up_if_silent)

    def _hang_up_if_silent(self) -> None:
        if self.cycle and not self.cycle.response_complete:
            return  # its end begins a new wait
        if self.transport.is_closing():
            self.transport.abort()  # what was said last is not taken
            return
        self.transport.close()
        self._look_again_in(self.patience.rest_s)

    def _watch_writing(self) -> None:
        left_bytes = self.transport.get_write_buffer_size()
        self._stall_timer = self.loop.call_later(self.patience.stall_s, self._abort_if_stalled, left_bytes)

    def _abort_if_stalled(self, before_bytes: int) -> None:
        """A slow network takes a little at a time; who has taken nothing is gone, or means it."""
        if self.transport.get_write_buffer_size() >= before_bytes:
            self.transport.abort()
        else:
            self._watch_writing()
