"""Connections to the SQLite file, and the words of SQLite turned into our faults at this edge."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from postroom.errors import StoreBusy, StoreCorrupt, StoreFault, StoreFull, StoreReadOnly

DATABASE_NAME = "postroom.db"
BUSY_TIMEOUT_MS = 7_000
"""How long a batch waits for a foreign lock. A write may wait for the batch before its own too: with
twice this, every call ends within 15 s (O-36)."""
CHECKPOINT_PAGES = 4_000
"""Length of the write-ahead log, in pages of 4 KiB, at which a commit also copies it into the database.

SQLite's own 1,000 is reached by four full batches, and each copy costs 5 to 10 ms and writes the same
pages again: 4,000 saves a third of the time of a commit. At 16,000 the pauses grew past 25 ms.
"""
READER_CACHE_KIB = 16_000
"""Pages one reader may keep. A conversation is gone through twice, by its keys and for its texts: one of
10,000 nodes fits in here, and not in SQLite's own 2,000."""

_FAULTS: tuple[tuple[str, type[StoreFault], str], ...] = (
    ("disk is full", StoreFull, "make room on the disk; turns go on by themselves"),
    ("disk i/o error", StoreFull, "check the disk; turns go on when it can be written"),
    ("readonly", StoreReadOnly, "make the store's folder writable, or choose another with --store"),
    ("unable to open", StoreReadOnly, "check that the store's folder exists and can be written"),
    ("locked", StoreBusy, "another program holds the write lock; trying again is safe"),
    ("no such table", StoreFault, "an older Postroom made the store: open it once with `postroom run`"),
    ("no such column", StoreFault, "an older Postroom made the store: open it once with `postroom run`"),
    (
        "no such module",
        StoreFault,
        "use a Python whose SQLite is built with FTS5; python.org's and Debian's are",
    ),
    ("malformed", StoreCorrupt, "run `postroom doctor`, and restore a backup if it says so"),
    ("not a database", StoreCorrupt, "choose another store with --store"),
)


def open_writer(folder: Path) -> sqlite3.Connection:
    """The one connection that writes: WAL, and a commit is on the disk when it returns (G1).

    A database that it makes is the person's alone, also in a folder that others may enter.
    """
    with suppress(OSError):  # it is there, or SQLite will say what is wrong
        # SQLite would ask the umask, and gives its log and index the mode of the database.
        os.close(os.open(folder / DATABASE_NAME, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with translated():
        connection = sqlite3.connect(
            folder / DATABASE_NAME, isolation_level=None, check_same_thread=False, cached_statements=512
        )
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        return connection


def open_reader(folder: Path, *, frozen: bool = False) -> sqlite3.Connection:
    """A connection that can only read; it sees the last commit and never blocks the writer.

    `frozen`: nobody can write the file, so SQLite needs no files of its own beside it.
    """
    with translated():
        uri = f"{(folder / DATABASE_NAME).absolute().as_uri()}?mode=ro{'&immutable=1' if frozen else ''}"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        connection.execute(f"PRAGMA cache_size = -{READER_CACHE_KIB}")
        return connection


def open_file(file: Path) -> sqlite3.Connection:
    """A connection that only reads a database which lies somewhere: a backup.

    Nobody writes it unless it has a log beside it, and then SQLite must not go past that.
    """
    log = file.with_name(f"{file.name}-wal")
    is_still = not (log.exists() and log.stat().st_size)
    with translated():
        uri = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if is_still else ''}"
        return sqlite3.connect(uri, uri=True, isolation_level=None)


@contextmanager
def translated() -> Generator[None]:
    """SQLite's exceptions leave as ours, with the cause and a remedy."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise fault_of(error) from error


def fault_of(error: sqlite3.DatabaseError) -> StoreFault:
    """What a SQLite exception means for the caller."""
    text = str(error).lower()
    for words, fault, remedy in _FAULTS:
        if words in text:
            return fault(str(error), remedy=remedy)
    return StoreFault(str(error), remedy="run `postroom doctor`")
