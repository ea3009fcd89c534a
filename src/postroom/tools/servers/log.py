"""The log file of one server: what it says on its standard error, and what became of it.

Two files of bounded size: when one is full it becomes the older one. A server that writes without
end costs time, never the disk.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from postroom.clock import Clock

FILE_BYTES_MAX: Final = 1024 * 1024
"""Of each of the two files."""
_LINE_BYTES_MAX: Final = 64 * 1024
"""A longer line is written in pieces."""
_HELD_BYTES: Final = 16 * 1024
"""The end of a piece that waits for the next one: longer than any value that is masked."""
_PRIVATE: Final = 0o600


class ServerLog:
    """Appends to `mcp-NAME.log`. A disk that takes no more loses the log, not the server."""

    def __init__(self, folder: Path, name: str, *, mask: Callable[[str], str], clock: Clock) -> None:
        self.path: Final = folder / f"mcp-{name}.log"
        self._mask = mask
        self._clock = clock
        self._rest = b""

    def note(self, text: str) -> None:
        """One line of ours, with the time."""
        at = datetime.fromtimestamp(self._clock.now_us() / 1_000_000, UTC).isoformat(timespec="seconds")
        self._append(f"[postroom {at}] {self._mask(text)}\n".encode("utf-8", "replace"))

    def write(self, chunk: bytes) -> None:
        """What the server wrote, in whole lines, so that a masked value is never cut in two."""
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        if whole:
            self._append(self._masked(b"\n".join(whole) + b"\n"))
        if len(self._rest) > _LINE_BYTES_MAX:
            # What is not masked yet may be the beginning of a value whose end is still to come.
            masked = self._masked(self._rest)
            piece, self._rest = masked[:-_HELD_BYTES], masked[-_HELD_BYTES:]
            self._append(piece + b"\n")

    def flush(self) -> None:
        """Write the last line, though nothing has ended it."""
        if self._rest:
            rest, self._rest = self._rest, b""
            self._append(self._masked(rest + b"\n"))

    def _masked(self, text: bytes) -> bytes:
        return self._mask(text.decode("utf-8", "replace")).encode("utf-8", "replace")

    def _append(self, text: bytes) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._bytes_held() + len(text) > FILE_BYTES_MAX:
                self.path.replace(self.path.with_suffix(".log.1"))
            with open(self.path, "ab", opener=_private) as file:
                file.write(text[-FILE_BYTES_MAX:])
        except OSError:
            return

    def _bytes_held(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)
