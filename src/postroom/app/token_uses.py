"""What a room remembers of tokens in use: who waits for their end, and when a use was written down last."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from typing import Final

from postroom.domain.keys import TokenKey
from postroom.errors import StoreFault

USE_US: Final = 60_000_000
"""A use is written down at most once in so many microseconds."""


class TokenUses:
    """For one room. Everything runs on its loop."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[asyncio.Event]] = {}
        self._written_us: dict[TokenKey, int] = {}
        self._writes: set[asyncio.Task[None]] = set()

    @contextlib.contextmanager
    def watch(self, token_id: str) -> Generator[asyncio.Event]:
        """An event that is set when this token is revoked."""
        ended = asyncio.Event()
        watchers = self._watchers.setdefault(token_id, set())
        watchers.add(ended)
        try:
            yield ended
        finally:
            watchers.discard(ended)
            if not watchers:
                self._watchers.pop(token_id, None)

    def end(self, token_id: str) -> None:
        """It was revoked: all who watch it hear so at once."""
        for ended in self._watchers.get(token_id, ()):
            ended.set()

    def note(self, key: TokenKey, now_us: int, write: Callable[[TokenKey], Awaitable[None]]) -> None:
        """A token was used now. `write` runs beside the caller, and not for every use."""
        if now_us - self._written_us.get(key, -USE_US) < USE_US:
            return
        self._written_us[key] = now_us
        task = asyncio.create_task(_write(write, key), name="token use")
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)


async def _write(write: Callable[[TokenKey], Awaitable[None]], key: TokenKey) -> None:
    with contextlib.suppress(StoreFault):  # nothing hangs on it; the next use is written down again
        await write(key)
