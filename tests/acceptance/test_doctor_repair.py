"""Each damage is named by the doctor, mended where it can be, and only once (G12: the fold wins)."""

import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from signal import SIGKILL

import pytest

from postroom.clock import SystemClock
from postroom.domain.ask import AskKind
from postroom.domain.keys import ChainKey
from postroom.domain.message import Kind, Mode
from postroom.errors import StoreFull, StoreInUse
from postroom.ids import SystemIds
from postroom.observe.doctor import examine, repair
from postroom.store.tx_asks import NewAsk
from postroom.store.tx_mail import Letter
from postroom.store.workshop import Workshop
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts
from tests.acceptance.damage import asked_store, codes, digest, end_only_the_turn, shown, sql, used_store
from tests.acceptance.family import family

ROWS = {
    "a read mail is unread again": (
        "delivery", "UPDATE delivery SET state = 'accepted', turn_id = NULL WHERE kind = 'result'",
    ),
    "a delivery lost its node": ("delivery", "UPDATE delivery SET node_id = NULL WHERE kind = 'result'"),
    "a delivery is gone": ("delivery", "DELETE FROM delivery WHERE kind = 'result'"),
    "a counter is off": ("branch", "UPDATE branch SET n_cap = n_cap + 1 WHERE id = 2"),
    "answers are not counted": ("branch", "UPDATE branch SET rounds = 0 WHERE id = 1"),
    "a delivery is older for its reader": ("delivery", "UPDATE delivery SET rounds_at = 0 WHERE seq > 1"),
    "a delivery has a time": ("delivery", "UPDATE delivery SET expires_us = 5 WHERE id = 2"),
    "a head is lost": ("branch", "UPDATE branch SET head_node_id = NULL WHERE id = 1"),
    "a branch has a turn that is over": ("branch", "UPDATE branch SET turn_id = 1 WHERE id = 1"),
    "a branch is paused by nobody": ("branch", "UPDATE branch SET paused_by_branch_id = 1"),
    "a turn that is over runs": ("turn", "UPDATE turn SET state = 'running' WHERE id = 1"),
    "a fence went back": ("turn", "UPDATE turn SET fence = 1"),
    "a task is open again": ("task", "UPDATE task SET state = 'queued', outcome = ''"),
    "a call is open again": ("call", "UPDATE call SET state = 'open' WHERE id = 1"),
    "a call was ended by another": ("call", "UPDATE call SET ended_by = 'stopped' WHERE id = 1"),
    "a call was changed by nobody": ("call", "UPDATE call SET changed_by = 'ghost' WHERE id = 1"),
    "a chain is cheap": ("chain", "UPDATE chain SET tokens = 0"),
    "a chain is gone": ("chain", "DELETE FROM chain"),
    "a chain has no end": ("chain", "UPDATE chain SET turns_max = NULL, tokens_max = 5, cost_micros_max = 5"),
    "a path has no end": ("chain", "UPDATE chain SET messages_max = 5, generations_max = 5, fan_out_max = 5"),
    "a turn may make more": ("turn", "UPDATE turn SET fan_out = 7"),
    "a turn owes no answer": ("turn", "UPDATE turn SET answers_message_id = 7"),
    "a turn runs under another task": ("turn", "UPDATE turn SET lineage_task_id = 7"),
    "a window is full": ("pair", "UPDATE pair SET unacked = 4"),
    "a window is gone": ("pair", "DELETE FROM pair"),
    "a window that nobody opened": ("pair", "INSERT INTO pair VALUES (7, 8, 2, 0)"),
    "a wait that nobody began": (
        "wait", "INSERT INTO wait (call_id, branch_id, turn_id, task_id) VALUES (1, 1, 1, 1)",
    ),
    "a start was not counted": ("meta", "UPDATE meta SET value = 0"),
}  # fmt: skip
ASKED = {
    "an ask is open again": ("ask", "UPDATE ask SET state = 'open', decided_by = '' WHERE id = 1"),
    "an ask was about something else": ("ask", "UPDATE ask SET resource = 'secrets' WHERE id = 2"),
    "a denied ask is approved": ("ask", "UPDATE ask SET state = 'approved' WHERE id = 2"),
    "an ask waits longer": ("ask", "UPDATE ask SET due_us = 10 WHERE id = 3"),
    "a grant is gone": ("grant", 'DELETE FROM "grant" WHERE id = 1'),
    "a revoked grant holds again": ("grant", 'UPDATE "grant" SET revoked_us = NULL WHERE id = 3'),
    "a grant that holds is revoked": ("grant", 'UPDATE "grant" SET revoked_us = 7 WHERE id = 1'),
    "a grant that nobody gave": (
        "grant", """INSERT INTO "grant" (root_id, action, resource, tool, ask_id, granted_us)
        VALUES (1, 'shell', '*', 'bash', 1, 0)""",
    ),
    "others decide the asks of a tree": ("session", "UPDATE session SET mode = 'ask' WHERE id = 1"),
    "the person's rules are gone": ("session", "UPDATE session SET overlay = '[]' WHERE id = 1"),
    "nobody is there": ("session", "UPDATE session SET attended = 0 WHERE id = 2"),
}  # fmt: skip
FOREVER = {
    "a message is gone": ("message_missing", "message", "DELETE FROM message WHERE id = 2"),
    "a node is gone": ("node_missing", "node", "DELETE FROM node WHERE id = 2"),
    "a result stands elsewhere": ("unpaired_calls", "node", "UPDATE node SET round = 9 WHERE role = 'tool'"),
    "a result has no text": ("result_missing", "call", "UPDATE call SET result = NULL WHERE id = 1"),
    "a call is gone": ("row_missing", "call", "DELETE FROM call WHERE id = 1"),
    "a message stands twice": (
        "message_doubled", "message", "UPDATE node SET message_id = 1 WHERE role = 'user' AND session_id = 1",
    ),
    "a delivery that no log knows": (
        "row_unknown", "delivery", """INSERT INTO delivery (message_id, recipient_branch_id, kind, mode,
        state, seq, accepted_us) VALUES (1, 1, 'mail', 'steer', 'consumed', 99, 0)""",
    ),
    "a turn is gone": ("row_missing", "turn", "DELETE FROM turn WHERE id = 1"),
}  # fmt: skip


