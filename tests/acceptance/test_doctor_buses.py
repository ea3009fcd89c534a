"""A bus, a reader or a turn on one that is not what the log says; and an item that holds a text twice."""

from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.domain.turn import TurnState
from postroom.ids import SystemIds
from postroom.observe.doctor import examine, repair
from postroom.store.tx import Tx
from postroom.store.workshop import Workshop
from postroom.testing.script import say
from postroom.testing.world import World
from tests.acceptance.bus_team import assistant, make, post, roster_world, workers
from tests.acceptance.damage import codes, sql
from tests.acceptance.family import Worlds

DAMAGES = {
    "a message less on a bus": ("UPDATE bus SET seq = seq - 1", "bus"),
    "a bus that is gone": ("DELETE FROM bus", "bus"),
    "a cursor that was moved back": ("UPDATE reader SET cursor_seq = 0 WHERE entry", "reader"),
    "an address that is another's": ("UPDATE reader SET address = 'writer#1' WHERE NOT entry", "reader"),
    "a reader that is gone": ("DELETE FROM reader WHERE entry", "reader"),
    "a turn on no bus": ("UPDATE turn SET bus_id = NULL WHERE task_id IS NOT NULL", "turn"),
    "a turn that grew less": ("UPDATE turn SET extensions = 0 WHERE extensions", "turn"),
    "a turn with rounds of its own": ("UPDATE turn SET rounds_max = 99 WHERE extensions", "turn"),
    "a delivery that was made undelivered": (
        "UPDATE delivery SET state = 'undelivered' WHERE kind = 'mail' AND state = 'consumed'", "delivery",
    ),
}  # fmt: skip


async def used_store(worlds: Worlds) -> tuple[World, Path]:
    """A lead and a worker that have talked; the last message came too late."""
    world = roster_world(worlds)
    a = assistant(world, "researcher")
    workers(world, {"work": [say("done")]})
    await world.prompt("assistant", "begin")
    await a.does(post("everyone", "hello"), post("assistant", "to myself"))
    await a.does(make("researcher", "work"))
    await a.does(post("researcher", "too late"))
    await a.says("over")
    await world.quiesce()
    await world.close()
    return world, world.folder


@pytest.mark.parametrize(("damage", "table"), DAMAGES.values(), ids=DAMAGES)
async def test_a_row_of_a_bus_that_differs_from_its_log_is_mended_once(
    worlds: Worlds, damage: str, table: str
) -> None:
    """G12"""
    world, folder = await used_store(worlds)
    assert examine(folder).findings == ()
    sql(folder, damage)

    seen = {where for _, where in codes(examine(folder))}
    mended = repair(folder)

    assert table in seen
    assert mended.ok, list(mended.lines())
    assert repair(folder).mended == ()
    await world.check()


async def test_a_bus_that_its_turn_left_open_is_closed_and_what_is_unread_is_told(worlds: Worlds) -> None:
    """KK-11: nothing on it is lost, whatever became of the process."""
    world = roster_world(worlds)
    a = assistant(world)
    await world.prompt("assistant", "begin")
    await a.asked()
    await world.prompt("assistant", "unread")
    await world.crash()
    folder = world.folder
    with Workshop(folder, SystemClock(), SystemIds()) as shop:
        shop.write(_end_without_its_bus)

    assert ("open_bus", "bus") in codes(examine(folder))
    mended = repair(folder)

    assert mended.ok, list(mended.lines())
    assert repair(folder).mended == ()


def _end_without_its_bus(tx: Tx) -> None:
    (row,) = (row for turn in tx.live_turns() if (row := tx.turn_row(turn)) is not None)
    for claim in tx.claimed(row.turn):
        tx.release(row.session, claim, parked=True)
    tx.end_turn(row, TurnState.FAILED, "by hand")


async def test_a_text_that_stands_in_a_conversation_twice_is_said(worlds: Worlds) -> None:
    """I2: also as a part of an item that several messages share."""
    _, folder = await used_store(worlds)
    sql(folder, "UPDATE node SET parts = replace(parts, '\"message\": 3', '\"message\": 2')")

    assert ("message_doubled", "message") in codes(examine(folder))
