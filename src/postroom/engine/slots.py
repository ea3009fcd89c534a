"""Slots: how many turns of one tree run at once, first come, first served."""

import asyncio
from collections import deque


class Slots:
    """The slots of one tree. All on one event loop; a slot taken must be given back once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._free = size
        self._line: deque[asyncio.Future[None]] = deque()

    @property
    def held(self) -> int:
        """How many are taken."""
        return self._size - self._free

    def try_take(self) -> bool:
        """Take a slot if one is free and nobody waits for it."""
        if self._free <= 0 or self._line:
            return False
        self._free -= 1
        return True

    async def take(self) -> None:
        """Wait in line for a slot; no deadline: turns end, and a cancelled waiter leaves the line."""
        if self.try_take():
            return
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line.append(ticket)
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled():
                self.give()
            elif ticket in self._line:  # `give` may have thrown it out of the line already
                self._line.remove(ticket)
            raise

    def give(self) -> None:
        """Give a slot back; the first in line gets it."""
        while self._line:
            ticket = self._line.popleft()
            if not ticket.done():
                ticket.set_result(None)
                return
        self._free += 1
