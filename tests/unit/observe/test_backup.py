"""A store as one file and back: whole, checked, and never in place of something that nobody gave up."""

import asyncio
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from postroom.app import Postroom
from postroom.errors import (
    Fault,
    FileExists,
    FileFailed,
    StoreCorrupt,
    StoreInUse,
    StoreMissing,
    StoreNewer,
)
from postroom.observe.backup import back_up
from postroom.observe.doctor import examine
from postroom.observe.restore import restore
from postroom.store.connect import DATABASE_NAME
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.damage import digest, shown, sql, used_store
from tests.acceptance.family import family, send


def bodies(folder: Path) -> list[str]:
    """Every text that the store has."""
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        return [row[0] for row in connection.execute("SELECT body FROM message ORDER BY id")]


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


async def small_store(world: World, text: str = "hello") -> Path:
    """A store with one conversation of one turn."""
    world.agent("ann", say("done"))
    await world.prompt("ann", text)
    await world.turn_end("ann")
    await world.close()
    return world.folder


async def test_a_restored_store_is_the_store_that_was_copied(world: World, tmp_path: Path) -> None:
    folder, file = await used_store(world), tmp_path / "b.db"

    made = back_up(folder, file)
    restore(file, tmp_path / "new")

    assert shown(tmp_path / "new") == shown(folder)
    assert examine(tmp_path / "new").ok
    assert made.file_bytes == file.stat().st_size
    assert names(tmp_path / "new") == ["lock", DATABASE_NAME]


async def test_a_backup_beside_a_process_that_writes_is_whole(world: World, tmp_path: Path) -> None:
    """All that was accepted before it began is in it, and nothing is there in halves."""
    root, _ = await family(world, "b")
    for n in range(4):
        await root.does(send(world.handle("b"), f"before {n}", "queue"))
        copying = asyncio.create_task(asyncio.to_thread(back_up, world.folder, tmp_path / f"{n}.db"))
        session = world.views()[0].session_id
        while not copying.done():
            await world.room.send(session, "meanwhile", mode="queue")
        await copying
        restore(tmp_path / f"{n}.db", tmp_path / f"store-of-{n}")

        assert examine(tmp_path / f"store-of-{n}").ok
        assert [b for b in bodies(tmp_path / f"store-of-{n}") if b == f"before {n}"]


async def test_turns_that_ran_at_the_backup_are_recovered_as_after_a_crash(
    world: World, tmp_path: Path
) -> None:
    root, _ = await family(world, "b")
    await root.does(send(world.handle("b"), "mail on its way"))
    back_up(world.folder, tmp_path / "b.db")
    await world.crash()
    restore(tmp_path / "b.db", world.folder, force=True)

    await world.open()

    ended = world.events("turn.ended")
    assert {event.facts["state"] for event in ended} == {"interrupted"}
    assert len(ended) == 2
    assert [event.facts["epoch"] for event in world.events("process.started")] == [1, 2]
    await world.close()
    assert examine(world.folder).ok


async def test_a_backup_replaces_no_file_unless_it_is_told_to(world: World, tmp_path: Path) -> None:
    folder, file = await small_store(world), tmp_path / "b.db"
    file.write_text("precious")

    with pytest.raises(FileExists):
        back_up(folder, file)
    kept = file.read_text()
    back_up(folder, file, force=True)

    assert kept == "precious"
    assert restore(file, tmp_path / "new").backup.file_bytes == file.stat().st_size
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", [DATABASE_NAME, f"{DATABASE_NAME}-wal"])
async def test_a_backup_never_replaces_the_store_itself(world: World, tmp_path: Path, name: str) -> None:
    folder = await small_store(world)
    (tmp_path / "link").symlink_to(folder / name)
    before = digest(folder)

    with pytest.raises(FileExists):
        back_up(folder, tmp_path / "link", force=True)

    assert digest(folder) == before


async def test_a_backup_that_cannot_be_written_leaves_nothing(world: World, tmp_path: Path) -> None:
    folder = await small_store(world)
    (tmp_path / "out").mkdir()

    with pytest.raises(FileFailed):
        back_up(folder, tmp_path / "out" / ("x" * 300))
    with pytest.raises(FileFailed):
        back_up(folder, tmp_path / "nowhere" / "b.db")

    assert names(tmp_path / "out") == []


async def test_a_damaged_store_is_not_backed_up_in_silence(world: World, tmp_path: Path) -> None:
    folder = await used_store(world)
    tear(folder / DATABASE_NAME)

    with pytest.raises(StoreCorrupt, match="postroom doctor"):
        back_up(folder, tmp_path / "b.db")

    assert names(tmp_path) == ["store-0"]


def test_there_is_no_backup_without_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        back_up(tmp_path / "none", tmp_path / "b.db")

    assert names(tmp_path) == []


def tear(file: Path) -> None:
    """Overwrite pages in the middle of a database."""
    with file.open("r+b") as damaged:
        for page in range(3, 40):
            damaged.seek(page * 4096)
            damaged.write(os.urandom(64))


