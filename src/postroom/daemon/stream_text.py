"""Text as it streams from models, gathered for all streams: what one agent says between two writes is one."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from postroom.app import Postroom
from postroom.runtime.texts import TextPiece


class TextShelf:
    """Pieces that wait for the next write. Listens only while somebody wants text."""

    def __init__(self, room: Postroom, on_text: Callable[[], None]) -> None:
        self._room = room
        self._on_text = on_text
        self._waiting: dict[str, list[TextPiece]] = {}
        self._task: asyncio.Task[None] | None = None

    def listen(self, *, wanted: bool) -> None:
        """Begin or stop. Idempotent."""
        if wanted and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._gather())
        elif not wanted and self._task is not None:
            self._task.cancel()
            self._task = None
            self._waiting.clear()

    def take(self) -> list[TextPiece]:
        """What has come since the last time: of each agent one piece, or one for each of its attempts."""
        taken = [piece for pieces in self._waiting.values() for piece in pieces]
        self._waiting.clear()
        return taken

    async def _gather(self) -> None:
        async for piece in self._room.texts():
            pieces = self._waiting.setdefault(piece.branch_id, [])
            if pieces and _is_same(pieces[-1], piece):
                pieces[-1] = replace(piece, text=pieces[-1].text + piece.text)
            else:
                pieces.append(piece)
            self._on_text()


def _is_same(one: TextPiece, other: TextPiece) -> bool:
    return (one.turn_id, one.round, one.attempt) == (other.turn_id, other.round, other.attempt)
