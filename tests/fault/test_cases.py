"""The crash cases, each played as it is written: kill -9, boot, quiesce, look."""

import signal
from pathlib import Path

import pytest

from postroom.domain.task import Outcome, TaskState
from postroom.testing.crash import audit, play, start_child
from postroom.testing.crash.record import Record
from tests.fault.case_scenes import mailed, orphaned, staring, stubborn
from tests.fault.looks import history_of, mail_read, times_consumed

DIED = -signal.SIGKILL
PLACES = {
    "1 durably accepted": "accept.after:1",
    "2 recorded with the recipient": "ring.before:2",
    "3 acknowledged to the sender": "calls.between:1",
    "4 the wake is scheduled": "close_round.after:1",
}


@pytest.mark.parametrize("fault", PLACES.values(), ids=PLACES.keys())
def test_mail_of_a_dead_sender_is_read_once_and_before_the_next(fault: str, tmp_path: Path) -> None:
    """O-05 (1) to (4): whatever came after the durable accept is made up for, once."""
    folder = tmp_path / "store"

    assert play(mailed, folder) == 0
    assert play(mailed, folder, fault=fault) == DIED
    assert play(mailed, folder) == 0

    assert mail_read(folder) == ["m", "m2"]
    assert times_consumed(folder) == {"m": 1, "m2": 1}
    assert audit(folder) == []


def test_mail_whose_reader_dies_while_it_thinks_is_read_once_and_before_the_next(tmp_path: Path) -> None:
    """O-05 (5): killed while the recipient's model call is open."""
    folder = tmp_path / "store"

    assert play(mailed, folder) == 0
    cut = start_child(mailed, folder)
    cut.sign("asked")
    cut.kill()
    assert play(mailed, folder) == 0

    assert mail_read(folder) == ["m", "m2"]
    assert times_consumed(folder) == {"m": 1, "m2": 1}
    assert audit(folder) == []


def test_a_call_whose_send_was_accepted_before_the_kill_keeps_its_receipt(tmp_path: Path) -> None:
    """O-04 c: the same message id after the boot, and one delivery."""
    folder = tmp_path / "store"

    assert play(mailed, folder) == 0
    assert play(mailed, folder, fault="accept.after:1") == DIED
    [sent] = [m.txt("public_id") for m in Record(folder).messages if m.txt("kind") == "mail"]
    assert play(mailed, folder) == 0

    [lead] = history_of(folder, "lead")
    assert [item.role for item in lead if f"message_id: {sent}" in item.text] == ["tool"]
    assert times_consumed(folder)["m"] == 1
    assert audit(folder) == []


def test_claimed_mail_outlives_three_deaths_and_frees_its_windows(tmp_path: Path) -> None:
    """O-12: claimable at once after each boot, attempts stored, caps exact after the success."""
    folder = tmp_path / "store"

    for lives in (1, 2, 3):
        cut = start_child(stubborn, folder)
        cut.sign("asked")
        cut.kill()
        mails = [d for d in Record(folder).deliveries if d.txt("kind") == "mail"]
        assert [(d.txt("state"), d.num("attempts")) for d in mails] == [("claimed", lives)] * 2
    assert play(stubborn, folder) == 0

    assert mail_read(folder) == ["m1", "m2", "m3", "m4"]
    assert set(times_consumed(folder).values()) == {1}
    assert audit(folder) == []


def test_an_interrupted_tool_gets_one_result_and_the_mail_comes_behind_it(tmp_path: Path) -> None:
    """O-11 b: one result, then the person's text, then the steer; the same after another restart."""
    folder = tmp_path / "store"

    cut = start_child(staring, folder)
    cut.sign("written")
    cut.kill()
    assert play(staring, folder) == 0
    [first] = history_of(folder, "reader")
    assert play(staring, folder) == 0

    [second] = history_of(folder, "reader")
    assert second == first
    [place] = [i for i, item in enumerate(first) if item.role == "tool"]
    assert "interrupted" in first[place].text
    assert [(i.provenance, i.role) for i in first[place + 1 : place + 3]] == [
        ("user", "user"),
        ("agent", "user"),
    ]
    assert (first[place + 1].text, "\ns1\n" in first[place + 2].text) == ("u1", True)
    assert audit(folder) == []


def test_children_that_died_with_the_process_are_reported_as_interrupted(tmp_path: Path) -> None:
    """O-40: the killed child, both the one that was waited for and the one in the background."""
    folder = tmp_path / "store"

    cut = start_child(orphaned, folder)
    cut.sign("digging alone")
    cut.sign("digging for me")
    cut.process.kill()
    assert cut.ended() == DIED
    assert play(orphaned, folder) == 0

    record = Record(folder)
    assert {(t.txt("state"), t.txt("outcome")) for t in record.tasks} == {
        (TaskState.ERRORED, Outcome.INTERRUPTED)
    }
    [lead] = history_of(folder, "lead")
    told = [item.text for item in lead if "subagent_notification" in item.text]
    assert len(told) == len(record.tasks)
    assert all('status="interrupted"' in text for text in told)
    assert audit(folder) == []
