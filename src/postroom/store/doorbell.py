"""The doorbell: who looks at the log hears that a commit has happened. A hint that carries nothing."""

import asyncio


class Doorbell:
    """Rung on the loop after every commit; each listener wakes once, however often it was rung."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Event] = set()

    @property
    def n_listeners(self) -> int:
        """How many listen now."""
        return len(self._listeners)

    def ring(self) -> None:
        """Something was committed."""
        for listener in self._listeners:
            listener.set()

    def listen(self) -> asyncio.Event:
        """An event that each commit sets from now on; look first, then wait. Give it to `leave`."""
        listener = asyncio.Event()
        self._listeners.add(listener)
        return listener

    def leave(self, listener: asyncio.Event) -> None:
        """Hear nothing more. Idempotent."""
        self._listeners.discard(listener)
