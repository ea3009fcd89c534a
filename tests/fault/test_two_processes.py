"""O-35: one store, one process that runs it; whoever comes second is told so and leaves all as it was."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.errors import Fault
from postroom.ids import SystemIds
from postroom.observe import views
from postroom.store.lock import LOCK_NAME, StoreLock, is_held
from postroom.store.sqlite import SqliteStore
from postroom.testing.crash import Child, Journal, audit, play, start_child
from tests.fault.case_scenes import guarded, hasty
from tests.fault.scenes import hello

IN_USE = 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with a past."""
    assert play(hello, tmp_path / "store") == 0
    return tmp_path / "store"


@contextmanager
def reader(folder: Path) -> Iterator[list[int]]:
    """Somebody who only looks, all the time; how much was seen in each look. No look may fail."""
    seen: list[int] = []
    trouble: list[Fault] = []
    enough, looked = threading.Event(), threading.Event()

    def look() -> None:
        while not enough.is_set():
            try:
                is_held(folder)
                store = SqliteStore.open(folder, SystemClock(), SystemIds(), read_only=True)
                seen.append(len(store.look(views.agents, None)))
                store.close()
            except Fault as fault:
                trouble.append(fault)
            looked.set()

    thread = threading.Thread(target=look)
    thread.start()
    looked.wait()
    try:
        yield seen
    finally:
        enough.set()
        thread.join()
    assert trouble == []


def owner(folder: Path) -> Child:
    """A process that owns the store until it is told to go on."""
    child = start_child(guarded, folder)
    child.sign("owns")
    return child


def test_a_second_runner_is_refused_and_leaves_the_lock_whole(folder: Path) -> None:
    """O-35: the refusal names the holder; the holder goes on."""
    first = owner(folder)
    lock = (folder / LOCK_NAME).read_text()

    second = start_child(hello, folder)
    assert second.ended() == IN_USE
    assert f"store_in_use: another process runs this store (pid {first.pid})" in second.errors()
    assert (folder / LOCK_NAME).read_text() == lock == f"{first.pid}\n"
    first.go()
    assert first.ended() == 0

    assert audit(folder) == []


def test_starters_that_race_while_the_holder_leaves_never_run_together(folder: Path) -> None:
    """O-35: three starters in a loop, and somebody who reads all the time."""
    with reader(folder) as seen:
        for _ in range(4):
            holder = owner(folder)
            holder.go()
            starters = [start_child(hasty, folder) for _ in range(3)]
            assert {child.ended() for child in starters} <= {0, IN_USE}
            assert holder.ended() == 0
            assert play(hasty, folder) == 0

    journal = Journal(folder)
    both = [entry for entry in journal.entries() if entry["note"] in ("took", "left")]
    assert [entry["note"] for entry in both] == ["took", "left"] * (len(both) // 2)
    assert [entry["pid"] for entry in both[::2]] == [entry["pid"] for entry in both[1::2]]
    assert seen == sorted(seen)
    assert audit(folder) == []


def test_the_store_of_a_killed_process_is_free_at_once(folder: Path) -> None:
    """O-35: kill -9 and start; no file has to be removed by hand."""
    with reader(folder):
        owner(folder).kill()
        assert play(hello, folder) == 0

    assert audit(folder) == []


def test_somebody_who_only_looks_never_keeps_a_runner_out(folder: Path) -> None:
    """O-35: `ps` asks whether the store is held; a start in that very moment is no second runner."""
    looking = "import sys\nfrom pathlib import Path\nfrom postroom.store.lock import is_held\n"
    looking += "print(flush=True)\nwhile True: is_held(Path(sys.argv[1]))"
    looker = subprocess.Popen([sys.executable, "-c", looking, str(folder)], stdout=subprocess.PIPE)
    try:
        assert looker.stdout is not None
        looker.stdout.readline()
        for _ in range(500):
            lock = StoreLock(folder)
            lock.take()
            lock.release()
    finally:
        looker.kill()
        looker.communicate()


def test_a_lock_file_that_names_an_unrelated_live_process_blocks_nobody(folder: Path) -> None:
    """O-35: a stale pid is never believed."""
    (folder / LOCK_NAME).write_text(f"{os.getpid()}\n")

    assert play(hello, folder) == 0

    assert audit(folder) == []


def test_a_frozen_holder_keeps_its_store_and_goes_on_when_it_thaws(folder: Path) -> None:
    """O-35: SIGSTOP, a second runner, SIGCONT."""
    first = owner(folder)
    first.freeze()

    with reader(folder):
        assert play(hello, folder) == IN_USE
        first.thaw()
        first.go()
        assert first.ended() == 0

    assert play(hello, folder) == 0
    assert audit(folder) == []
