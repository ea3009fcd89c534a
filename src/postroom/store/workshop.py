"""A store in one hand, for repairs: locked, and nothing in it is migrated, recovered or run."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar

from postroom.clock import Clock
from postroom.errors import StoreFull, unwritable
from postroom.ids import Ids
from postroom.store import migrate
from postroom.store.connect import DATABASE_NAME, open_reader, open_writer, translated
from postroom.store.disk import free_name, sync
from postroom.store.lock import StoreLock
from postroom.store.places import place_on_disk
from postroom.store.queries import statements
from postroom.store.tx import Tx
from postroom.store.tx_base import Caches, Sources

P = ParamSpec("P")
T = TypeVar("T")
BACKUPS = "backups"
BACKUP_ROOM_BYTES = 1024 * 1024
"""What must be free beside the size of the copy: the repairs themselves write too."""


class Workshop:
    """Holds the lock from `with` to its end; raises `StoreInUse` when another process has the store."""

    def __init__(self, folder: Path, clock: Clock, ids: Ids) -> None:
        self._folder = folder
        self._clock = clock
        self._sources = Sources(ids.public, ids.token, place_on_disk)
        self._lock = StoreLock(folder)
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        """Take the store."""
        self._lock.take()
        return self

    def __exit__(self, *_: object) -> None:
        """Let it go."""
        if self._connection is not None:
            self._connection.close()
        self._lock.release()

    def write(self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """One transaction, durable on return; a fault rolls it back whole."""
        with translated():
            connection = self._writing()
            connection.execute("BEGIN IMMEDIATE")
            try:
                tx = Tx(connection, statements(), Caches(), self._clock.now_us(), self._sources)
                value = function(tx, *args, **kwargs)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.rollback()
                raise
            return value

    def _writing(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_writer(self._folder)
            migrate.version_of(self._connection)
        return self._connection

    def back_up(self, name: str, free_bytes: Callable[[Path], int]) -> Path:
        """Copy the whole store as it stands into `backups/NAME-N.db`; durable, complete or not there.

        Raises `StoreFull` when there is no room for it, `StoreReadOnly` when it cannot be written.
        """
        folder = self._folder / BACKUPS
        needed = BACKUP_ROOM_BYTES + sum(f.stat().st_size for f in self._folder.glob(f"{DATABASE_NAME}*"))
        if free_bytes(self._folder) < needed:
            msg = f"a backup needs {needed} bytes and there is no room for it"
            raise StoreFull(msg, remedy="make room on the disk; nothing was changed")
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            target = free_name(folder, name)
            self._copy(target.with_suffix(".partial"), target)
        except OSError as error:
            raise unwritable(
                error, f"no backup could be written in {folder}",
                remedy="make the store's folder writable; nothing was changed",
            ) from error  # fmt: skip
        return target

    def _copy(self, partial: Path, target: Path) -> None:
        source = open_reader(self._folder)
        try:
            with translated():
                copy = sqlite3.connect(partial)
                try:
                    source.backup(copy)
                finally:
                    copy.close()
            sync(partial)
            partial.rename(target)
            sync(target.parent)
        finally:
            source.close()
            partial.unlink(missing_ok=True)