@pytest.mark.parametrize(("table", "damage"), ROWS.values(), ids=ROWS)
async def test_a_row_that_differs_from_its_log_is_mended_once(world: World, table: str, damage: str) -> None:
    """G12"""
    folder = await used_store(world)
    before = shown(folder)
    sql(folder, damage)

    seen = examine(folder)
    mended = repair(folder)
    again = repair(folder)

    assert {f.table for f in seen.findings if f.code.startswith("row_")} == {table}
    assert not seen.ok
    assert mended.ok, list(mended.lines())
    assert table in {f.table for f in mended.mended}
    assert mended.backup is not None
    assert (again.findings, again.mended, again.backup) == ((), (), None)
    assert shown(folder) == before
    await world.check()


@pytest.mark.parametrize(("table", "damage"), ASKED.values(), ids=ASKED)
async def test_a_right_that_differs_from_its_log_is_mended_once(
    world: World, table: str, damage: str
) -> None:
    """G12, G8: what the person allowed is what the log says that the person allowed."""
    folder = await asked_store(world)
    assert examine(folder).findings == ()
    sql(folder, damage)

    seen = examine(folder)
    mended = repair(folder)

    assert {f.table for f in seen.findings if f.code.startswith("row_")} == {table}
    assert mended.ok, list(mended.lines())
    assert repair(folder).mended == ()
    await world.check()


async def test_an_ask_that_is_gone_is_said_and_stays_gone(world: World) -> None:
    """The log has no words of it, so nobody could decide it."""
    folder = await asked_store(world)
    sql(folder, "DELETE FROM ask WHERE id = 2")

    assert codes(examine(folder)) == {("row_missing", "ask")}
    assert codes(repair(folder)) == {("row_missing", "ask")}


async def test_an_ask_of_a_turn_that_is_over_is_withdrawn(world: World) -> None:
    """The person would decide for nobody."""
    folder = await used_store(world)
    question = NewAsk(
        kind=AskKind.QUESTION, root=1, session=1, branch=1, turn=1, call=1, action="", resource="",
        recipient=None, tool="ask_user", text="which one?",
    )  # fmt: skip
    with Workshop(folder, SystemClock(), SystemIds()) as shop:
        shop.write(lambda tx: tx.insert_ask(question))

    assert codes(examine(folder)) == {("stuck_ask", "ask")}
    assert repair(folder).ok
    assert repair(folder).mended == ()


