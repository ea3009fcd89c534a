"""The audit can fail: a core that is wrong on purpose is caught, and so is every kind of damaged row.

Nothing in the product can be switched to be wrong. A child is killed, a transaction function of this
file, with one mistake, does what recovery or a use case should have done, and the child plays on.
"""

import asyncio
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.domain.chain import ChainLimits
from postroom.domain.keys import BranchKey
from postroom.domain.message import Kind, Mode, State
from postroom.domain.task import Outcome, TaskState
from postroom.domain.turn import TurnState
from postroom.ids import SystemIds
from postroom.service.facts import Ring
from postroom.service.wake import wake
from postroom.store.rows import TurnRow
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter
from postroom.testing.crash import Journal, Trouble, audit, play
from postroom.testing.crash.record import Record
from tests.fault.kills import Build
from tests.fault.scenes import hello, mail, paths, tasks

DIED = -signal.SIGKILL
Wrong = Callable[[Tx], object]


def cut_turns(tx: Tx) -> list[TurnRow]:
    """The turns that a kill has left alive."""
    return [row for turn in tx.live_turns() if (row := tx.turn_row(turn)) is not None]


def end_without_its_calls(tx: Tx) -> None:
    """Ends the turn and leaves its calls open."""
    for row in cut_turns(tx):
        tx.end_turn(row, TurnState.INTERRUPTED, "wrong")


def release_without_the_node(tx: Tx) -> None:
    """Releases what the turn has claimed and forgets that it stands in the conversation already."""
    for row in cut_turns(tx):
        for item in tx.claimed(row.turn):
            tx.move(item, State.ACCEPTED, replace(item, turn=None, node=None))
        tx.end_turn(row, TurnState.INTERRUPTED, "wrong")
        wake(tx, Ring(), BranchKey(row.branch))


def read_without_an_answer(tx: Tx) -> None:
    """Takes the mail of a cut turn for read, although no answer was committed."""
    for row in cut_turns(tx):
        for item in tx.claimed(row.turn):
            tx.consume(row.session, item, row.turn, row.rounds + 1)
        tx.end_turn(row, TurnState.INTERRUPTED, "wrong")


def end_the_task_in_silence(tx: Tx) -> None:
    """Ends the task of a cut child and tells nobody."""
    for row in cut_turns(tx):
        if row.task is not None:
            tx.end_task(row.session, row.task, TaskState.ERRORED, Outcome.FAILED, "wrong", "", None)


def post_once_more(tx: Tx) -> None:
    """Posts the person's text again, without looking for its client id."""
    session = tx.session_by_public_id(first_session(tx))
    assert session is not None
    to = tx.recipient_by_branch(None, session.active_branch)
    chain = tx.insert_chain(to.session, ChainLimits())
    tx.post(Letter(kind=Kind.USER, mode=Mode.QUEUE, body="Hello!", chain=chain), to, "queued")
    wake(tx, Ring(), session.active_branch)


def first_session(tx: Tx) -> str:
    """The public id of the oldest agent."""
    [root] = tx.newest_roots(1)
    return tx.agents_of_tree(root)[0].session_id


def acknowledge_without_posting(tx: Tx) -> str:
    """A receipt for nothing."""
    return tx.new_id()


def meddle(folder: Path, wrong: Wrong) -> object:
    """Let a wrong transaction function at a store that nobody runs."""

    async def write() -> object:
        store = SqliteStore.open(folder, SystemClock(), SystemIds())
        try:
            return await store.write(wrong)
        finally:
            store.close()

    return asyncio.run(write())


MISTAKES: list[tuple[Build, str, Wrong, Trouble]] = [
    (mail, "turn.before_calls:1", end_without_its_calls, Trouble.LOST),
    (mail, "turn.before_calls:1", end_without_its_calls, Trouble.INVALID),
    (hello, "turn.before_model:1", release_without_the_node, Trouble.DOUBLED),
    (hello, "turn.before_model:1", read_without_an_answer, Trouble.LOST),
    (mail, "turn.before_model:3", end_the_task_in_silence, Trouble.LOST),
    (tasks, "turn.before_model:2", end_the_task_in_silence, Trouble.LOST),
    (hello, "turn.before_model:1", post_once_more, Trouble.DOUBLED),
]


