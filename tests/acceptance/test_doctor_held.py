"""Held messages and their asks that are not what the log says."""

from pathlib import Path

import pytest

from postroom.clock import SystemClock
from postroom.domain.ask import AskState
from postroom.domain.message import Reason
from postroom.ids import SystemIds
from postroom.observe.doctor import examine, repair
from postroom.store.tx import Tx
from postroom.store.workshop import Workshop
from postroom.testing.world import World, texts
from tests.acceptance.branches import address as address_of
from tests.acceptance.branches import branch_world, dispatch, message
from tests.acceptance.damage import codes, sql
from tests.acceptance.family import Worlds
from tests.acceptance.test_branch_held import HOLD, alone, asks

DAMAGES = {
    "a held message is accepted": ("UPDATE delivery SET state = 'accepted' WHERE state = 'held'", "delivery"),
    "a held message is gone": ("DELETE FROM delivery WHERE state = 'held'", "delivery"),
    "a held message has a place": ("UPDATE delivery SET seq = 7 WHERE state = 'held'", "delivery"),
    "an ask holds nothing": ("UPDATE ask SET message_id = NULL WHERE message_id IS NOT NULL", "ask"),
    "an ask holds another message": ("UPDATE ask SET message_id = 1 WHERE message_id IS NOT NULL", "ask"),
}  # fmt: skip


async def held_store(world: World) -> Path:
    """One message and one task are held, and the person has not decided."""
    a, _, _ = await alone(world)
    to = address_of(world, "b")
    await a.does(message(to, "mail"), dispatch(to, "a task"))
    await asks(world, 2)
    await a.says("done")
    await world.quiesce()
    await world.close()
    return world.folder


@pytest.mark.parametrize(("damage", "table"), DAMAGES.values(), ids=DAMAGES)
async def test_held_mail_that_differs_from_its_log_is_mended_once(
    worlds: Worlds, damage: str, table: str
) -> None:
    """G12: the sender's log tells of what never was in a mailbox."""
    world = branch_world(worlds, HOLD)
    folder = await held_store(world)
    assert examine(folder).findings == ()
    sql(folder, damage)

    seen = codes(examine(folder))
    mended = repair(folder)

    assert seen & {("row_differs", table), ("row_missing", table)}
    assert mended.ok, list(mended.lines())
    assert repair(folder).mended == ()
    await world.open()
    for ask in await world.room.asks():
        await world.room.approve(ask.ask_id)
    assert any("mail" in text for text in texts(await world.puppets["b"].asked()))
    await world.check()


def _take_back_alone(tx: Tx) -> None:
    ask = tx.open_asks()[0]
    item = tx.held_of_message(ask.message or 0, ask.recipient or 0)
    assert item is not None
    tx.discard(item.session, item.delivery, Reason.RECALLED)


def _deny_alone(tx: Tx) -> None:
    for ask in tx.open_asks():
        tx.end_ask(ask, AskState.DENIED, "person")


async def test_an_ask_for_a_message_that_is_not_held_any_more_is_withdrawn(worlds: Worlds) -> None:
    """Nobody is asked for nothing, whatever wrote it so."""
    world = branch_world(worlds, HOLD)
    folder = await held_store(world)
    with Workshop(folder, SystemClock(), SystemIds()) as shop:
        shop.write(_take_back_alone)

    seen = codes(examine(folder))
    mended = repair(folder)

    assert seen == {("stuck_ask", "ask")}
    assert mended.ok, list(mended.lines())
    await world.open()
    assert [ask.text for ask in await world.room.asks()] == ["a task"]
    await world.check()


async def test_a_held_message_that_was_refused_ends_and_its_sender_is_told(worlds: Worlds) -> None:
    """Nothing lies with its sender for ever: mail ends with a notice, a task with its report."""
    world = branch_world(worlds, HOLD)
    folder = await held_store(world)
    with Workshop(folder, SystemClock(), SystemIds()) as shop:
        shop.write(_deny_alone)

    seen = codes(examine(folder))
    mended = repair(folder)

    assert seen == {("stuck_held", "delivery")}
    assert mended.ok, list(mended.lines())
    await world.open()
    told = texts(await world.puppets["a"].asked())
    assert any("did not go: leave is asked for no more." in text for text in told)
    assert any("cancelled" in text for text in told)
    await world.check()