@pytest.mark.parametrize(("code", "table", "damage"), FOREVER.values(), ids=FOREVER)
async def test_what_cannot_be_mended_is_said_and_stays(
    world: World, code: str, table: str, damage: str
) -> None:
    folder = await used_store(world)
    sql(folder, damage)

    seen = examine(folder)
    after = repair(folder)

    assert (code, table) in codes(seen)
    assert (code, table) in codes(after)
    assert not any(f.mendable for f in after.findings)
    assert not after.ok


async def test_lost_and_doubled_messages_are_counted(world: World) -> None:
    folder = await used_store(world)
    sql(
        folder,
        "DELETE FROM message WHERE id = 2",
        "UPDATE node SET message_id = 1 WHERE session_id = 1 AND role = 'user'",
    )

    counts = examine(folder).counts

    assert (counts.lost, counts.doubled) == (1, 1)


async def test_a_log_with_a_gap_mends_nothing_of_its_session(world: World) -> None:
    """The row is right and the log forgot: a repair that believed the log would have the mail read twice."""
    folder = await used_store(world)
    sql(folder, "DELETE FROM event WHERE pos = (SELECT max(pos) FROM event WHERE kind = 'message.consumed')")
    before = shown(folder)

    seen = examine(folder)
    after = repair(folder)

    assert ("log_broken", "event") in codes(seen)
    assert not any(f.mendable for f in seen.findings)
    assert after.findings == seen.findings
    assert shown(folder) == before


async def test_a_claim_of_a_dead_turn_goes_back_and_is_read(world: World) -> None:
    """An orphaned claim: mail nobody would ever read again; the turn it then waits for is opened too."""
    root = world.puppet("r")
    await world.prompt("r", "read me")
    await root.asked()
    await world.crash()
    end_only_the_turn(world.folder, 1)

    seen = examine(world.folder)
    mended = repair(world.folder)

    assert codes(seen) == {("orphaned_claim", "delivery")}
    assert {f.code for f in mended.mended} == {"orphaned_claim", "missing_wake"}
    assert mended.ok
    assert repair(world.folder).mended == ()
    asked = len(root.model.requests)
    await world.open()
    assert texts(await world.request("r", asked + 1)) == ["read me"]
    await world.check()


