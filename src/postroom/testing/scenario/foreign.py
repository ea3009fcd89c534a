"""What other programs and power cuts do to a store: a write lock that is held, a log that is torn."""

import sqlite3
import struct
from pathlib import Path
from typing import Final

from postroom.store.connect import DATABASE_NAME
from postroom.testing.scenario.outcome import StepFailed

# SQLite file format, section 4.1: a header, then frames, each a header of its own and a page.
WAL_HEADER_BYTES: Final = 32
FRAME_HEADER_BYTES: Final = 24
SALTS: Final = slice(16, 24)


class ForeignLock:
    """The write lock of a store, held by another connection."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._connection: sqlite3.Connection | None = None

    def hold(self) -> None:
        """Take it. Nothing is written until it is let go."""
        if self._connection is None:
            connection = sqlite3.connect(self._store / DATABASE_NAME, isolation_level=None)
            connection.execute("PRAGMA busy_timeout = 5000")
            connection.execute("BEGIN IMMEDIATE")
            self._connection = connection

    def release(self) -> None:
        """Let it go. Idempotent."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.rollback()
            connection.close()


def tear(store: Path, how: str, place: float) -> int:
    """Cut or zero the newest transaction of the write-ahead log from a place on, 0 to 1; bytes lost."""
    file = store / f"{DATABASE_NAME}-wal"
    wal = file.read_bytes() if file.exists() else b""
    begin, end = _last_transaction(wal)
    at = begin + int((end - begin) * place)
    file.write_bytes(wal[:at] + (bytes(end - at) + wal[end:] if how == "zero" else b""))
    return end - at


def _last_transaction(wal: bytes) -> tuple[int, int]:
    """Where the frames of the last commit begin and end: a commit's last frame names the file's size."""
    if len(wal) <= WAL_HEADER_BYTES:
        raise StepFailed("a transaction in the write-ahead log", "the log is empty: kill the process first")
    (page_bytes,) = struct.unpack(">I", wal[8:12])
    salts, step = wal[SALTS], FRAME_HEADER_BYTES + page_bytes
    frames = [
        at for at in range(WAL_HEADER_BYTES, len(wal) - step + 1, step) if wal[at + 8 : at + 16] == salts
    ]
    commits = [at + step for at in frames if struct.unpack(">I", wal[at + 4 : at + 8])[0]]
    begin = commits[-2] if len(commits) > 1 else WAL_HEADER_BYTES
    return begin, commits[-1]
