"""Numbered migrations, each in one transaction; a kill in the middle leaves the version before it.

A new store is made in one step, from the schema that all of them give (docs/why/0003).
"""

import sqlite3
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from postroom.errors import StoreCorrupt, StoreMissing, StoreNewer
from postroom.faults import reach

APPLICATION_ID = 0x506F7374
"""Marks a file as ours (`Post` in ASCII), so that a foreign database is refused, not migrated."""


_FOLDER = Path(__file__).parent / "sql"


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """(number, SQL) of every migration, in order."""
    files = (_FOLDER / "migrations").glob("*.sql")
    return tuple(sorted((int(f.name[:4]), f.read_text("utf-8")) for f in files))


@cache
def schema() -> tuple[str, ...]:
    """The statements that make what all migrations give; a test compares the two."""
    return tuple(split((_FOLDER / "schema.sql").read_text("utf-8")))


def current_version() -> int:
    """The schema that this code reads and writes."""
    return migrations()[-1][0]


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of a file; raises when the file is foreign or newer than this code."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    if owner != APPLICATION_ID and (tables or version):
        msg = "this file is a database of another program"
        raise StoreCorrupt(msg, remedy="choose another store with --store")
    if version > current_version():
        msg = f"the store has schema {version}, this Postroom knows up to {current_version()}"
        raise StoreNewer(msg, remedy="upgrade Postroom; nothing was changed")
    return version


def need_schema(connection: sqlite3.Connection) -> None:
    """Raise unless the file can be read; what a process that died while making it left is no store yet."""
    if not version_of(connection):
        raise StoreMissing("the store was begun and never made", remedy="`postroom run` makes it")


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to the current schema, a new one at once. Each step is committed whole or not at all."""
    version = version_of(connection)
    if not version:
        _apply(connection, current_version(), schema())
        return
    step_by_step(connection, version)


def step_by_step(connection: sqlite3.Connection, version: int = 0) -> None:
    """Every migration behind a version, one after the other."""
    for number, sql in migrations():
        if number > version:
            _apply(connection, number, split(sql))


def _apply(connection: sqlite3.Connection, number: int, statements: Iterable[str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for statement in statements:
            connection.execute(statement)
            reach("migrate.between")
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def split(sql: str) -> Iterator[str]:
    """The statements of a script; `executescript` would commit in the middle."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
