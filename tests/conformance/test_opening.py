"""The store contract: what may be opened, and what is refused and left as it was."""

import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from signal import SIGKILL

import pytest

from postroom.errors import StoreCorrupt, StoreNewer, StoreReadOnly
from postroom.store import migrate
from postroom.store.connect import DATABASE_NAME
from tests.conformance.backends import SqliteBackend
from tests.conformance.records import a_session, log

OPEN = """
import sys, pathlib
from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.store.sqlite import SqliteStore
SqliteStore.open(pathlib.Path(sys.argv[1]), SystemClock(), SystemIds()).close()
"""
Shape = set[tuple[str, ...]]


def shape(connection: sqlite3.Connection) -> Shape:
    """Every table, index and column of a database, without the layout of its text."""
    found: Shape = set()
    for kind, name, table, sql in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"):
        found.add((kind, name, table, " ".join((sql or "").split())))
        columns = connection.execute("SELECT * FROM pragma_table_xinfo(?)", (name,))
        found |= {(name, *map(str, column)) for column in columns}
    return found


def untouched(folder: Path) -> dict[str, str]:
    """The files and what they hold; what a reader leaves (shared memory, an empty log) does not count."""
    files = [f for f in folder.iterdir() if f.stat().st_size and not f.name.endswith("-shm")]
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def test_migrations_and_the_schema_file_give_the_same_database() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as migrated:
        migrate.step_by_step(migrated)
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as written:
            migrate.migrate(written)

            assert shape(migrated) == shape(written)
            assert len(shape(migrated)) > 100


def test_migrations_are_numbered_without_a_gap() -> None:
    numbers = [number for number, _ in migrate.migrations()]

    assert numbers == list(range(1, migrate.current_version() + 1))


def test_migrating_twice_changes_nothing() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate.migrate(connection)
        before = connection.total_changes, shape(connection)
        migrate.migrate(connection)

        assert (connection.total_changes, shape(connection)) == before


@pytest.mark.parametrize("step", [1, 7, 30])
def test_a_migration_that_is_killed_leaves_the_version_before_it(backend: SqliteBackend, step: int) -> None:
    """`migrate.between`: the next start does it again, whole."""
    killed = subprocess.run(
        [sys.executable, "-c", OPEN, str(backend.folder)],
        env={"POSTROOM_FAULT": f"migrate.between:{step}"},
        check=False,
    )

    assert killed.returncode == -SIGKILL
    with closing(sqlite3.connect(backend.folder / DATABASE_NAME)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
    assert backend.open().look(log) == []


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_store_is_refused_and_left_as_it_is(backend: SqliteBackend, read_only: bool) -> None:
    backend.open().close()
    with closing(sqlite3.connect(backend.folder / DATABASE_NAME)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = untouched(backend.folder)

    with pytest.raises(StoreNewer, match="99") as caught:
        backend.open(read_only=read_only)

    assert "upgrade" in caught.value.remedy
    assert untouched(backend.folder) == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_of_another_program_is_refused_and_left_as_it_is(
    backend: SqliteBackend, read_only: bool
) -> None:
    backend.folder.mkdir()
    with closing(sqlite3.connect(backend.folder / DATABASE_NAME)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    before = untouched(backend.folder)

    with pytest.raises(StoreCorrupt, match="another program") as caught:
        backend.open(read_only=read_only)

    assert "--store" in caught.value.remedy
    assert untouched(backend.folder) == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(
    backend: SqliteBackend, read_only: bool
) -> None:
    backend.folder.mkdir()
    (backend.folder / DATABASE_NAME).write_bytes(b"minutes of the last meeting\n" * 300)
    before = untouched(backend.folder)

    with pytest.raises(StoreCorrupt):
        backend.open(read_only=read_only)

    assert untouched(backend.folder) == before


def test_what_a_store_makes_is_the_persons_alone_also_in_a_folder_that_others_may_enter(
    backend: SqliteBackend,
) -> None:
    backend.folder.mkdir(mode=0o755)

    with closing(backend.open()):
        modes = {path.name: path.stat().st_mode & 0o777 for path in backend.folder.iterdir()}

    assert {DATABASE_NAME, f"{DATABASE_NAME}-wal"} <= modes.keys()
    assert set(modes.values()) == {0o600}


def test_a_reader_makes_no_store(backend: SqliteBackend) -> None:
    with pytest.raises(StoreReadOnly, match="no store"):
        backend.open(read_only=True)

    assert not backend.folder.exists()


async def test_a_reader_writes_nothing(backend: SqliteBackend) -> None:
    backend.open().close()
    reader = backend.open(read_only=True)

    with pytest.raises(StoreReadOnly):
        await reader.write(a_session)
    with pytest.raises(StoreReadOnly):
        reader.look(a_session)


async def test_what_was_committed_is_there_after_a_restart(backend: SqliteBackend) -> None:
    """I5"""
    store = backend.open()
    session = await store.write(a_session)
    before = store.look(log)
    store.close()

    assert backend.open().look(log) == before
    assert before[0].session == session
