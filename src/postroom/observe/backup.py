"""A copy of a whole store in one file, made beside a process that writes, and checked before it has its name.

It holds what was committed when it began. Turns that ran then are in it as running: who runs the restored
store recovers them as after a crash.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from postroom.errors import FileFailed, StoreCorrupt
from postroom.faults import reach
from postroom.observe.files import failed, made_beside, refuse_the_store
from postroom.observe.glance import opened
from postroom.store.connect import open_file, translated
from postroom.store.migrate import APPLICATION_ID, version_of

DAMAGED = "use another backup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup as it was made or read."""

    path: Path
    file_bytes: int
    schema: int
    """The version of its tables; the next process that runs it brings them up to its own."""


def back_up(folder: Path, target: Path, *, force: bool = False) -> Backup:
    """Copy the store in `folder` to `target`: durable, checked and whole, or not there.

    Raises what opening a store to look at it raises, `StoreCorrupt` when the store is damaged, `FileExists`
    unless `force`, and `FileFailed`.
    """
    with closing(opened(folder)) as source:
        refuse_the_store(folder, target)
        with made_beside(target, "the backup", force=force) as partial:
            with translated():
                copy_database(source, partial)
            made = inspect(partial, remedy="run `postroom doctor`; no backup was written")
            reach("backup.copied")
    return replace(made, path=target.absolute())


def copy_database(source: sqlite3.Connection, target: Path) -> None:
    """What the source holds now, as one file that needs no other beside it. A writer goes on meanwhile."""
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        # Whoever made the file makes it durable, or takes it away.
        copy.execute("PRAGMA synchronous = OFF")
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")


def inspect(file: Path, *, remedy: str = DAMAGED) -> Backup:
    """What a backup is. Raises `StoreCorrupt` with the remedy, `StoreNewer`, or `FileFailed`."""
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise FileFailed(f"{file} is no file", remedy="name a backup")
        with closing(open_file(file)) as connection, translated():
            version = _checked(connection)
    except OSError as error:
        raise failed(error, f"{file} cannot be read") from error
    except StoreCorrupt as fault:
        raise StoreCorrupt(f"{file} is no sound backup: {fault.message}", remedy=remedy) from fault
    return Backup(path=file, file_bytes=size, schema=version)


def _checked(connection: sqlite3.Connection) -> int:
    """The version of the tables in a sound file of ours."""
    version = version_of(connection)
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID or not version:
        raise StoreCorrupt("it is empty")
    wrong = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if wrong != "ok":
        raise StoreCorrupt(wrong)
    return version
