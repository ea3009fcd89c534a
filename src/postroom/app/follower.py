"""Reads the log as it grows and hands it out, to hooks that look on and to the bus."""

import asyncio
from collections.abc import Awaitable, Callable

from postroom.errors import StoreFault
from postroom.observe.derived import Told, Wants, read_told
from postroom.observe.event_view import Names
from postroom.observe.tail import PAGE
from postroom.store.sqlite import SqliteStore


class LogFollower:
    """Everything behind a position, in order, until it is ended; then what is left, and no more."""

    def __init__(
        self,
        store: SqliteStore,
        pos: int,
        *,
        wants: Wants,
        has_watchers: Callable[[], bool],
        hand_out: Callable[[Told], Awaitable[None]],
    ) -> None:
        self._store = store
        self._pos = pos
        self._wants = wants
        self._has_watchers = has_watchers
        self._hand_out = hand_out
        self._names = Names()
        self._heard = store.doorbell.listen()
        self._is_open = True
        self._task = asyncio.get_running_loop().create_task(self._follow())

    async def close(self) -> None:
        """Read to the end of the log, then no more."""
        self._is_open = False
        self._heard.set()
        await self._task

    async def _follow(self) -> None:
        try:
            while await self._read_on():
                pass
        finally:
            self._store.doorbell.leave(self._heard)

    async def _read_on(self) -> bool:
        """One page, or a wait for the next commit; `False` when nothing more will come."""
        self._heard.clear()
        names = self._names if self._has_watchers() else None
        try:
            page = await self._store.read(read_told, names, self._pos, PAGE, self._wants)
            for told in page:
                await self._hand_out(told)
                self._pos = told.pos
        except StoreFault:  # the next commit, or the end of the room, brings the next try
            page = []
        if not page and self._is_open:
            await self._heard.wait()
        return bool(page) or self._is_open
