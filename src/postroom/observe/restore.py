"""A store made of a backup: all of it or nothing, whenever the process is killed.

The backup is copied into the store's folder, checked there, and given the database's name in one step. A
store that is replaced keeps a second name under `backups/` from before that step on. Its write-ahead log
goes first, empty by then: SQLite would take it for the new database's own.
"""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from postroom.clock import SystemClock
from postroom.errors import FileExists, StoreBusy, StoreFault, StoreMissing, unwritable
from postroom.faults import reach
from postroom.ids import SystemIds
from postroom.observe.backup import DAMAGED, Backup, copy_database, inspect
from postroom.observe.files import NO_LINKS
from postroom.observe.glance import Glance
from postroom.store.connect import DATABASE_NAME, open_file, open_writer, translated
from postroom.store.disk import free_name, stamp, sync
from postroom.store.lock import StoreLock
from postroom.store.queries import statements
from postroom.store.tx_log import LOG_TAG
from postroom.store.tx_views import ViewTx
from postroom.store.workshop import BACKUPS

RESTORING = f"{DATABASE_NAME}.restoring"
_BESIDE = ("-wal", "-shm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A store that was made of a backup."""

    folder: Path
    backup: Backup
    set_aside: Path | None
    """The store that was there before, as a file that can be restored in turn."""


def restore(file: Path, folder: Path, *, force: bool = False) -> Restored:
    """Make the store in `folder` from a backup. Durable on return.

    Raises `StoreCorrupt`, `StoreNewer` or `FileFailed` for the file, `StoreInUse` when a process runs the
    store, `FileExists` when there is a store with agents and no `force`, and `StoreFull` or `StoreReadOnly`.
    """
    backup = inspect(file)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.path.realpath(file) == os.path.realpath(folder / DATABASE_NAME):
            raise FileExists(f"{file} is the store itself", remedy="name a backup of it")
        lock = StoreLock(folder)
        lock.take()
        try:
            aside = _restore(file, folder, force=force)
        finally:
            lock.release()
    except OSError as error:
        raise unwritable(
            error, f"the store in {folder} cannot be written", remedy="choose another with --store"
        ) from error
    return Restored(folder=folder, backup=backup, set_aside=aside)


def _restore(file: Path, folder: Path, *, force: bool) -> Path | None:
    database, restoring = folder / DATABASE_NAME, folder / RESTORING
    replaces = _holds_something(folder)
    if replaces and not force:
        raise FileExists(
            f"there is a store in {folder}; nothing was changed",
            remedy="choose another with --store, or set it aside with --force",
        )
    try:
        _copied(file, restoring)
        reach("restore.copied")
        aside = _set_aside(folder) if replaces else None
        reach("restore.aside")
        for name in _BESIDE:
            database.with_name(f"{DATABASE_NAME}{name}").unlink(missing_ok=True)
        reach("restore.between")
        restoring.replace(database)
    except BaseException:
        with suppress(OSError):
            restoring.unlink(missing_ok=True)
        raise
    sync(folder)
    return aside


def _copied(file: Path, restoring: Path) -> None:
    """The backup beside the store, checked again: what was read may not be what was checked."""
    restoring.unlink(missing_ok=True)
    os.close(os.open(restoring, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(open_file(file)) as source, translated():
        copy_database(source, restoring)
    inspect(restoring, remedy=DAMAGED)
    with closing(sqlite3.connect(restoring, isolation_level=None)) as made, translated():
        # Who has read further in the store that is replaced or lost must not go on in this one's log.
        made.execute(statements()["set_meta"], (LOG_TAG, SystemIds().token()))
    sync(restoring)


def _holds_something(folder: Path) -> bool:
    """Whether a store would be lost: one that has no agent yet is none."""
    try:
        with Glance(folder) as glance:
            return bool(glance.view(ViewTx.newest_roots, 1))
    except StoreMissing:
        return False
    except StoreFault:  # damaged, newer or foreign: there is something that we cannot judge
        return True


def _set_aside(folder: Path) -> Path:
    """Give the old database a second name, with all that its log held. It stays in its place meanwhile."""
    database = folder / DATABASE_NAME
    _empty_the_log(folder)
    (folder / BACKUPS).mkdir(mode=0o700, exist_ok=True)
    aside = free_name(folder / BACKUPS, f"replaced-{stamp(SystemClock().now_us())}")
    log = database.with_name(f"{DATABASE_NAME}-wal")
    if log.exists() and log.stat().st_size:  # of a damaged store: nobody could move it into its database
        _second_name(log, aside.with_name(f"{aside.name}-wal"))
    _second_name(database, aside)
    sync(folder / BACKUPS)
    return aside


def _empty_the_log(folder: Path) -> None:
    """Move what the log holds into the database; a store that cannot be opened keeps its log.

    Raises `StoreBusy` while somebody reads the log.
    """
    try:
        with closing(open_writer(folder)) as connection, translated():
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except StoreFault:
        return
    if busy:
        raise StoreBusy("somebody reads the store just now", remedy="restore it again in a moment")


def _second_name(file: Path, name: Path) -> None:
    """A hard link, or where the file system has none, a copy."""
    try:
        os.link(file, name)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        shutil.copy2(file, name)
        sync(name)
