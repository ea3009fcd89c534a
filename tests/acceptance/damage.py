"""A store with a history, and the tools to damage it: what the tests of the doctor share."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

from postroom.clock import SystemClock
from postroom.domain.ask import AskKind, AskState, Scope
from postroom.domain.turn import TurnState
from postroom.errors import ModelFault
from postroom.ids import SystemIds
from postroom.observe.doctor import Report
from postroom.rules.permissions import Effect, Rule, write_overlay
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.store.tx_asks import NewAsk
from postroom.store.workshop import Workshop
from postroom.testing.invariants import picture
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.family import family, send


async def used_store(world: World) -> Path:
    """A root with two children: talk in both modes, a failed task, parked mail, an awaited result."""
    root, b, c = await family(world, "b", "c")
    await root.does(send(world.handle("b"), "one"), send(world.handle("b"), "two", "queue"))
    await b.fails(ModelFault("no"))
    await b.fails(ModelFault("no"))
    await world.turn_end("b", 2)
    await root.starts(call("get_subagent_result", session_id=world.handle("c"), wait=True))
    await world.event("turn.suspended")
    await c.says("here")
    await root.asked()
    await root.says("done")
    await world.quiesce()
    await world.close()
    return world.folder


async def asked_store(world: World) -> Path:
    """The same, with an ask of each end, a grant that holds, one that was revoked, and rights of the tree."""
    folder = await used_store(world)
    with Workshop(folder, SystemClock(), SystemIds()) as shop:
        shop.write(_ask_and_decide)
    return folder


def _ask_and_decide(tx: Tx) -> None:
    for state, scope in ((AskState.APPROVED, Scope.TREE), (AskState.DENIED, None), (AskState.EXPIRED, None)):
        new = NewAsk(
            kind=AskKind.APPROVAL, root=1, session=1, branch=1, turn=1, call=1, action="write",
            resource=f"notes/{state}", recipient=None, tool="write_file", text="may I?", due_us=9,
        )  # fmt: skip
        ask = tx.insert_ask(new)
        tx.end_ask(ask, state, "person", scope=scope)
        tx.insert_grant(ask)
    tx.revoke_grant(1, tx.live_grants(1)[-1].key)
    tx.set_mode(1, "yolo")
    tx.set_overlay(1, write_overlay([Rule(action="write", pattern="caf\u00e9/*", effect=Effect.DENY)]))


def sql(folder: Path, *statements: str) -> None:
    """Write past every rule, as a bug or a curious person would."""
    with closing(sqlite3.connect(folder / "postroom.db", isolation_level=None)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, f"planted nothing: {statement}"


def shown(folder: Path) -> list[str]:
    """Every branch, delivery, task and conversation."""
    store = SqliteStore.open(folder, SystemClock(), SystemIds(), read_only=True)
    try:
        return store.look(picture)
    finally:
        store.close()


def digest(folder: Path) -> dict[str, str]:
    """What stands on the disk, file by file; the shared memory and the empty log of readers do not count."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
    files = [path for path in files if not path.name.endswith("-shm")]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def end_only_the_turn(folder: Path, profile_turn: int) -> None:
    """What a bug would do that ends a turn and forgets everything that hangs on it."""

    def cut(tx: Tx) -> None:
        row = tx.turn_row(profile_turn)
        assert row is not None
        tx.end_turn(row, TurnState.FAILED, "a bug")

    with Workshop(folder, SystemClock(), SystemIds()) as shop:
        shop.write(cut)


def codes(report: Report) -> set[tuple[str, str]]:
    """(code, table) of what is wrong."""
    return {(f.code, f.table) for f in report.findings}
