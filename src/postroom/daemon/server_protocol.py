"""Connections as the daemon takes them: who connects and asks for nothing is hung up on."""

import asyncio
from typing import Final

from postroom.daemon.stream_reply import StreamProtocol

FIRST_WORDS_S: Final = 20.0
"""How long the first request of a connection may take to begin and to name what it wants."""


class ServerProtocol(StreamProtocol):
    """One connection. Between requests the server's own patience counts, which is shorter."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        # A request that has its head makes a cycle; so one that never comes leaves none.
        self.loop.call_later(FIRST_WORDS_S, self._hang_up_if_silent)

    def _hang_up_if_silent(self) -> None:
        if not self.cycle and not self.transport.is_closing():
            self.transport.close()
