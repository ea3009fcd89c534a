"""Text as it streams from models to whoever watches. Nothing here is durable, and nobody is waited for."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """Some more text of an answer that is not committed yet."""

    session_id: str
    branch_id: str
    turn_id: str
    agent: str
    """The profile's name."""
    round: int
    attempt: int
    """Counts from 1; a higher one begins the answer anew, what was heard of the one before is void."""
    text: str


OnPiece: TypeAlias = Callable[[TextPiece], None]


class Listener:
    """One who watches. Pieces of the same attempt are joined while they wait, so a slow one costs nothing."""

    def __init__(self, branch_id: str | None) -> None:
        self.branch_id = branch_id
        self._waiting: deque[TextPiece] = deque()
        self._arrived = asyncio.Event()

    def put(self, piece: TextPiece) -> None:
        """One more piece."""
        if self._waiting and _goes_on(last := self._waiting[-1], piece):
            self._waiting[-1] = replace(last, text=last.text + piece.text)
        else:
            self._waiting.append(piece)
        self._arrived.set()

    async def get(self) -> TextPiece:
        """The next piece, as soon as there is one."""
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()


class Texts:
    """Everybody who watches."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def put(self, piece: TextPiece) -> None:
        """Tell those who watch this agent, or all."""
        for listener in self._listeners:
            if listener.branch_id in (None, piece.branch_id):
                listener.put(piece)

    async def listen(self, branch_id: str | None) -> AsyncGenerator[TextPiece, None]:
        """The text of one agent, or of all, from now on. Ends when the watcher stops."""
        listener = Listener(branch_id)
        self._listeners.append(listener)
        try:
            while True:
                yield await listener.get()
        finally:
            self._listeners.remove(listener)


def _goes_on(last: TextPiece, piece: TextPiece) -> bool:
    return (last.turn_id, last.round, last.attempt) == (piece.turn_id, piece.round, piece.attempt)
