"""Killed in the middle of a migration or of a repair: the next start finds either all of it or nothing."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.observe.doctor import examine, repair
from postroom.store.connect import DATABASE_NAME
from postroom.store.migrate import APPLICATION_ID, current_version, migrations, schema, split
from postroom.store.sqlite import SqliteStore
from postroom.testing.crash import audit, play
from tests.fault.scenes import hello, mail

DIED = -signal.SIGKILL
STATEMENTS = sum(len(list(split(sql))) for _, sql in migrations()[1:])
OPEN = """
import sys
from pathlib import Path
from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.store.sqlite import SqliteStore
SqliteStore.open(Path(sys.argv[1]), SystemClock(), SystemIds())
"""
REPAIR = """
import sys
from pathlib import Path
from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.observe.doctor import repair
repair(Path(sys.argv[1]))
"""
DAMAGES = (
    "UPDATE branch SET n_cap = n_cap + 1",
    "UPDATE pair SET unacked = 4",
    "UPDATE turn SET state = 'running' WHERE id = 1",
    "UPDATE delivery SET state = 'accepted' WHERE kind = 'mail'",
    "UPDATE task SET state = 'queued', outcome = ''",
    "UPDATE chain SET tokens = 0",
)


def version(folder: Path) -> int:
    """The schema that the file says it has."""
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.fixture(scope="module")
def first_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store as the first version made it."""
    file = tmp_path_factory.mktemp("old") / DATABASE_NAME
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.executescript(migrations()[0][1])
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
    return file


@pytest.mark.parametrize("statement", range(1, STATEMENTS + 1))
def test_a_migration_that_is_killed_leaves_the_version_before_it(
    statement: int, first_version: Path, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    shutil.copy(first_version, tmp_path / "store")
    folder = tmp_path / "store"

    killed = {**os.environ, "POSTROOM_FAULT": f"migrate.between:{statement}"}
    died = subprocess.run([sys.executable, "-c", OPEN, str(folder)], env=killed, check=False)
    assert died.returncode == DIED, "it has fewer statements"
    assert version(folder) < current_version()
    SqliteStore.open(folder, SystemClock(), SystemIds()).close()

    assert version(folder) == current_version()
    assert examine(folder).findings == ()


@pytest.mark.parametrize("statement", [1, 2, len(schema()) // 2, len(schema())])
def test_a_new_store_whose_making_is_killed_is_no_store_yet(statement: int, tmp_path: Path) -> None:
    folder = tmp_path / "store"

    assert play(hello, folder, fault=f"migrate.between:{statement}") == DIED, "it has fewer statements"
    assert version(folder) == 0
    assert play(hello, folder) == 0

    assert version(folder) == current_version()
    assert audit(folder) == []


@pytest.mark.parametrize("nth", [1, 2, 3, 5, 8])
def test_a_repair_that_is_killed_is_finished_by_the_next(nth: int, tmp_path: Path) -> None:
    """What was mended stays mended, and nothing that was sound has changed."""
    folder = tmp_path / "store"
    assert play(mail, folder) == 0
    with closing(sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)) as connection:
        for statement in DAMAGES:
            assert connection.execute(statement).rowcount > 0
    ill = len(examine(folder).findings)

    killed = {**os.environ, "POSTROOM_FAULT": f"repair.between:{nth}"}
    died = subprocess.run([sys.executable, "-c", REPAIR, str(folder)], env=killed, check=False)
    assert died.returncode == DIED, "it had less to mend"
    assert len([f for f in examine(folder).findings if not f.harmless]) == ill - nth
    repair(folder)

    assert examine(folder).findings == ()
    assert play(mail, folder) == 0
    assert audit(folder) == []
