"""What all readers of one kind follow: a chain of chunks, each written once and held by whoever needs it.

A reader holds the last chunk that it took. Nothing is copied for it, and what every reader has taken is
freed by itself. How far a reader is behind is the difference of two sums.
"""

import asyncio
from typing import Final, NamedTuple

BEAT: Final = b": beat\n\n"
ALL: Final = "all"
"""Everybody's text."""


class Subject(NamedTuple):
    """What a reader is told of."""

    session_id: str = ""
    """One session; empty for all of the store."""
    text: str = ""
    """Whose text while it streams: an agent's branch id, `all`, or empty for nobody's."""


class Chunk:
    """Some frames as one piece of bytes, and what came before it in numbers."""

    __slots__ = ("_next", "_ready", "data", "n_bytes", "n_events")

    def __init__(self, data: bytes = b"", n_bytes: int = 0, n_events: int = 0) -> None:
        self.data = data
        self.n_bytes = n_bytes
        """Bytes of the chain up to the end of this chunk."""
        self.n_events = n_events
        """Events of the chain up to the end of this chunk."""
        self._next: Chunk | None = None
        self._ready = asyncio.Event()

    def lead_to(self, chunk: "Chunk") -> None:
        """Let those who wait here go on."""
        self._next = chunk
        self._ready.set()

    def following(self) -> "Chunk | None":
        """The chunk behind this one, if there is one yet."""
        return self._next

    async def wait(self) -> "Chunk":
        """The chunk behind this one, as soon as there is one."""
        await self._ready.wait()
        assert self._next is not None  # noqa: S101 -- `lead_to` sets both
        return self._next


class Channel:
    """The chain of one subject."""

    def __init__(self) -> None:
        self.tail = Chunk()
        self.n_readers = 0

    def put(self, data: bytes, n_events: int = 0) -> None:
        """One more chunk for everybody here."""
        tail = self.tail
        self.tail = Chunk(data, tail.n_bytes + len(data), tail.n_events + n_events)
        tail.lead_to(self.tail)
