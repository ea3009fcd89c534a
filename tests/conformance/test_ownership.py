"""The store contract: one process owns a store, and the kernel alone says which (O-35)."""

import os

import pytest

from postroom.errors import StoreInUse
from postroom.store.lock import LOCK_NAME, is_held
from tests.conformance.backends import SqliteBackend
from tests.conformance.process import Holder
from tests.conformance.records import a_session, log, note, notes


def test_a_second_owner_is_refused_and_leaves_the_lock_whole(backend: SqliteBackend) -> None:
    """O-35: with the holder's pid and the remedy."""
    with Holder(backend.folder) as holder:
        assert holder.hears() == "holds"
        before = (backend.folder / LOCK_NAME).read_bytes()

        with pytest.raises(StoreInUse, match=f"pid {holder.pid}") as caught:
            backend.open()

        assert caught.value.remedy
        assert (backend.folder / LOCK_NAME).read_bytes() == before == f"{holder.pid}\n".encode()
        assert is_held(backend.folder)
        holder.tell("still here")
        assert holder.hears() == "still here"


def test_one_process_cannot_own_a_store_twice(backend: SqliteBackend) -> None:
    backend.open()

    with pytest.raises(StoreInUse):
        backend.open()


def test_of_three_starters_one_gets_the_store(backend: SqliteBackend) -> None:
    """O-35: again and again, while the holder before goes away."""
    for _ in range(3):
        with Holder(backend.folder) as one, Holder(backend.folder) as two, Holder(backend.folder) as three:
            said = sorted(holder.hears() for holder in (one, two, three))

            assert said == ["holds", "store_in_use", "store_in_use"]


def test_a_killed_owner_frees_the_store_without_cleaning_up(backend: SqliteBackend) -> None:
    """O-35: kill -9, then a new start; everything receipted is there."""
    with Holder(backend.folder) as holder:
        assert holder.hears() == "holds"
        holder.tell("before the end")
        assert holder.hears() == "before the end"
        holder.kill()

        assert not is_held(backend.folder)
        assert backend.open().look(notes) == ["before the end"]


def test_a_lock_file_that_names_a_living_stranger_blocks_nobody(backend: SqliteBackend) -> None:
    """O-35: no pid is ever believed."""
    backend.open().close()
    (backend.folder / LOCK_NAME).write_text(f"{os.getppid()}\n")

    store = backend.open()

    assert (backend.folder / LOCK_NAME).read_text() == f"{os.getpid()}\n"
    store.close()


def test_a_frozen_owner_keeps_the_store_and_goes_on_after_the_thaw(backend: SqliteBackend) -> None:
    """O-35: SIGSTOP, a second start, SIGCONT; a reader reads all the time."""
    with Holder(backend.folder) as holder:
        assert holder.hears() == "holds"
        reader = backend.open(read_only=True)
        holder.freeze()
        assert len(reader.look(log)) == 1
        with pytest.raises(StoreInUse):
            backend.open()

        holder.thaw()
        holder.tell("awake")

        assert holder.hears() == "awake"
        assert reader.look(notes) == ["awake"]


async def test_a_reader_reads_before_while_and_after_somebody_owns_the_store(backend: SqliteBackend) -> None:
    """O-35: it takes nothing and blocks nobody."""
    backend.open().close()
    reader = backend.open(read_only=True)
    assert reader.look(notes) == []
    with Holder(backend.folder) as holder:
        assert holder.hears() == "holds"
        holder.tell("one")
        assert holder.hears() == "one"
        assert reader.look(notes) == ["one"]
        holder.kill()
        assert reader.look(notes) == ["one"]

    store = backend.open()
    await store.write(note, await store.write(a_session), "two")

    assert reader.look(notes) == ["one", "two"]


def test_a_closed_store_names_no_owner(backend: SqliteBackend) -> None:
    backend.open().close()

    assert not is_held(backend.folder)
    assert (backend.folder / LOCK_NAME).read_text() == ""