def shorten(file: Path) -> None:
    """Cut the file to its half."""
    os.truncate(file, file.stat().st_size // 2)


def empty(file: Path) -> None:
    """Leave nothing of it."""
    os.truncate(file, 0)


def replace_by_text(file: Path) -> None:
    """Something that is no database."""
    file.write_text("hello" * 1000)


def replace_by_another_program(file: Path) -> None:
    """A database of somebody else."""
    file.unlink()
    sqlite3.connect(file).executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1);")


def make_newer(file: Path) -> None:
    """Written by a later version."""
    sqlite3.connect(file).execute("PRAGMA user_version = 999")


def remove(file: Path) -> None:
    """No file at all."""
    file.unlink()


def replace_by_folder(file: Path) -> None:
    """A folder in its place."""
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (tear, StoreCorrupt), (shorten, StoreCorrupt), (empty, StoreCorrupt), (replace_by_text, StoreCorrupt),
        (replace_by_another_program, StoreCorrupt), (make_newer, StoreNewer), (remove, FileFailed),
        (replace_by_folder, FileFailed),
    ],
)  # fmt: skip
async def test_what_is_no_sound_backup_is_not_restored(
    world: World, tmp_path: Path, damage: Callable[[Path], None], fault: type[Fault]
) -> None:
    folder, file = await used_store(world), tmp_path / "b.db"
    back_up(folder, file)
    damage(file)
    before = digest(folder)

    for into in (folder, tmp_path / "new"):
        with pytest.raises(fault):
            restore(file, into, force=True)

    assert digest(folder) == before
    assert not (tmp_path / "new").exists()


async def test_a_store_that_runs_is_not_replaced(world: World, tmp_path: Path) -> None:
    world.agent("ann", say("done"))
    await world.prompt("ann", "hello")
    await world.turn_end("ann")
    back_up(world.folder, tmp_path / "b.db")

    with pytest.raises(StoreInUse):
        restore(tmp_path / "b.db", world.folder, force=True)

    await world.check()


async def test_a_store_that_is_there_is_kept_or_set_aside(world: World, tmp_path: Path) -> None:
    folder, file = await small_store(world, "old"), tmp_path / "b.db"
    back_up(folder, file)
    sql(folder, "UPDATE message SET body = 'newer' WHERE id = 1")
    before = digest(folder)

    with pytest.raises(FileExists):
        restore(file, folder)
    kept = digest(folder)
    done = restore(file, folder, force=True)
    assert done.set_aside is not None
    again = restore(done.set_aside, tmp_path / "aside")

    assert kept == before
    assert bodies(folder)[0] == "old"
    assert bodies(again.folder)[0] == "newer"


async def test_what_only_the_log_of_the_old_store_held_is_set_aside_with_it(
    world: World, tmp_path: Path
) -> None:
    """A process that was killed leaves commits in the write-ahead log, which must not reach the new store."""
    folder, file = await small_store(world, "old"), tmp_path / "b.db"
    back_up(folder, file)
    killed = tmp_path / "killed"
    killed.mkdir()
    with closing(sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)) as connection:
        connection.execute("UPDATE message SET body = 'in the log' WHERE id = 1")
        for name in (DATABASE_NAME, f"{DATABASE_NAME}-wal"):
            shutil.copy(folder / name, killed / name)

    done = restore(file, killed, force=True)
    assert done.set_aside is not None
    restore(done.set_aside, tmp_path / "aside")

    assert bodies(killed)[0] == "old"
    assert bodies(tmp_path / "aside")[0] == "in the log"


@pytest.mark.parametrize("damage", [tear, shorten, replace_by_text, replace_by_another_program, make_newer])
async def test_a_store_that_cannot_be_opened_is_replaced_only_if_it_is_given_up(
    world: World, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder, file = await used_store(world), tmp_path / "b.db"
    back_up(folder, file)
    damage(folder / DATABASE_NAME)
    damaged = (folder / DATABASE_NAME).stat().st_size

    with pytest.raises(FileExists):
        restore(file, folder)
    done = restore(file, folder, force=True)

    assert examine(folder).ok
    assert done.set_aside is not None
    assert done.set_aside.stat().st_size == damaged


async def test_a_store_without_agents_is_no_loss(world: World, tmp_path: Path) -> None:
    folder, file = await small_store(world), tmp_path / "b.db"
    back_up(folder, file)
    async with Postroom.open(tmp_path / "empty"):
        pass
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / DATABASE_NAME).touch()

    for name in ("empty", "begun"):
        assert restore(file, tmp_path / name).set_aside is None
        assert bodies(tmp_path / name) == ["hello"]


async def test_a_backup_that_the_doctor_made_can_be_restored(world: World, tmp_path: Path) -> None:
    """Its log is beside it where somebody has looked into it."""
    folder, file = await small_store(world), tmp_path / "b.db"
    back_up(folder, file)
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE message SET body = 'looked at'")

    restore(file, tmp_path / "new")
    connection.close()

    assert bodies(tmp_path / "new")[0] == "looked at"
