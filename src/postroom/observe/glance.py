"""A store that is only looked at: no lock, no event loop, nothing written, quick to open.

The command line reads with it when no process runs the store, and beside one that has no door.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from postroom.errors import StoreMissing, StoreReadOnly
from postroom.store.connect import DATABASE_NAME, open_reader, translated
from postroom.store.migrate import need_schema
from postroom.store.places import place_on_disk
from postroom.store.queries import statements
from postroom.store.tx_base import Caches, Sources
from postroom.store.tx_views import ViewTx

if TYPE_CHECKING:
    from postroom.store.tx import Tx

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V", bound=ViewTx)


class Glance:
    """Reads snapshots of a store. Use it as `with Glance(folder) as glance:`."""

    def __init__(self, folder: Path) -> None:
        """Raises `StoreMissing`, `StoreNewer`, `StoreCorrupt` or `StoreReadOnly`."""
        self._connection = opened(folder)

    def __enter__(self) -> Self:
        """Open already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._connection.close()

    def read(self, function: Callable[Concatenate["Tx", P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a reading function on a snapshot of the last commit."""
        from postroom.store.tx import Tx  # noqa: PLC0415 - twice as slow to load as all of `view`

        return self.read_as(Tx, function, *args, **kwargs)

    def view(self, function: Callable[Concatenate[ViewTx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a function that needs no more than the statements for people."""
        return self.read_as(ViewTx, function, *args, **kwargs)

    def read_as(
        self, kind: type[V], function: Callable[Concatenate[V, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The same for a function that needs this kind of transaction."""
        with self._snapshot():
            sources = Sources(_no_ids, _no_ids, place_on_disk)
            tx = kind(self._connection, statements(), Caches(), time.time_ns() // 1_000, sources)
            return function(tx, *args, **kwargs)

    @contextmanager
    def _snapshot(self) -> Generator[None]:
        with translated():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.rollback()


def need_store(folder: Path) -> None:
    """Raise `StoreMissing` unless there is a store in the folder."""
    try:
        found = (folder / DATABASE_NAME).exists()
        cause = ""
    except OSError as error:
        found, cause = False, f": {error.strerror or error}"
    if not found:
        msg = f"there is no store in {folder}{cause}"
        raise StoreMissing(
            msg, remedy="choose another with --store, or make one: `postroom run`, `postroom demo`"
        )


def opened(folder: Path) -> sqlite3.Connection:
    """A connection that can only read a store. Raises what `Glance` raises."""
    need_store(folder)
    try:
        return _connected(folder, frozen=False)
    except StoreReadOnly:
        if not _is_frozen(folder):
            raise
        return _connected(folder, frozen=True)


def _connected(folder: Path, *, frozen: bool) -> sqlite3.Connection:
    connection = open_reader(folder, frozen=frozen)
    try:
        with translated():
            need_schema(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_frozen(folder: Path) -> bool:
    """On a disk that nobody can write, a store that was closed in order is all in its one file."""
    journal = folder / f"{DATABASE_NAME}-wal"
    return not os.access(folder, os.W_OK) and not (journal.exists() and journal.stat().st_size)


def _no_ids() -> str:
    msg = "a store that is only looked at gives no ids"
    raise sqlite3.ProgrammingError(msg)
