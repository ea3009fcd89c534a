"""Killed in the middle of a migration or of a repair: the next start finds either all of it or nothing."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from postroom.observe.doctor import examine, repair
from postroom.store.connect import DATABASE_NAME
from postroom.store.migrate import current_version, migrations, split
from postroom.testing.crash import audit, play
from tests.fault.scenes import hello, mail

DIED = -signal.SIGKILL
STATEMENTS = sum(len(list(split(sql))) for _, sql in migrations())
REPAIR = """
import sys
from pathlib import Path
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


@pytest.mark.parametrize("statement", range(1, STATEMENTS + 1))
def test_a_migration_that_is_killed_leaves_the_version_before_it(statement: int, tmp_path: Path) -> None:
    folder = tmp_path / "store"

    assert play(hello, folder, fault=f"migrate.between:{statement}") == DIED, "it has fewer statements"
    assert version(folder) < current_version()
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
