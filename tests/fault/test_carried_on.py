"""Kill -9 at every point of a turn that goes on: it ends once, and everything was read once."""

import signal
from collections import Counter
from pathlib import Path

import pytest

from postroom.domain.event import EventKind
from postroom.domain.turn import TurnState
from postroom.testing.crash import audit, play
from postroom.testing.crash.record import Record
from tests.fault.carried_scenes import carried, reviewed
from tests.fault.kills import AT_A_START, CUT_IN_THE_MIDDLE, IN_ANY_LIFE, Kill, kills

DIED = -signal.SIGKILL
ANYWHERE = list({kill.point: kill for kill in kills(IN_ANY_LIFE) if kill.scene is carried}.values())
"""The last time that each point is reached; the others are killed at too (`test_every_point`)."""
AT_START = [kill for kill in kills(AT_A_START) if kill.scene is carried]


@pytest.mark.parametrize("kill", ANYWHERE, ids=str)
def test_a_turn_that_was_cut_ends_once_and_well(kill: Kill, tmp_path: Path) -> None:
    """O-05, O-11, O-40: no turn is interrupted, none is begun in its place, no child is made twice."""
    folder = tmp_path / "store"

    assert play(kill.scene, folder, fault=kill.fault) == DIED, "the point was never reached"
    assert play(kill.scene, folder) == 0

    assert audit(folder) == []
    _is_as_if_nothing_had_happened(folder)


@pytest.mark.parametrize("kill", AT_START, ids=str)
def test_a_kill_while_a_turn_is_carried_on_changes_nothing(kill: Kill, tmp_path: Path) -> None:
    folder = tmp_path / "store"

    assert play(kill.scene, folder, fault=CUT_IN_THE_MIDDLE[kill.scene]) == DIED
    assert play(kill.scene, folder, fault=kill.fault) == DIED, "the point was never reached"
    assert play(kill.scene, folder) == 0

    assert audit(folder) == []
    _is_as_if_nothing_had_happened(folder)


def test_calls_that_reviewers_let_through_are_counted_once_whatever_dies(tmp_path: Path) -> None:
    """systems.md 2.9: what was used is kept over a crash."""
    folder = tmp_path / "store"

    assert play(reviewed, folder, fault="judge.after:2") == DIED
    assert play(reviewed, folder) == 0

    record = Record(folder)
    assert [event.num("reviews") for event in record.of_kind(EventKind.TURN_REVIEWED)] == [1, 2]
    assert audit(folder) == []


def _is_as_if_nothing_had_happened(folder: Path) -> None:
    record = Record(folder)
    ends = Counter(turn.txt("state") for turn in record.turns)
    made = [event for event in record.of_kind(EventKind.SESSION_CREATED) if event.num("parent_branch")]

    assert set(ends) == {TurnState.FINISHED}
    assert len(made) == 3
    assert sum(1 for _ in record.of_kind(EventKind.TURN_CAPPED)) >= 1