async def test_mail_without_a_turn_gets_its_wake(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.says("done")
    await world.quiesce()
    await world.close()
    letter = Letter(kind=Kind.MAIL, mode=Mode.QUEUE, body="nobody rang", chain=ChainKey(1))
    with Workshop(world.folder, SystemClock(), SystemIds()) as shop:
        shop.write(lambda tx: tx.post(letter, tx.recipient_by_branch(None, 1), ""))

    assert codes(examine(world.folder)) == {("missing_wake", "branch")}
    assert repair(world.folder).ok
    assert repair(world.folder).mended == ()
    await world.open()
    assert "nobody rang" in texts(await world.request("r", 2))[-1]
    await world.check()


async def test_a_task_whose_turn_is_gone_ends_and_is_reported(world: World) -> None:
    """I6: its dispatcher would wait for ever."""
    root, b = await family(world, "b")
    await root.says("I wait")
    await b.does(call("look"))
    await world.crash()
    end_only_the_turn(world.folder, 2)

    assert codes(examine(world.folder)) == {("stuck_task", "task")}
    assert repair(world.folder).ok
    await world.open()
    assert "interrupted" in texts(await root.asked())[-1]
    await world.check()


async def test_open_calls_of_a_dead_turn_get_their_one_result(world: World) -> None:
    """G6: the next request would be refused by a strict provider."""
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", tools=("slow",))
    await world.prompt("r", "begin")
    await root.starts(call("slow"), call("slow"))
    await gate.reached.wait()
    await world.crash()
    end_only_the_turn(world.folder, 1)

    seen = examine(world.folder)
    mended = repair(world.folder)

    assert ("open_call", "call") in codes(seen)
    assert ("unpaired_calls", "node") in codes(seen)
    assert mended.ok, list(mended.lines())
    await world.prompt("r", "and now")
    await root.asked()
    await world.check()


async def test_a_damaged_index_is_built_anew(world: World) -> None:
    folder = await used_store(world)
    with closing(sqlite3.connect(folder / "postroom.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        row = connection.execute("SELECT * FROM sqlite_schema WHERE name = 'delivery_message'").fetchone()
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'delivery_message'")
        connection.execute("PRAGMA schema_version = 1000")
    sql(folder, "UPDATE delivery SET message_id = message_id + 100 WHERE id = 1")
    with closing(sqlite3.connect(folder / "postroom.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("PRAGMA schema_version = 1001")

    assert ("index_damaged", "file") in codes(examine(folder))
    assert repair(folder).ok
    assert examine(folder).findings == ()


async def test_a_damaged_file_is_said_and_left_as_it_is(world: World) -> None:
    folder = await used_store(world)
    path = folder / "postroom.db"
    whole = path.read_bytes()
    for damage in (whole[:4096] + bytes(8192) + whole[12288:], whole[: len(whole) // 2], b"x" * len(whole)):
        path.write_bytes(damage)
        before = digest(folder)

        assert codes(examine(folder)) == {("file_damaged", "file")}
        assert not repair(folder).ok
        assert digest(folder) == before


async def test_the_backup_is_the_store_before_the_first_mend(world: World) -> None:
    folder = await used_store(world)
    sql(folder, "UPDATE branch SET n_cap = 9 WHERE id = 1", "UPDATE chain SET tokens = 1")

    first = repair(folder)
    sql(folder, "UPDATE chain SET tokens = 2")
    second = repair(folder)

    assert first.backup is not None
    assert second.backup is not None
    assert first.backup.parent == folder / "backups"
    with closing(sqlite3.connect(first.backup)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT n_cap FROM branch WHERE id = 1").fetchone() == (9,)
        assert copy.execute("SELECT tokens FROM chain").fetchone() == (1,)
    assert sorted(p.suffix for p in first.backup.parent.iterdir()) == [".db", ".db"]


async def test_without_room_for_the_backup_nothing_is_changed(world: World) -> None:
    folder = await used_store(world)
    sql(folder, "UPDATE branch SET n_cap = 9 WHERE id = 1")
    before = digest(folder)

    with pytest.raises(StoreFull, match="room") as caught:
        repair(folder, free_bytes=lambda _: 100_000)

    assert caught.value.remedy
    assert digest(folder) == before


async def test_a_store_in_use_is_examined_and_not_repaired(world: World) -> None:
    await family(world, "b")

    assert examine(world.folder).ok
    with pytest.raises(StoreInUse):
        repair(world.folder)

    await world.check()


async def test_a_repair_that_is_killed_is_finished_by_the_next(world: World) -> None:
    """Each mend stands alone."""
    folder = await used_store(world)
    before = shown(folder)
    sql(folder, "UPDATE branch SET n_cap = n_cap + 1", "UPDATE chain SET tokens = 0", "DELETE FROM pair")
    found = len(examine(folder).findings)
    program = (
        "import sys, pathlib; from postroom.observe.doctor import repair; repair(pathlib.Path(sys.argv[1]))"
    )

    killed = subprocess.run(  # noqa: ASYNC221 -- nothing else runs
        [sys.executable, "-c", program, str(folder)], env={"POSTROOM_FAULT": "repair.between:2"}, check=False
    )
    left = [f for f in examine(folder).findings if not f.harmless]
    finished = repair(folder)

    assert killed.returncode == -SIGKILL
    assert len(left) == found - 2
    assert finished.ok
    assert "stale_lock" in {f.code for f in finished.mended}
    assert repair(folder).mended == ()
    assert shown(folder) == before
    assert len(list((folder / "backups").iterdir())) == 2


async def test_what_a_killed_process_left_lying_about_is_harmless_and_cleared(world: World) -> None:
    """O-35: a pid file of an unrelated process, and a door behind which nobody listens."""
    folder = await used_store(world)
    (folder / "lock").write_text("1\n")
    with closing(socket.socket(socket.AF_UNIX)) as door:
        door.bind(str(folder / "door"))

    seen = examine(folder)
    mended = repair(folder)

    assert seen.ok
    assert codes(seen) == {("stale_door", "file"), ("stale_lock", "file")}
    assert {f.code for f in mended.mended} == {"stale_door", "stale_lock"}
    assert mended.findings == ()
    assert not (folder / "door").exists()


async def test_every_repair_is_told_in_the_log_of_the_store(world: World) -> None:
    folder = await used_store(world)
    sql(folder, "UPDATE branch SET n_cap = n_cap + 1 WHERE id = 1")
    repair(folder)

    await world.open()
    (event,) = world.events("store.repaired")

    assert event.facts == {"what": "row_differs", "table": "branch", "key": "1"}
    await world.check()