@pytest.mark.parametrize(
    ("scene", "fault", "wrong", "trouble"), MISTAKES, ids=[f"{m[2].__name__}-{m[3]}" for m in MISTAKES]
)
def test_a_core_with_this_mistake_is_caught(
    scene: Build, fault: str, wrong: Wrong, trouble: Trouble, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    assert play(scene, folder, fault=fault) == DIED

    meddle(folder, wrong)
    assert play(scene, folder) == 0

    assert trouble in {finding.trouble for finding in audit(folder)}


def test_a_receipt_for_mail_that_was_never_posted_is_lost_mail(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    assert play(hello, folder) == 0

    told = str(meddle(folder, acknowledge_without_posting))
    Journal(folder).note("told", client_id="hollow", body="never posted", message_id=told)

    assert [finding.trouble for finding in audit(folder)] == [Trouble.LOST]


READ = "(SELECT max(id) FROM delivery WHERE state = 'consumed' AND kind = 'mail')"
DAMAGES: dict[str, tuple[str, Trouble]] = {
    "a message is gone": ("DELETE FROM message WHERE id = READ", Trouble.LOST),
    "a delivery is gone": ("DELETE FROM delivery WHERE id = READ", Trouble.LOST),
    "a delivery stands twice": (
        """INSERT INTO delivery (message_id, recipient_branch_id, kind, mode, state, seq, accepted_us)
        SELECT message_id, recipient_branch_id, kind, mode, state, seq, 0 FROM delivery WHERE id = READ""",
        Trouble.DOUBLED,
    ),
    "read mail waits again": ("UPDATE delivery SET state = 'accepted' WHERE id = READ", Trouble.INVALID),
    "read mail is in no conversation": ("UPDATE delivery SET node_id = NULL WHERE id = READ", Trouble.LOST),
    "mail stands twice in a conversation": (
        """UPDATE node SET message_id = (SELECT min(message_id) FROM node WHERE session_id = 2)
        WHERE session_id = 2 AND role = 'user'""",
        Trouble.DOUBLED,
    ),
    "a receipt names another message": (
        "UPDATE message SET public_id = 'another' WHERE id = READ", Trouble.LOST,
    ),
    "a body has changed": ("UPDATE message SET body = 'another' WHERE id = READ", Trouble.INVALID),
    "the person's text changed": ("UPDATE message SET body = 'another' WHERE kind = 'user'", Trouble.LOST),
    "a call has no result": ("UPDATE call SET result = NULL WHERE id = 1", Trouble.LOST),
    "a call is gone": ("DELETE FROM call WHERE id = 2", Trouble.INVALID),
    "a result has changed": ("UPDATE call SET result = 'another' WHERE id = 1", Trouble.INVALID),
    "a call has sent two messages": (
        """UPDATE message SET call_id = (SELECT min(call_id) FROM message WHERE kind = 'mail')
        WHERE kind = 'mail'""",
        Trouble.DOUBLED,
    ),
    "results stand behind another answer": ("UPDATE node SET round = 9 WHERE role = 'tool'", Trouble.INVALID),
    "a turn never ends": ("UPDATE turn SET state = 'running' WHERE id = 1", Trouble.STUCK),
    "a branch is held": ("UPDATE branch SET turn_id = 1 WHERE id = 2", Trouble.STUCK),
    "a task never ends": ("UPDATE task SET state = 'running'", Trouble.STUCK),
    "a wait never ends": (
        "INSERT INTO wait (call_id, branch_id, turn_id, task_id) VALUES (1, 1, 1, 1)", Trouble.STUCK,
    ),
    "a report is gone": ("UPDATE message SET task_id = NULL WHERE kind = 'result'", Trouble.LOST),
    "an end was told twice": (
        """INSERT INTO event (session_id, seq, ts_us, kind, actor, turn_id, payload)
        SELECT session_id, seq + 1000, 0, kind, actor, turn_id, payload FROM event
        WHERE kind = 'task.ended'""",
        Trouble.DOUBLED,
    ),
    "mail was read twice": (
        """INSERT INTO event (session_id, seq, ts_us, kind, actor, turn_id, payload)
        SELECT session_id, seq + 1000, 0, kind, actor, turn_id, payload FROM event
        WHERE kind = 'message.consumed'""",
        Trouble.DOUBLED,
    ),
    "the log has a gap": ("DELETE FROM event WHERE kind = 'turn.waiting'", Trouble.INVALID),
    "tokens are forgotten": ("UPDATE chain SET tokens = 0", Trouble.MISCOUNTED),
    "a round is forgotten": ("UPDATE turn SET rounds = rounds - 1", Trouble.MISCOUNTED),
    "an attempt is forgotten": ("UPDATE delivery SET attempts = 0 WHERE id = READ", Trouble.MISCOUNTED),
    "a counter is of": ("UPDATE branch SET n_cap = n_cap + 1 WHERE id = 2", Trouble.INVARIANT),
    "a window is full": ("UPDATE pair SET unacked = 4", Trouble.INVARIANT),
    "mail is signed by another": (
        "UPDATE message SET sender_branch_id = 99 WHERE id = READ", Trouble.INVARIANT,
    ),
    "mail was read out of order": (
        """UPDATE delivery SET seq = 1000 - seq WHERE kind = 'user'""", Trouble.INVALID,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was played without a kill."""
    folder = tmp_path_factory.mktemp("sound") / "store"
    assert play(mail, folder) == 0
    assert audit(folder) == []
    return folder


@pytest.mark.parametrize(("statement", "trouble"), DAMAGES.values(), ids=DAMAGES.keys())
def test_every_damage_is_found(statement: str, trouble: Trouble, sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    shutil.copytree(sound, folder)
    shutil.copy(Journal(sound).path, Journal(folder).path)
    with closing(sqlite3.connect(folder / "postroom.db", isolation_level=None)) as connection:
        assert connection.execute(statement.replace("READ", READ)).rowcount > 0, "nothing was damaged"

    assert trouble in {finding.trouble for finding in audit(folder)}


TAKEN_BACK = {
    "a part left is in no branch": (
        "UPDATE branch SET sealed_from_branch_id = NULL WHERE sealed_us IS NOT NULL", Trouble.LOST,
    ),
    "mail of a part left counts as read here": ("UPDATE delivery SET reverted = 0", Trouble.LOST),
    "mail that was read here counts as left": (
        "UPDATE delivery SET reverted = 1 WHERE kind = 'user'", Trouble.LOST,
    ),
    "a fork has the context of nothing": (
        "UPDATE branch SET context_chars = 0 WHERE session_id = 3", Trouble.MISCOUNTED,
    ),
    "a fork has read what was its original's": (
        """UPDATE delivery SET recipient_branch_id = (SELECT max(id) FROM branch WHERE session_id = 3)
        WHERE id = 1""",
        Trouble.INVALID,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def taken_back(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a revert and a fork, that was played without a kill."""
    folder = tmp_path_factory.mktemp("taken_back") / "store"
    assert play(paths, folder) == 0
    assert audit(folder) == []
    return folder


@pytest.mark.parametrize(("statement", "trouble"), TAKEN_BACK.values(), ids=TAKEN_BACK.keys())
def test_damage_to_a_path_is_found(
    statement: str, trouble: Trouble, taken_back: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    shutil.copytree(taken_back, folder)
    shutil.copy(Journal(taken_back).path, Journal(folder).path)
    with closing(sqlite3.connect(folder / "postroom.db", isolation_level=None)) as connection:
        assert connection.execute(statement).rowcount > 0, "nothing was damaged"

    assert trouble in {finding.trouble for finding in audit(folder)}


def test_a_sound_store_has_no_findings(sound: Path) -> None:
    assert Record(sound).messages
    assert audit(sound) == []
