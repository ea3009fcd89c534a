"""Kill -9 at every named point, start again: nothing is lost, nothing is doubled (G1, G2, G3, G6, G8)."""

import signal
from pathlib import Path

import pytest

from postroom.testing.crash import Journal, audit, play
from tests.fault.kills import AT_A_START, CUT_IN_THE_MIDDLE, IN_ANY_LIFE, Kill, kills, random_kills

DIED = -signal.SIGKILL


@pytest.mark.parametrize("kill", list(kills(IN_ANY_LIFE)), ids=str)
def test_a_kill_at_this_point_loses_nothing_and_doubles_nothing(kill: Kill, tmp_path: Path) -> None:
    folder = tmp_path / "store"

    assert play(kill.scene, folder, fault=kill.fault) == DIED, "the point was never reached"
    assert play(kill.scene, folder) == 0

    assert audit(folder) == []


@pytest.mark.parametrize("kill", list(kills(AT_A_START)), ids=str)
def test_a_second_kill_while_the_first_is_mended_changes_nothing(kill: Kill, tmp_path: Path) -> None:
    folder = tmp_path / "store"

    assert play(kill.scene, folder, fault=CUT_IN_THE_MIDDLE[kill.scene]) == DIED
    assert play(kill.scene, folder, fault=kill.fault) == DIED, "the point was never reached"
    assert play(kill.scene, folder) == 0

    assert audit(folder) == []


@pytest.mark.parametrize("seed", range(30))
def test_kills_in_three_lives_in_a_row_lose_nothing_and_double_nothing(seed: int, tmp_path: Path) -> None:
    """I8: when all is quiet again, one more start asks no model anything."""
    folder = tmp_path / "store"
    first, *later = random_kills(seed, 3)

    assert play(first.scene, folder, fault=first.fault) == DIED, f"{first} was never reached"
    assert {play(kill.scene, folder, fault=kill.fault) for kill in later} <= {DIED, 0}
    assert play(first.scene, folder) == 0
    asked = len(Journal(folder).entries("asked"))
    assert play(first.scene, folder) == 0, "one more start, and nothing to do"

    assert len(Journal(folder).entries("asked")) == asked
    assert audit(folder) == []
