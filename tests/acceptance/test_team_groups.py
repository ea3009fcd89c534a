"""One message to several agents of a team: all of them or none, and who still owes an answer."""

from dataclasses import replace

import pytest

from postroom.domain.ask import ApprovalMode
from postroom.domain.message import Mode
from postroom.domain.plain import Json
from postroom.errors import ModelFault
from postroom.service.draft import Draft
from postroom.service.send import accept
from postroom.surfaces.team.words import sent_text
from postroom.testing.world import World, times
from tests.acceptance.family import Worlds
from tests.acceptance.teams import (
    ASKS,
    OPEN,
    address,
    code,
    crew,
    message,
    newest,
    recall,
    receipt,
    status,
    team_world,
)


def ids(world: World, *names: str) -> list[Json]:
    return [address(world, name) for name in names]


async def test_one_message_reaches_everybody_it_names(worlds: Worlds) -> None:
    """One message, a delivery each, with its own number; each of them costs one message of the path."""
    world = team_world(worlds)
    a, b, c = await crew(world, "b", "c")
    (first,) = await a.does(message(address(world, "b"), "for b alone"))
    receipt(first)
    await b.asked()
    await b.says("read")

    (sent,) = await a.does(message(ids(world, "b", "c"), "to both of you"))

    got = receipt(sent)
    assert [line.to for line in got.lines] == ids(world, "b", "c")
    assert [line.number for line in got.lines] == [3, 2]
    for puppet in (b, c):
        assert newest(await puppet.asked()).body == "to both of you"
    both = world.events("message.sent")[1:]
    assert len({e.facts["message"] for e in both}) == 1
    assert len(both) == 2
    await world.check()


async def test_one_refused_address_refuses_the_whole_call_and_each_is_named(worlds: Worlds) -> None:
    """Nothing but the refusal is on the disk, and nobody reads anything."""
    world = team_world(worlds)
    a, b, _ = await crew(world, "b", "c")

    (sent,) = await a.does(
        message([address(world, "b"), "nobody", address(world, "a"), address(world, "c")], "hello")
    )

    assert code(sent) == "several_refused"
    assert "2 of 4" in sent.text
    assert "- nobody: " in sent.text
    assert "(unknown_reference)" in sent.text
    assert "(self_send)" in sent.text
    assert not world.events("message.sent")
    assert [e.facts["code"] for e in world.events("message.refused")] == ["several_refused"]
    assert len(world.events("message.accepted", agent="b")) == 1  # the person's own text
    assert not b.is_asked
    await world.check()


async def test_a_full_window_of_one_refuses_all(worlds: Worlds) -> None:
    """CK-18 on `team`: guards are decided for each before anything is written."""
    world = team_world(worlds, replace(OPEN, pair_window=1))
    a, b, c = await crew(world, "b", "c")
    await a.does(message(address(world, "b"), "the window is full now"))
    await b.asked()

    (sent,) = await a.does(message(ids(world, "c", "b"), "to both"))

    assert code(sent) == "several_refused"
    assert "(inflight_full)" in sent.text
    assert not c.is_asked
    assert len(world.events("message.sent")) == 1
    await world.check()


async def test_two_addresses_of_one_agent_are_one_recipient(worlds: Worlds) -> None:
    """By the first of them, whatever it is called by."""
    world = team_world(worlds)
    a, b = await crew(world, "b")
    there, branch = address(world, "b"), world.view("b").branch_id

    (sent,) = await a.does(message([there, f"{there}:{branch}", there.upper()], "once"))

    assert [line.to for line in receipt(sent).lines] == [there]
    assert times("once", [await b.asked()]) == 1
    await world.check()


async def test_a_group_of_one_is_refused_as_a_single_send_is(worlds: Worlds) -> None:
    """A list of one is no group: the refusal is its own."""
    world = team_world(worlds)
    a, _ = await crew(world, "b")

    (sent,) = await a.does(message(["nobody"], "x"))

    assert code(sent) == "unknown_reference"
    await world.check()


async def test_what_needs_leave_is_held_for_each_by_its_own_ask(worlds: Worlds) -> None:
    """One is approved and goes, the other is denied and ends; the status says so."""
    world = team_world(worlds, ASKS)
    a, b, c = await crew(world, "b", "c")

    (sent,) = await a.does(message(ids(world, "b", "c"), "may I?"))

    got = receipt(sent)
    assert got.what == "held"
    assert all("waits for the person's leave" in line.words for line in got.lines)
    asks = await world.room.asks()
    assert len(asks) == 2
    assert {ask.message_id for ask in asks} == {got.message_id}
    await world.room.approve(asks[0].ask_id)
    await world.room.deny(asks[1].ask_id, "not this one")
    assert times("may I?", [await b.asked()]) == 1
    assert not c.is_asked
    (told,) = await a.does(status(got.message_id))
    assert "is being read in turn" in told.text
    assert "discarded(denied)" in told.text
    assert f"no answer yet from 1: {address(world, 'b')}" in told.text
    await world.check()


