"""Receipts all the way: what became of a message, for those who may know."""

import re
from dataclasses import asdict
from typing import cast

from postroom.domain.message import State
from postroom.domain.plain import Json
from postroom.frontends.cli.show_page import message_page
from postroom.observe import looks
from postroom.service.letters import MessageStatus
from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.acceptance.teams import (
    ASKS,
    address,
    code,
    crew,
    message,
    newest,
    receipt,
    status,
    team_world,
)


def line(text: str) -> str:
    """What a status says of the one recipient."""
    (_, found) = text.splitlines()
    return found.partition(": ")[2]


async def test_a_receipt_goes_on_to_the_round_in_which_it_was_read_and_the_answer(worlds: Worlds) -> None:
    """Pending, being read, read in round k of turn t, answered by message m (product.md section 7)."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    await a.does(message(address(world, "b"), "keep busy"))
    await b.asked()
    (sent,) = await a.does(message(address(world, "b"), "what is the port?"))
    asked = receipt(sent)

    (pending,) = await a.does(status(asked.message_id))
    await b.does()
    number = newest(await b.asked()).number
    (claimed,) = await a.does(status(asked.message_id))
    (answered,) = await b.does(message(address(world, "a"), "8080", reply_to=number))
    (read,) = await a.does(status(asked.message_id))

    turn = world.room.store.look(lambda tx: tx.turn_row(2) or tx.turn_row(1))
    assert turn is not None
    assert line(pending.text) == f"number={number}, pending: not read yet"
    assert re.fullmatch(rf"number={number}, is being read in turn \S+", line(claimed.text))
    own = newest(await a.asked())
    assert (own.body, own.answers) == ("8080", number)
    assert re.fullmatch(
        rf"number={number}, read in round 2 of turn \S+, "
        rf"answered by message {receipt(answered).message_id} \(your {own.number}\)",
        line(read.text),
    )
    await world.check()


async def test_a_message_that_died_with_its_turn_is_read_again_and_says_so(worlds: Worlds) -> None:
    """Released by a crash it is pending again, but no longer unread."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    (sent,) = await a.does(message(address(world, "b"), "read me"))
    await b.asked()
    await world.room.stop(address(world, "b"))
    await world.turn_end("b", 2)

    (cut,) = await a.does(status(receipt(sent).message_id))

    assert "was being read when its turn was cut, and is read again; stopped by the user" in cut.text
    await world.room.resume(address(world, "b"))
    await world.check()


async def test_a_message_that_was_read_in_a_part_that_was_taken_back_says_so(worlds: Worlds) -> None:
    """A revert undoes no reading, but its reader does not have it any more, as its sender must know."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    (sent,) = await a.does(message(address(world, "b"), "the port is 8080"))
    await b.asked()
    await b.says("noted")
    await world.turn_end("b", 2)
    (before,) = await a.does(status(receipt(sent).message_id))

    await world.room.revert(address(world, "b"), "1")
    (after,) = await a.does(status(receipt(sent).message_id))

    assert "taken back" not in before.text
    assert re.fullmatch(
        r"number=2, read in round 1 of turn \S+ in a part of its conversation that the user has taken back, "
        r"no answer yet",
        line(after.text),
    )
    await world.check()


async def test_a_held_message_says_what_it_waits_for(worlds: Worlds) -> None:
    """Leave of the person; once given it is like any other."""
    world = team_world(worlds, ASKS)
    a, b = await crew(world, "b")
    (sent,) = await a.does(message(address(world, "b"), "may I?"))

    (held,) = await a.does(status(receipt(sent).message_id))
    (ask,) = await world.room.asks()
    await world.room.approve(ask.ask_id)
    await b.asked()
    (gone,) = await a.does(status(receipt(sent).message_id))

    assert line(held.text) == "held, waits for the person's leave"
    assert "is being read in turn" in line(gone.text)
    await world.check()


async def test_nobody_else_learns_what_became_of_a_message(worlds: Worlds) -> None:
    """Neither its recipient nor a stranger; to them it is as if it were not there."""
    world = team_world(worlds)
    a, b, c = await crew(world, "b", "c")
    (sent,) = await a.does(message([address(world, "b"), address(world, "c")], "for both"))
    await b.asked()
    await c.asked()

    (recipient,) = await b.does(status(receipt(sent).message_id))
    (nothing,) = await a.does(status("no id"))
    (own,) = await a.does(status(receipt(sent).message_id.upper()))

    assert code(recipient) == "unknown_message"
    assert code(nothing) == "unknown_message"
    assert not own.is_error
    await world.check()


async def test_the_person_sees_the_same(worlds: Worlds) -> None:
    """Of every message, without an agent's numbers; `show` says it of each recipient."""
    world = team_world(worlds)
    a, b, c = await crew(world, "b", "c")
    (sent,) = await a.does(message([address(world, "b"), address(world, "c")], "read me"))
    number = newest(await b.asked()).number
    (answered,) = await b.does(message(address(world, "a"), "read", reply_to=number))
    await b.says("done")
    await world.turn_end("b", 2)
    await c.asked()

    told = await world.room.office.message_status(None, receipt(sent).message_id)
    view = world.room.store.look(looks.message, receipt(sent).message_id)

    assert isinstance(told, MessageStatus)
    assert [(s.state, s.round, s.owes) for s in told.standings] == [
        (State.CONSUMED, 1, False),
        (State.CLAIMED, 0, True),
    ]
    assert view is not None
    assert (view.recipient, view.state, view.round) == ("b", "consumed", 1)
    assert [(one.recipient, one.state) for one in view.also_to] == [("c", "claimed")]
    assert view.answered_by == (receipt(answered).message_id,)
    await world.check()


async def test_the_person_sees_of_each_recipient_whether_it_was_read_in_a_reverted_part(
    worlds: Worlds,
) -> None:
    """`show` says it of every recipient of a group, not of the first only."""
    world = team_world(worlds)
    a, b, c = await crew(world, "b", "c")
    (sent,) = await a.does(message([address(world, "b"), address(world, "c")], "read me"))
    for puppet, name in ((b, "b"), (c, "c")):
        await puppet.asked()
        await puppet.says("noted")
        await world.turn_end(name, 2)
    await world.room.revert(address(world, "c"), "1")

    view = world.room.store.look(looks.message, receipt(sent).message_id)

    assert view is not None
    assert (view.reverted, [one.reverted for one in view.also_to]) == (False, [True])
    page = list(message_page(cast("dict[str, Json]", asdict(view))))
    assert any(line.startswith("also to    c: ") and line.endswith(", in a reverted part") for line in page)
    await world.check()


async def test_the_view_of_a_group_names_everybody_it_went_to(worlds: Worlds) -> None:
    """`why` links a message to all of its recipients and to its answers."""
    world: World = team_world(worlds)
    a, b, c = await crew(world, "b", "c")
    (sent,) = await a.does(message([address(world, "b"), address(world, "c")], "for both"))
    for puppet in (b, c):
        await puppet.asked()
    number = newest(await b.asked()).number
    (answered,) = await b.does(message(address(world, "a"), "here", reply_to=number))

    why = (await world.room.why(receipt(sent).message_id)).message

    assert why is not None
    assert [answer.message_id for answer in why.answered_by] == [receipt(answered).message_id]
    assert {to.session_id for to in (why.to, *why.also_to)} == {address(world, "b"), address(world, "c")}
    await world.check()
