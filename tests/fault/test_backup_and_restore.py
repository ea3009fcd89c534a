"""Killed while a backup is made or restored: file and store are the old one or the new one, whole."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from postroom.observe.backup import back_up, inspect
from postroom.observe.doctor import examine
from postroom.observe.restore import restore
from postroom.testing.crash import audit, play
from tests.acceptance.damage import shown
from tests.fault.scenes import hello, mail

DIED = -signal.SIGKILL
MAKE = """
import sys
from pathlib import Path
from postroom.observe.backup import back_up
back_up(Path(sys.argv[1]), Path(sys.argv[2]), force=True)
"""
RESTORE = """
import sys
from pathlib import Path
from postroom.observe.restore import restore
restore(Path(sys.argv[1]), Path(sys.argv[2]), force=True)
"""
CUT = "turn.before_model:6"
"""Where the process dies whose store is replaced: its last commits are in its log alone."""


def killed(program: str, first: Path, second: Path, point: str) -> int:
    """Run a program that is to die at a point; how it ended."""
    env = {**os.environ, "POSTROOM_FAULT": point}
    return subprocess.run([sys.executable, "-c", program, first, second], env=env, check=False).returncode


def test_a_backup_that_is_killed_leaves_the_older_one(tmp_path: Path) -> None:
    folder, file = tmp_path / "store", tmp_path / "b.db"
    assert play(hello, folder) == 0
    back_up(folder, file)
    before = file.read_bytes()
    assert play(mail, tmp_path / "other") == 0

    assert killed(MAKE, tmp_path / "other", file, "backup.copied") == DIED
    kept = file.read_bytes()
    back_up(tmp_path / "other", file, force=True)

    assert kept == before
    assert inspect(file).file_bytes == file.stat().st_size
    assert [path.name for path in tmp_path.glob("*b.db*")] == ["b.db"]


@pytest.mark.parametrize("point", ["restore.copied", "restore.aside", "restore.between"])
def test_a_restore_that_is_killed_leaves_the_store_that_was_there(tmp_path: Path, point: str) -> None:
    """With all that it had committed; and the next restore finds nothing in its way."""
    folder, file = tmp_path / "store", tmp_path / "b.db"
    assert play(hello, tmp_path / "other") == 0
    back_up(tmp_path / "other", file)
    assert play(mail, folder, fault=CUT) == DIED
    before = shown(folder)

    assert killed(RESTORE, file, folder, point) == DIED
    assert shown(folder) == before
    restore(file, folder, force=True)

    assert shown(folder) == shown(tmp_path / "other")
    assert examine(folder).ok


@pytest.mark.parametrize("point", ["restore.copied", "restore.aside", "restore.between"])
def test_a_store_goes_on_after_a_restore_that_was_killed(tmp_path: Path, point: str) -> None:
    folder, file = tmp_path / "store", tmp_path / "b.db"
    assert play(hello, tmp_path / "other") == 0
    back_up(tmp_path / "other", file)
    assert play(mail, folder, fault=CUT) == DIED

    assert killed(RESTORE, file, folder, point) == DIED
    assert play(mail, folder) == 0

    assert audit(folder) == []


def test_a_restored_store_goes_on_as_one_that_crashed(tmp_path: Path) -> None:
    """A backup of a store whose process died in the middle of two turns, restored and run."""
    folder = tmp_path / "store"
    assert play(mail, folder, fault=CUT) == DIED
    back_up(folder, tmp_path / "b.db")
    restore(tmp_path / "b.db", folder, force=True)

    assert play(mail, folder) == 0

    assert audit(folder) == []
