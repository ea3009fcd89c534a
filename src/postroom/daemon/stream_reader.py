"""What one reader of a stream gets: what it has missed, then what comes.

From replay to live there is no gap and no double: what is at hand behind the last number, and the place in
the chain where the rest will come, are taken in one step of the event loop.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from postroom import __version__
from postroom.app import Postroom
from postroom.clock import Clock
from postroom.daemon.protocol import PROTOCOL_VERSION
from postroom.daemon.stream_channel import Channel, Chunk, Subject
from postroom.daemon.stream_hub import TAG_MARK, Hub, numbered
from postroom.domain.plain import Json
from postroom.observe.event_frames import Followed, Frame, control, read_frames, snapshot
from postroom.observe.event_view import Names

Write: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Sends bytes to the other end, and waits while that takes none."""
LIVE: Final = control("live", {})
TOGETHER_BYTES_MAX: Final = 256 * 1024
"""As much is written at once to a reader who is behind."""
_DIGITS_MAX: Final = 18
"""Of a number that the store could hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far a reader may be behind what is written for it before it is cut off."""

    bytes_max: int = 4 * 1024 * 1024
    events_max: int = 10_000
    stall_s: float = 60.0
    """How long one write may wait for the other end to take anything."""
    farewell_s: float = 1.5
    """How long it then has for taking the news that it is too slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a reader asks for."""

    followed: Followed
    session: str | None
    """As it was named."""
    cursor: str | None
    """The last number that it has; none: from now on."""
    text: str = ""
    """Whose text: an agent's branch id, `all`, or nobody's."""

    @property
    def subject(self) -> Subject:
        """What it is told of."""
        return Subject(self.followed.session_id, self.text)


class Reader:
    """Belongs to one connection."""

    def __init__(self, room: Postroom, hub: Hub, channel: Channel, wish: Wish, clock: Clock) -> None:
        self._room = room
        self._clock = clock
        self._hub = hub
        self._channel = channel
        self._wish = wish
        self._at: Chunk | None = None
        """The last chunk that was written whole; none before it is live."""
        self._writes_since_s: float | None = None

    def is_behind(self, bounds: Bounds) -> bool:
        """Whether more waits for it than may, or it has taken nothing for too long."""
        since_s = self._writes_since_s
        if since_s is not None and self._clock.monotonic_s() - since_s > bounds.stall_s:
            return True
        if self._at is None:
            return False
        tail = self._channel.tail
        n_bytes, n_events = tail.n_bytes - self._at.n_bytes, tail.n_events - self._at.n_events
        return n_bytes > bounds.bytes_max or n_events > bounds.events_max

    async def feed(self, send: Write) -> None:
        """Write for ever; ends by being cancelled."""

        async def write(data: bytes) -> None:
            self._writes_since_s = self._clock.monotonic_s()
            await send(data)
            self._writes_since_s = None

        followed, start = self._wish.followed, stand(self._wish.cursor, self._wish.followed)
        about: dict[str, Json] = {
            "protocol": PROTOCOL_VERSION, "version": __version__, "pos": followed.pos, "tag": followed.tag,
        }  # fmt: skip
        await write(control("open", about))
        if isinstance(start, str):
            followed, reset = await self._reset(start)
            start = followed.newest
            await write(reset)
        await self._follow(write, await self._replay(write, start, followed))

    async def _reset(self, reason: str) -> tuple[Followed, bytes]:
        followed, state = await self._room.store.read(
            snapshot, self._room.provider_waits.now(), self._wish.session
        )
        told: dict[str, Json] = {
            "reason": reason, "pos": followed.pos, "tag": followed.tag, "snapshot": state,
        }  # fmt: skip
        if followed.session is not None:
            told["seq"] = followed.newest
        return followed, control("reset", told)

    async def _replay(self, write: Write, behind: int, followed: Followed) -> Chunk:
        """Write what lies behind a number; the chunk behind which the rest comes."""
        names, session = Names(), followed.session
        pos = behind if session is None else 0
        if behind == followed.newest:
            pos = followed.pos
        while True:
            await self._hub.reach(pos)
            if (taken := self._hub.take(self._channel, followed.session_id, pos)) is not None:
                frames, self._at = taken
                for some in portions(frames):
                    await write(numbered(some, followed.session_id, followed.tag))
                await write(LIVE)
                return self._at
            page = await self._room.store.read(read_frames, names, session, behind)
            if page.frames:
                await write(numbered(page.frames, followed.session_id, followed.tag))
                behind = page.frames[-1].pos if session is None else page.frames[-1].seq
            if page.is_whole or session is None:
                pos = page.pos

    async def _follow(self, write: Write, at: Chunk) -> None:
        while True:
            after = at.following() or await at.wait()
            data, at = after.data, after
            if at.following() is not None:
                data, at = _together(at)
            await write(data)
            self._at = at


def stand(cursor: str | None, followed: Followed) -> int | str:
    """The number behind which a reader begins, or why it cannot come back to where it was."""
    if not cursor:
        return followed.newest
    digits, _, tag = cursor.partition(TAG_MARK)
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS_MAX):
        return "unusable"
    number = int(digits)
    if number and tag != followed.tag:
        return "restored"
    if number > followed.newest:
        return "future"
    return "pruned" if number < followed.pruned else number


def portions(frames: Sequence[Frame]) -> Iterator[Sequence[Frame]]:
    """All of them, in pieces: who takes nothing must not hold a copy of the whole ring."""
    first, n_bytes = 0, 0
    for at, frame in enumerate(frames):
        n_bytes += len(frame.body)
        if n_bytes >= TOGETHER_BYTES_MAX:
            yield frames[first : at + 1]
            first, n_bytes = at + 1, 0
    if first < len(frames):
        yield frames[first:]


def _together(first: Chunk) -> tuple[bytes, Chunk]:
    """A chunk with those behind it, as far as they are at hand; and the last of them."""
    at, pieces, n_bytes = first, [first.data], len(first.data)
    while n_bytes < TOGETHER_BYTES_MAX and (after := at.following()) is not None:
        at = after
        pieces.append(at.data)
        n_bytes += len(at.data)
    return b"".join(pieces), at
