"""The SQLite store: `write` for every change, `read` for every look.

There is no in-memory store; a temporary folder is the fake. What `write` returns is durable
(`synchronous=FULL`): it survives kill -9 and power loss.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Concatenate, ParamSpec, TypeVar, cast

from postroom.clock import Clock
from postroom.domain.policy import Policy
from postroom.errors import StoreClosed, StoreReadOnly, unwritable
from postroom.ids import Ids
from postroom.store import migrate
from postroom.store.connect import DATABASE_NAME, open_reader, open_writer, translated
from postroom.store.doorbell import Doorbell
from postroom.store.lock import StoreLock
from postroom.store.places import Places, place_on_disk
from postroom.store.queries import statements
from postroom.store.tx import Tx
from postroom.store.tx_base import NO_PRESETS, Caches, Sources
from postroom.store.writer import Writer

P = ParamSpec("P")
T = TypeVar("T")
READERS = 2
"""Reading connections; more only wait for each other on two cores."""


class SqliteStore:
    """One folder, one database, one writer. Made by `open`; closed by `close`."""

    def __init__(self, folder: Path, clock: Clock, sources: Sources, *, read_only: bool) -> None:
        self.folder = folder
        self._clock = clock
        self._sources = sources
        self._lock = StoreLock(folder)
        self._caches = Caches()
        self._sql = statements()
        self.doorbell = Doorbell()
        self._writer: Writer | None = None
        self._closed = False
        self._connection: sqlite3.Connection | None = None
        self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="postroom-reader")
        if read_only:
            self._open_readers()
        else:
            self._open_all()

    @classmethod
    def open(
        cls, folder: Path, clock: Clock, ids: Ids, *, read_only: bool = False, places: Places = place_on_disk,
        presets: Mapping[str, Policy] = NO_PRESETS,
    ) -> "SqliteStore":  # fmt: skip
        """Own the store in `folder`, creating or migrating it; or only look at it. `places` is how
        directories are told apart; `presets` has, by surface, what older policies lack.

        Raises `StoreInUse`, `StoreNewer`, `StoreCorrupt`, `StoreReadOnly` or `StoreFull`; a store that
        could not be opened is left as it was.
        """
        if read_only and not (folder / DATABASE_NAME).exists():
            msg = f"there is no store in {folder}"
            raise StoreReadOnly(msg, remedy="run something in it first: `postroom demo`, `postroom run`")
        if not read_only:
            _make_folder(folder)
        sources = Sources(ids.public, ids.token, places, presets)
        return cls(folder, clock, sources, read_only=read_only)

    def _open_all(self) -> None:
        self._lock.take()
        try:
            self._check_first()
            self._connection = open_writer(self.folder)
            with translated():
                migrate.migrate(self._connection)
                self._begin().need_known_policies()
            self._open_readers()
        except BaseException:
            self._close_connections()
            self._lock.release()
            raise
        self._writer = Writer(self._connection, self._begin, self._caches.forget, self.doorbell.ring)

    def _check_first(self) -> None:
        """A file of another program, or of a newer Postroom, is refused before anything writes to it."""
        if (self.folder / DATABASE_NAME).exists():
            connection = open_reader(self.folder)
            try:
                with translated():
                    migrate.version_of(connection)
            finally:
                connection.close()

    def _open_readers(self) -> None:
        for _ in range(READERS):
            connection = open_reader(self.folder)
            self._readers.put(connection)
            with translated():
                migrate.need_schema(connection)

    def _begin(self) -> Tx:
        if self._connection is None:
            raise StoreClosed("the store is closed")
        return Tx(self._connection, self._sql, self._caches, self._clock.now_us(), self._sources)

    async def write_then(
        self, then: Callable[[T | None], None], function: Callable[Concatenate[Tx, P], T],
        *args: P.args, **kwargs: P.kwargs,
    ) -> T:  # fmt: skip
        """`write`, and `then` hears the value on the loop right after the commit, `None` on a fault.

        It is called even if the caller was cancelled meanwhile: what a commit started is never orphaned.
        """
        return await self._submit(then, function, *args, **kwargs)

    async def write(self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a transaction function in the writer; when this returns, what it wrote is durable.

        A cancelled caller's function may still commit: every write of a turn carries its fence.
        """
        return await self._submit(None, function, *args, **kwargs)

    async def _submit(
        self, then: Callable[[T | None], None] | None, function: Callable[Concatenate[Tx, P], T],
        *args: P.args, **kwargs: P.kwargs,
    ) -> T:  # fmt: skip
        if self._writer is None:
            msg = "the store is open for reading only"
            raise StoreReadOnly(msg, remedy="stop the process that runs it, or let it do this")
        future = self._writer.submit(
            function.__name__,
            lambda tx: function(tx, *args, **kwargs),
            cast("Callable[[object], None] | None", then),
        )
        return cast("T", await future)

    async def read(self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a reading function on a snapshot of the last commit; it must not write."""
        self._check_open()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: self.look(function, *args, **kwargs))

    def look(self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`read` for callers without an event loop."""
        self._check_open()
        connection = self._readers.get()
        try:
            with translated():
                connection.execute("BEGIN")
                try:
                    tx = Tx(connection, self._sql, Caches(), self._clock.now_us(), self._sources)
                    return function(tx, *args, **kwargs)
                finally:
                    connection.rollback()
        finally:
            self._readers.put(connection)

    @property
    def n_waiting(self) -> int:
        """About how many writes wait for the next commit."""
        return 0 if self._writer is None else self._writer.n_waiting

    def close(self) -> None:
        """Finish what waits, close every connection, let the store go. Idempotent."""
        if self._writer is not None:
            self._writer.close()
        self._closed = True
        self._threads.shutdown()
        self._close_connections()
        self._lock.release()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed", remedy="open it again")

    def _close_connections(self) -> None:
        """The writer last: only then does SQLite move its log into the database, and a store is one file."""
        while not self._readers.empty():
            self._readers.get().close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(
            error, f"{folder} cannot be made", remedy="choose another store with --store"
        ) from error
