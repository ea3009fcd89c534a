"""How long a daemon has been up, and how it ends: one word, said once, that everything in it hears.

Whoever keeps a connection open for long adds a farewell: it is called first, so that those at the other
end learn why they are left.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

Farewell: TypeAlias = Callable[[], Awaitable[None]]
FAREWELL_S: Final = 2.0
"""How long all farewells together may take."""


class Life:
    """From the first request to the last. Belongs to one event loop."""

    def __init__(self, started_us: int = 0, *, farewell_s: float = FAREWELL_S) -> None:
        """`started_us`: wall time in microseconds. `farewell_s`: how long all farewells may take."""
        self._farewell_s = farewell_s
        self.started_us = started_us
        self.is_closing = False
        """Nothing new is taken; what is asked for is refused with `engine_shutdown`."""
        self.committed = asyncio.Event()
        """Set by each commit of the store, and by nothing else."""
        self._paused_by = ""
        self._paused_until_s = 0.0
        self._end = asyncio.Event()
        self._farewells: list[Farewell] = []

    def pause(self, code: str, for_s: float = math.inf) -> None:
        """The store could not be written; `code` says why. It counts until a commit, or `for_s` at most."""
        now_s = asyncio.get_running_loop().time()
        self._paused_until_s = max(self._paused_until_s if self.paused_by else now_s, now_s + for_s)
        self._paused_by = code
        self.committed.clear()

    @property
    def paused_by(self) -> str:
        """The code of what keeps the store from being written; empty once something was written again."""
        if self.committed.is_set() or not self._paused_by:
            return ""
        is_over = asyncio.get_running_loop().time() >= self._paused_until_s
        return "" if is_over else self._paused_by

    def at_end(self, farewell: Farewell) -> None:
        """Have something done before connections are closed, such as saying goodbye to open streams."""
        self._farewells.append(farewell)

    def end(self) -> None:
        """Ask the daemon to end. Idempotent; returns at once."""
        self._end.set()

    async def ended(self) -> None:
        """Wait until somebody has asked for the end."""
        await self._end.wait()

    async def close(self) -> list[BaseException]:
        """Take nothing new and say every goodbye; what failed of it. The connections are still open."""
        self.is_closing = True
        self._end.set()
        farewells = [asyncio.ensure_future(farewell()) for farewell in self._farewells]
        if not farewells:
            return []
        _, late = await asyncio.wait(farewells, timeout=self._farewell_s)
        for task in late:
            task.cancel()
        said = await asyncio.gather(*farewells, return_exceptions=True)
        return [failure for failure in said if isinstance(failure, Exception)]
