"""One process owns one store: a kernel lock that a crash releases by itself (O-35).

The pid in the file is for people only. No pid is ever believed: a stale file with the pid of an
unrelated process blocks nobody, and a frozen holder keeps what it holds.
"""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from postroom.errors import StoreInUse, unwritable

LOCK_NAME = "lock"
LOOK_S = 0.001
"""Longer than somebody who only looks holds the lock."""
LOOKS_MAX = 500
"""Looks in a row, all at the wrong moment, before a store counts as taken."""


class StoreLock:
    """Held from `take` to `release`; the kernel drops it when the process ends in any way."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK_NAME
        self._fd: int | None = None

    def take(self) -> None:
        """Own the store, or raise `StoreInUse` with the holder's pid; the file stays as it is."""
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unwritable(
                error, f"{self._path.parent} cannot be written",
                remedy="make the store's folder writable, or choose another with --store",
            ) from error  # fmt: skip
        if not _own(fd):
            holder = _said_in(fd) or "unknown"
            os.close(fd)
            msg = f"another process runs this store (pid {holder})"
            raise StoreInUse(
                msg,
                remedy=f"end it (a daemon: `postroom down`; else: kill {holder}), "
                "or use it: `postroom ps`, `postroom send`",
            )
        self._fd = fd
        self._write_pid(fd)

    def _write_pid(self, fd: int) -> None:
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            self.release()
            raise unwritable(
                error, f"{self._path} cannot be written", remedy="choose another store with --store"
            ) from error

    def release(self) -> None:
        """Let the store go. Idempotent. A lock file that still names a pid was left by a killed process."""
        if self._fd is not None:
            with suppress(OSError):
                os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None


def _own(fd: int) -> bool:
    """Whether the lock is ours now. Only a runner keeps it from us, never one that just looks (`is_held`)."""
    for _ in range(LOOKS_MAX):
        if _locks(fd, fcntl.LOCK_EX):
            return True
        if not _locks(fd, fcntl.LOCK_SH):
            return False
        fcntl.flock(fd, fcntl.LOCK_UN)
        # The looker lets go in microseconds. Blocking for the lock instead would wait for a runner too.
        time.sleep(LOOK_S)
    return False


def is_held(folder: Path) -> bool:
    """Whether a process runs this store now; keeps nobody from taking it."""
    try:
        fd = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _locks(fd, fcntl.LOCK_SH)
    finally:
        os.close(fd)


def holder_of(folder: Path) -> int | None:
    """The pid that the process which holds this store has said; nothing when none holds it."""
    try:
        fd = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        said = "" if _locks(fd, fcntl.LOCK_SH) else _said_in(fd)
        return int(said) if said.isdecimal() else None
    finally:
        os.close(fd)


def _said_in(fd: int) -> str:
    return os.pread(fd, 32, 0).decode("ascii", "replace").strip()


def _locks(fd: int, how: int) -> bool:
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
