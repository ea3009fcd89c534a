"""Checks about restarts, each with a real kill -9: accepted, claimed, and written to while in no memory."""

import signal
from pathlib import Path

import pytest

from postroom.testing.crash import audit, play, start_child
from postroom.testing.crash.record import Record
from tests.fault.case_scenes import mailed
from tests.fault.check_scenes import lined_up
from tests.fault.looks import history_of, mail_read, times_consumed

DIED = -signal.SIGKILL


def _mails(folder: Path) -> list[str]:
    return [d.txt("state") for d in Record(folder).deliveries if d.txt("kind") == "mail"]


def _deeds(folder: Path, *, of: int) -> list[str]:
    """What the log says of the n-th mail, in order."""
    record = Record(folder)
    mails = [d.num("id") for d in record.deliveries if d.txt("kind") == "mail"]
    kinds = (
        "message.accepted",
        "message.claimed",
        "message.released",
        "message.consumed",
        "message.discarded",
    )
    return [e.kind for e in record.events if e.kind in kinds and e.num("delivery") == mails[of]]


@pytest.mark.parametrize("fault", ["accept.after:1", "calls.between:1", "close_round.before:1"])
def test_mail_that_was_accepted_and_not_delivered_is_delivered_once_after_a_kill(
    fault: str, tmp_path: Path
) -> None:
    """CK-13: it lies in the mailbox when the process dies, and nobody has read it."""
    folder = tmp_path / "store"

    assert play(lined_up, folder) == 0
    assert play(lined_up, folder, fault=fault) == DIED
    assert _mails(folder) == ["accepted"]
    assert play(lined_up, folder) == 0

    assert mail_read(folder)[0] == "m"
    assert times_consumed(folder)["m"] == 1
    assert _deeds(folder, of=0) == ["message.accepted", "message.claimed", "message.consumed"]
    assert audit(folder) == []


def test_a_claim_that_a_kill_left_open_is_released_and_claimed_again(tmp_path: Path) -> None:
    """CK-14: the log says both, and the reader's next request holds the text once."""
    folder = tmp_path / "store"

    assert play(mailed, folder) == 0
    cut = start_child(mailed, folder)
    cut.sign("asked")
    cut.kill()
    assert _mails(folder) == ["claimed"]
    assert play(mailed, folder) == 0

    assert _deeds(folder, of=0) == [
        "message.accepted", "message.claimed", "message.released", "message.claimed", "message.consumed",
    ]  # fmt: skip
    [reader] = history_of(folder, "reader")
    assert sum("\nm\n" in item.text for item in reader) == 1
    assert audit(folder) == []


@pytest.mark.parametrize("fault", ["accept.after:1", "ring.before:2"])
def test_a_recipient_that_is_in_no_process_is_opened_by_a_send(fault: str, tmp_path: Path) -> None:
    """CK-36: its process is gone; the send wakes it where its conversation has ended, also across a kill."""
    folder = tmp_path / "store"

    assert play(mailed, folder) == 0
    [before] = history_of(folder, "reader")
    assert play(mailed, folder, fault=fault) == DIED
    assert play(mailed, folder) == 0

    [after] = history_of(folder, "reader")
    assert after[: len(before)] == before
    assert mail_read(folder) == ["m", "m2"]
    assert audit(folder) == []
