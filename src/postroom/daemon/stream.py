"""Streams of events for the whole daemon: who reads, and how each reader is left.

Readers share one hub. One that takes too little, whose token dies, or who reads when the daemon ends, is told
why before it is cut off; it can come back with the last number that it has.
"""

import asyncio
from typing import Final, Protocol

from postroom.app import Postroom
from postroom.clock import Clock, SystemClock
from postroom.daemon.stream_calm import Calm
from postroom.daemon.stream_channel import ALL
from postroom.daemon.stream_hub import Hub
from postroom.daemon.stream_reader import Bounds, Reader, Wish
from postroom.errors import Fault
from postroom.observe.event_frames import control, follow

SLOW: Final = "slow"
SHUTDOWN: Final = "shutdown"
REVOKED: Final = "revoked"
NO_TEXT: Final = "none"


class Line(Protocol):
    """The connection of one reader."""

    async def write(self, data: bytes) -> None:
        """Send, and wait while the other end takes nothing."""
        ...

    async def end(self, data: bytes) -> None:
        """Send the last bytes and hang up."""
        ...

    async def gone(self) -> None:
        """Wait until the other end has hung up."""
        ...

    def abort(self) -> None:
        """Cut it, whatever it has not taken. Idempotent."""
        ...


class Seat:
    """A reader in its connection."""

    def __init__(self, reader: Reader, line: Line, revoked: asyncio.Event) -> None:
        self.reader = reader
        self.line = line
        self.reason = ""
        """Why it was sent away; empty while it was not."""
        self._feeding = asyncio.ensure_future(reader.feed(line.write))
        self._gone = asyncio.ensure_future(line.gone())
        self._revoked = asyncio.ensure_future(revoked.wait())

    def dismiss(self, reason: str) -> None:
        """Write no more but the farewell. The first reason counts."""
        if not self.reason:
            self.reason = reason
            self._feeding.cancel()

    async def stay(self) -> bool:
        """Until it is sent away, or cannot be fed; `False` when it has gone by itself."""
        ends = self._feeding, self._gone, self._revoked
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if self._revoked.done():
            self.dismiss(REVOKED)
        return not self._gone.done()

    async def close(self) -> None:
        """Nothing of it goes on. A fault of the store ends a stream, and is no crash."""
        tasks = self._feeding, self._gone, self._revoked
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception) and not isinstance(outcome, Fault):
                raise outcome


class Streams:
    """All streams of one room. `close` before the room is closed."""

    def __init__(self, room: Postroom, *, clock: Clock | None = None, bounds: Bounds | None = None) -> None:
        self._room = room
        self.clock = clock or SystemClock()
        self.bounds = bounds or Bounds()
        self._hub: Hub | None = None
        self._seats: set[Seat] = set()
        self._calm = Calm()
        self._empty = asyncio.Event()
        self._empty.set()
        self._is_closed = False

    @property
    def n_readers(self) -> int:
        """How many read now."""
        return len(self._seats)

    async def wish(self, session: str | None, cursor: str | None, text: str) -> Wish:
        """What a reader asks for, looked up. Raises `NotFound`."""
        whose = "" if text == NO_TEXT else text
        if whose not in ("", ALL):
            whose = await self._room.find_branch(whose)
        followed = await self._room.store.read(follow, session)
        return Wish(followed=followed, session=session, cursor=cursor, text=whose)

    async def serve(self, wish: Wish, line: Line, revoked: asyncio.Event) -> None:
        """Write to one reader until it goes or is sent away. `revoked`: its token opens nothing more."""
        hub = self._hub = self._hub or Hub(self._room, wish.followed.tag, self.clock, self._dismiss_slow)
        channel = hub.join(wish.subject)
        seat = Seat(Reader(self._room, hub, channel, wish, self.clock), line, revoked)
        self._seats.add(seat)
        self._calm.count(len(self._seats))
        self._empty.clear()
        if self._is_closed:
            seat.dismiss(SHUTDOWN)
        try:
            if await seat.stay():
                await self._part(seat)
        finally:
            await seat.close()
            hub.leave(wish.subject)
            self._seats.discard(seat)
            self._calm.count(len(self._seats))
            if not self._seats:
                self._rest(hub)

    async def close(self) -> None:
        """Send everybody away, and let in nobody any more. Returns when all have been told. Idempotent."""
        self._is_closed = True
        for seat in self._seats:
            seat.dismiss(SHUTDOWN)
        await self.left()

    async def left(self) -> None:
        """Wait until nobody reads."""
        await self._empty.wait()

    def _dismiss_slow(self) -> None:
        for seat in self._seats:
            if seat.reader.is_behind(self.bounds):
                seat.dismiss(SLOW)

    async def _part(self, seat: Seat) -> None:
        """Say why, if that can still be said, and hang up."""
        farewell = control("bye", {"reason": seat.reason}) if seat.reason else b""
        try:
            async with asyncio.timeout(self.bounds.farewell_s):
                await seat.line.end(farewell)
        except TimeoutError:
            seat.line.abort()
        # What was written may still lie here while the other end takes nothing.
        asyncio.get_running_loop().call_later(self.bounds.farewell_s, seat.line.abort)

    def _rest(self, hub: Hub) -> None:
        self._empty.set()
        self._hub = None
        hub.close()
