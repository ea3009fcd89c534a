"""The databases that the store contract is run on. A backend is defined as what passes this folder."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.store.connect import DATABASE_NAME
from postroom.store.sqlite import SqliteStore


class SqliteBackend:
    """One SQLite file in a folder of its own. What a test does to the world stands here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: list[SqliteStore] = []

    def open(self, *, read_only: bool = False) -> SqliteStore:
        """The store; closed with the test."""
        store = SqliteStore.open(self.folder, SystemClock(), SystemIds(), read_only=read_only)
        self._open.append(store)
        return store

    def close(self) -> None:
        """Close all that was opened."""
        for store in self._open:
            store.close()

    def fill_disk(self, store: SqliteStore) -> None:
        """From now on the database cannot grow by one page."""
        pages = int(self._writing(store).execute("PRAGMA page_count").fetchone()[0])
        self._writing(store).execute(f"PRAGMA max_page_count = {pages}")

    def make_room(self, store: SqliteStore) -> None:
        """The disk has room again."""
        self._writing(store).execute("PRAGMA max_page_count = 1000000000")

    def be_patient(self, store: SqliteStore, busy_ms: int) -> None:
        """A foreign lock is waited for this long."""
        self._writing(store).execute(f"PRAGMA busy_timeout = {busy_ms}")

    @contextmanager
    def heard(self, store: SqliteStore) -> Generator[list[str]]:
        """What the writer tells the database."""
        statements: list[str] = []
        self._writing(store).set_trace_callback(statements.append)
        yield statements
        self._writing(store).set_trace_callback(None)

    @contextmanager
    def foreign_lock(self) -> Generator[None]:
        """Another program writes to the database for as long as this lasts."""
        connection = sqlite3.connect(self.folder / DATABASE_NAME, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")
        finally:
            connection.close()

    @staticmethod
    def _writing(store: SqliteStore) -> sqlite3.Connection:
        connection = store._connection  # noqa: SLF001 -- the world of a test reaches behind the store
        assert connection is not None
        return connection


BACKENDS = (SqliteBackend,)
