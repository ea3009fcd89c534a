"""The store contract when the world fails: a full disk, and a lock that another program holds."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from postroom.errors import StoreBusy, StoreFault, StoreFull
from postroom.store.connect import BUSY_TIMEOUT_MS, translated
from postroom.store.sqlite import SqliteStore
from tests.conformance.backends import SqliteBackend
from tests.conformance.records import a_session, log, note, notes

LONG = "x" * 200_000
"""A text that needs pages of its own."""


async def test_a_full_disk_is_said_and_leaves_nothing_half_written(
    backend: SqliteBackend, store: SqliteStore
) -> None:
    session = await store.write(a_session)
    backend.fill_disk(store)
    before = store.look(log)

    with pytest.raises(StoreFull) as caught:
        await store.write(note, session, LONG)

    assert caught.value.retryable
    assert caught.value.remedy
    assert (store.look(log), store.look(notes)) == (before, [])


async def test_writing_goes_on_when_there_is_room_again(backend: SqliteBackend, store: SqliteStore) -> None:
    session = await store.write(a_session)
    backend.fill_disk(store)
    with pytest.raises(StoreFull):
        await store.write(note, session, LONG)

    backend.make_room(store)

    assert await store.write(note, session, LONG) == LONG
    assert [e.seq for e in store.look(log)] == [1, 2]


async def test_on_a_full_disk_small_writes_of_the_same_batch_still_succeed(
    backend: SqliteBackend, store: SqliteStore
) -> None:
    session = await store.write(a_session)
    backend.fill_disk(store)

    outcomes = await asyncio.gather(
        store.write(note, session, "small"), store.write(note, session, LONG), return_exceptions=True
    )

    assert outcomes[0] == "small"
    assert isinstance(outcomes[1], StoreFull)
    assert store.look(notes) == ["small"]


async def test_a_lock_of_another_program_is_waited_for(backend: SqliteBackend, store: SqliteStore) -> None:
    """O-36: nobody fails, readers read all the time, and the loop stays free."""
    session = await store.write(a_session)
    backend.be_patient(store, 60_000)
    with backend.foreign_lock():
        writes = [asyncio.ensure_future(store.write(note, session, str(n))) for n in range(64)]
        for _ in range(20):
            await asyncio.wait(writes, timeout=0.01)
            assert await store.read(notes) == []
        assert not any(write.done() for write in writes)

    assert await asyncio.gather(*writes) == [str(n) for n in range(64)]
    assert len(store.look(notes)) == 64


def test_a_lock_of_three_seconds_is_waited_for_and_no_call_takes_fifteen() -> None:
    """O-36: a call may wait for the batch before its own too."""
    assert BUSY_TIMEOUT_MS > 3_000
    assert 2 * BUSY_TIMEOUT_MS < 15_000


async def test_a_lock_that_lasts_ends_every_call_with_a_fault_to_try_again(
    backend: SqliteBackend, store: SqliteStore
) -> None:
    """O-36: all calls end after one wait, not one after the other, and successes equal records."""
    session = await store.write(a_session)
    backend.be_patient(store, 300)
    with backend.foreign_lock(), backend.heard(store) as begun:
        outcomes = await asyncio.gather(
            *(store.write(note, session, str(n)) for n in range(64)), return_exceptions=True
        )

    assert all(isinstance(o, StoreBusy) and o.retryable for o in outcomes)
    assert begun == ["BEGIN IMMEDIATE"] * len(begun)
    assert len(begun) < 10
    assert store.look(notes) == []
    assert await store.write(note, session, "again") == "again"
    assert [e.seq for e in store.look(log)] == [1, 2]


async def test_a_session_that_began_under_a_lock_has_everything(
    backend: SqliteBackend, store: SqliteStore
) -> None:
    """O-36"""
    backend.be_patient(store, 60_000)
    with backend.foreign_lock():
        made = asyncio.ensure_future(store.write(a_session))
        await asyncio.wait([made], timeout=0.2)
        assert not made.done()
    session = await made

    assert await store.write(note, session, "here") == "here"
    assert [e.seq for e in store.look(log)] == [1, 2]


def test_a_sqlite_without_full_text_search_is_told_what_it_lacks() -> None:
    """A module that no build has stands in for the one that this build has."""
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(StoreFault) as caught,
        translated(),
    ):
        connection.execute("CREATE VIRTUAL TABLE words USING fts99 (text)")

    assert "FTS5" in caught.value.remedy
