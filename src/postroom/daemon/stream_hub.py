"""The one reader of the log for all streams: it reads each event once, and everybody takes the same bytes.

A hub lives from the first reader to the last. It wakes by the store's doorbell, at most as often as all its
readers can be written to, and costs nothing while nothing is committed (docs/why/0044).
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from typing import Final

from postroom.app import Postroom
from postroom.clock import Clock
from postroom.daemon.stream_channel import ALL, BEAT, Channel, Chunk, Subject
from postroom.daemon.stream_ring import Ring
from postroom.daemon.stream_text import TextShelf
from postroom.errors import StoreFault
from postroom.observe.event_frames import Frame, control, read_frames
from postroom.observe.event_view import Names
from postroom.observe.looks import as_json, newest_pos

BEAT_S: Final = 15.0
TAG_MARK: Final = "."
GAP_S: Final = 0.05
"""The least time between two writes to one reader."""
GAP_PER_READER_S: Final = 0.000_1
"""A write takes half of this, so that writing to however many readers leaves half of the loop to others."""


class Hub:
    """Made while an event loop runs; `close` ends what it has begun. `tag`: that of the log. `after_gap`:
    every reader that takes what it gets has been written to by now.
    """

    def __init__(self, room: Postroom, tag: str, clock: Clock, after_gap: Callable[[], None]) -> None:
        self._room = room
        self._tag = tag
        self._clock = clock
        self._after_gap = after_gap
        self._channels: dict[Subject, Channel] = {}
        self._names = Names()
        self._ring: Ring | None = None
        self._moved = asyncio.Event()
        self._heard = room.store.doorbell.listen()
        self._texts = TextShelf(room, self._heard.set)
        self.n_readers = 0
        loop = asyncio.get_running_loop()
        self._tasks = (loop.create_task(self._run()), loop.create_task(self._beat()))

    def join(self, subject: Subject) -> Channel:
        """A reader comes."""
        channel = self._channels.setdefault(subject, Channel())
        channel.n_readers += 1
        self.n_readers += 1
        self._texts.listen(wanted=any(one.text for one in self._channels))
        return channel

    def leave(self, subject: Subject) -> None:
        """A reader goes; once for each `join`."""
        channel = self._channels[subject]
        channel.n_readers -= 1
        self.n_readers -= 1
        if not channel.n_readers:
            del self._channels[subject]
        self._texts.listen(wanted=any(one.text for one in self._channels))

    async def reach(self, pos: int) -> None:
        """Wait until the log was read up to a position that has been committed."""
        while self._ring is None or self._ring.pos < pos:
            self._moved.clear()
            await self._moved.wait()

    def take(self, channel: Channel, session_id: str, pos: int) -> tuple[list[Frame], Chunk] | None:
        """What is at hand behind a position, and the chunk that everything later comes behind.

        `None` when older frames are needed, or the log has not been read that far yet.
        """
        ring = self._ring
        if ring is None or not ring.floor <= pos <= ring.pos:
            return None
        return ring.behind(pos, session_id), channel.tail

    def close(self) -> None:
        """Read and write no more. Idempotent."""
        self._room.store.doorbell.leave(self._heard)
        self._texts.listen(wanted=False)
        for task in self._tasks:
            task.cancel()

    async def _run(self) -> None:
        self._heard.set()
        while True:
            await self._heard.wait()
            self._heard.clear()
            with contextlib.suppress(StoreFault):  # the next commit brings the next try
                await self._read_on()
            self._put_texts()
            await self._clock.sleep_s(max(GAP_S, self.n_readers * GAP_PER_READER_S))
            self._after_gap()

    async def _read_on(self) -> None:
        """Everything that was committed by now, in pages."""
        store = self._room.store
        if self._ring is None:
            self._ring = Ring(await store.read(newest_pos, 0))
        is_whole = False
        while not is_whole:
            frames, pos, is_whole = await store.read(read_frames, self._names, None, self._ring.pos)
            self._ring.put(frames, pos)
            self._put_texts()  # of an answer that is in these frames, everything came before
            if frames:
                self._put_frames(frames)
            self._moved.set()

    def _put_frames(self, frames: Iterable[Frame]) -> None:
        joined = dict[str, tuple[bytes, int]]()
        for subject, channel in self._channels.items():
            session_id = subject.session_id
            if session_id not in joined:
                joined[session_id] = _join(frames, session_id, self._tag)
            data, n_events = joined[session_id]
            if n_events:
                channel.put(data, n_events)

    def _put_texts(self) -> None:
        for piece in self._texts.take():
            data = control("text", as_json(piece))
            for subject, channel in self._channels.items():
                if subject.text in (ALL, piece.branch_id) and subject.session_id in ("", piece.session_id):
                    channel.put(data)

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep_s(BEAT_S)
            self._after_gap()
            for channel in self._channels.values():
                channel.put(BEAT)


def numbered(frames: Iterable[Frame], session_id: str, tag: str) -> bytes:
    """Frames with their ids: the `seq` in the stream of a session, else the `pos`; with the log's tag."""
    end = f"{TAG_MARK}{tag}".encode() if tag else b""
    if session_id:
        return b"".join([b"id: %d%b\n%b" % (frame.seq, end, frame.body) for frame in frames])
    return b"".join([b"id: %d%b\n%b" % (frame.pos, end, frame.body) for frame in frames])


def _join(frames: Iterable[Frame], session_id: str, tag: str) -> tuple[bytes, int]:
    """Those that concern a session, or all, as one piece; and how many."""
    own = [frame for frame in frames if session_id in ("", frame.session_id)]
    return numbered(own, session_id, tag), len(own)