@pytest.mark.parametrize("mode", list(ApprovalMode))
async def test_only_the_person_gives_leave_for_a_group(worlds: Worlds, mode: ApprovalMode) -> None:
    """No model decides on several at once: it is held, unless the person has said that all may be done."""
    world = team_world(worlds, ASKS)
    a, b, c = await crew(world, "b", "c")
    await world.room.set_mode(address(world, "a"), mode)

    (sent,) = await a.does(message(ids(world, "b", "c"), "may I?"))

    assert receipt(sent).what == ("accepted" if mode is ApprovalMode.YOLO else "held")
    assert len(await world.room.asks()) == (0 if mode is ApprovalMode.YOLO else 2)
    assert b.is_asked == c.is_asked
    await world.check()


async def test_the_status_of_a_group_says_who_has_read_it_and_who_owes_an_answer(worlds: Worlds) -> None:
    """Only what names the message as the one that it answers is an answer."""
    world = team_world(worlds)
    a, b, c, d = await crew(world, "b", "c", "d")
    (sent,) = await a.does(message(ids(world, "b", "c", "d"), "ready?"))
    for puppet in (b, c):
        number = newest(await puppet.asked()).number
        if puppet is b:
            await puppet.does(message(address(world, "a"), "yes", reply_to=number))
            await puppet.says("told")
        else:
            await puppet.does(message(address(world, "a"), "what for?"))
            await puppet.says("asked")
    await d.asked()
    await world.turn_end("b", 2)
    await world.turn_end("c", 2)

    (told,) = await a.does(status(receipt(sent).message_id))

    lines = told.text.splitlines()
    assert lines[-2] == f"read by 2: {address(world, 'b')}, {address(world, 'c')}"
    assert lines[-1] == f"no answer yet from 2: {address(world, 'c')}, {address(world, 'd')}"
    assert "answered by message" in lines[1]
    await world.check()


async def test_a_group_is_taken_back_where_nobody_reads_it_yet(worlds: Worlds) -> None:
    """Each recipient's part by itself; the result says which."""
    world = team_world(worlds)
    a, b, c = await crew(world, "b", "c")
    await a.does(message(address(world, "c"), "keep busy"))
    await c.asked()
    (sent,) = await a.does(message(ids(world, "b", "c"), "wrong"))
    await b.asked()

    (part,) = await a.does(recall(receipt(sent).message_id))

    assert part.text.startswith("[message recalled in part]")
    assert "(already_being_read)" in part.text
    assert "taken back" in part.text
    assert times("wrong", world.requests("c")) == 0
    await world.check()


async def test_what_several_have_set_aside_is_said_again_to_each_of_them(worlds: Worlds) -> None:
    """O-32 on `team`: `retry` takes the id of a group send, whoever could not read it; twice is once."""
    world = team_world(worlds)
    a, b, c, d = await crew(world, "b", "c", "d")
    (sent,) = await a.does(message(ids(world, "b", "c", "d"), "poison"))
    await d.asked()
    await d.says("read")
    for puppet, name in ((b, "b"), (c, "c")):
        for attempt in range(5):
            await puppet.fails(ModelFault("broken"))
            await world.turn_end(name, attempt + 2)
            if attempt < 4:
                await world.room.resume(address(world, name))

    again = await world.room.retry(receipt(sent).message_id)
    twice = await world.room.retry(receipt(sent).message_id)

    assert [one.address for one in (again, *again.others)] == ids(world, "b", "c")
    assert [one.message_id for one in (twice, *twice.others)] == [
        one.message_id for one in (again, *again.others)
    ]
    for puppet in (b, c):
        assert newest(await puppet.asked()).body == "poison"
        await puppet.says("read at last")
    assert not d.is_asked
    await world.check()


async def test_a_retry_of_the_call_gets_the_first_receipt(worlds: Worlds) -> None:
    """CK-11 on `team`: nothing is sent twice; the same call to others is another message."""
    world = team_world(worlds)
    a, _, _ = await crew(world, "b", "c")
    (sent,) = await a.does(message(ids(world, "b", "c"), "once"))
    (event,) = {e.facts["call"] for e in world.events("message.sent")}
    sender = world.room.store.look(lambda tx: tx.sender_of_call(int(str(event))))
    assert sender is not None
    to = [address(world, "b"), address(world, "c")]

    def draft(*addresses: str, body: str = "once") -> Draft:
        return Draft(
            call=int(str(event)), fence=sender.fence, to=addresses[0], also=addresses[1:], body=body,
            mode=Mode.STEER, render=lambda outcome: sent_text(to[0], outcome),
        )  # fmt: skip

    again = await world.room.store.write(accept, draft(*reversed(to)), world.room.office.directory)
    fewer = await world.room.store.write(accept, draft(to[0]), world.room.office.directory)
    other = await world.room.store.write(accept, draft(*to, body="twice"), world.room.office.directory)

    assert receipt_id(again.text) == receipt(sent).message_id
    assert "idempotency_conflict" in fewer.text
    assert "idempotency_conflict" in other.text
    assert len(world.events("message.sent")) == 2
    await world.check()


def receipt_id(text: str) -> str:
    return text.splitlines()[0].partition("id=")[2]


async def test_a_group_holds_through_a_crash(worlds: Worlds) -> None:
    """Accepted for all of them, it is read once by each after the process died."""
    world = team_world(worlds)
    a, b, c = await crew(world, "b", "c")
    await a.does(message(ids(world, "b", "c"), "through the crash"))
    await world.crash()
    await world.open()

    for puppet in (b, c):
        assert times("through the crash", [await puppet.asked()]) == 1
    await world.check()
