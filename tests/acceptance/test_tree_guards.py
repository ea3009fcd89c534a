"""The guards of accept: who is refused, with which code, and what a refusal leaves behind."""

import asyncio

import pytest

from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Receipt, Refusal
from postroom.errors import Fault, ModelFault, RoomClosed
from postroom.testing.puppet import Puppet
from postroom.testing.world import World, texts, times
from tests.acceptance.family import Worlds, accepted, code, draft, family, send


async def test_a_retry_of_the_same_call_gets_the_first_receipt_past_a_full_window(worlds: Worlds) -> None:
    """CK-11"""
    world = worlds(policy=Policy(surface="tree", pair_window=1, mailbox_cap=1))
    root, b = await family(world, "b")
    (first,) = await root.does(send(world.handle("b"), "only one"))
    (full,) = await root.does(send(world.handle("b"), "no room"))
    sent = world.events("message.sent", agent="r")[-1]

    again = await world.room.office.send(draft(world, sent, "only one"), lambda _: None)
    b.rests()
    root.rests()
    await world.quiesce()

    assert code(full) in {"inbox_full", "inflight_full"}
    assert isinstance(again.outcome, Receipt)
    assert again.outcome.message_id == accepted(first).message_id
    assert times("only one", world.requests("b")) == 1
    await world.check()


@pytest.mark.parametrize(("body", "mode"), [("another text", "steer"), ("the text", "queue")])
async def test_a_retry_with_another_body_or_mode_is_refused(world: World, body: str, mode: str) -> None:
    """CK-12"""
    root, _ = await family(world, "b")
    await root.does(send(world.handle("b"), "the text"))
    sent = world.events("message.sent", agent="r")[-1]
    before = len(world.events("message.accepted"))

    again = await world.room.office.send(draft(world, sent, body, mode), lambda _: None)

    assert isinstance(again.outcome, Refusal)
    assert again.outcome.code is Code.IDEMPOTENCY_CONFLICT
    assert len(world.events("message.accepted")) == before
    await world.check()


@pytest.mark.parametrize("char", ["x", "é", "€", "😀"])
async def test_the_body_limit_counts_bytes_and_lets_exactly_so_many_pass(worlds: Worlds, char: str) -> None:
    """CK-15"""
    world = worlds(policy=Policy(surface="tree", body_bytes_max=24))
    root, _ = await family(world, "b")
    fits = char * (24 // len(char.encode()))

    exact, over = await root.does(send(world.handle("b"), fits), send(world.handle("b"), fits + "."))

    accepted(exact)
    assert code(over) == "invalid_body"
    await world.check()


async def test_a_limit_of_zero_refuses_every_body(worlds: Worlds) -> None:
    """CK-15: here 0 is a limit and does not mean unlimited."""
    world = worlds(policy=Policy(surface="tree", body_bytes_max=0))
    root = world.puppet("r", may_message=("*",), delegates_to=("b",))
    world.puppet("b")
    await world.prompt("r", "begin")

    (refused,) = await root.does(send("b_00000000", "x"))

    assert code(refused) == "invalid_body"
    await world.check()


async def test_the_33rd_unacknowledged_agent_mail_is_refused(worlds: Worlds) -> None:
    """CK-16: claimed and released mail counts, the person's text does not, and older mail stays."""
    world = worlds(policy=Policy(surface="tree", pair_window=None))
    root, b = await family(world, "b")
    to = world.handle("b")
    await b.says("free")
    await world.turn_end("b")

    await root.does(send(to, "number 0."))
    await b.asked()
    rest = await root.does(*(send(to, f"number {n}.", "queue") for n in range(1, 32)))
    (with_a_claim,) = await root.does(send(to, "too much"))
    await b.fails(ModelFault("broken"))
    await world.turn_end("b", 2)
    await b.asked()
    (with_a_release,) = await root.does(send(to, "too much"))
    await world.room.send(to, "from the person")
    b.rests()
    root.rests()
    await world.quiesce()

    assert all(accepted(r) for r in rest)
    assert code(with_a_claim) == code(with_a_release) == "inbox_full"
    assert times("too much", world.requests("b")) == 0
    assert [times(f"number {n}.", world.requests("b")) for n in range(32)] == [1] * 32
    assert times("from the person", world.requests("b")) == 1
    await world.check()


async def test_there_is_room_again_after_consumption(worlds: Worlds) -> None:
    """CK-17"""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=1))
    root, b = await family(world, "b")
    (first,) = await root.does(send(world.handle("b"), "one"))
    (second,) = await root.does(send(world.handle("b"), "two"))

    await b.says("hm")
    await world.request("b", 2)
    await b.says("read")
    await world.turn_end("b")
    (third,) = await root.does(send(world.handle("b"), "three"))

    accepted(first)
    assert code(second) == "inbox_full"
    accepted(third)
    await world.check()


async def test_there_is_room_again_after_a_discard(worlds: Worlds) -> None:
    """CK-17: a message is set aside after five attempts."""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=1, pair_window=1))
    root, b = await family(world, "b")
    await b.says("free")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "poison"))
    for attempt in range(5):
        await b.fails(ModelFault("broken"))
        await world.turn_end("b", attempt + 2)
        if attempt < 4:
            await world.room.resume(world.handle("b"))

    (after,) = await root.does(send(world.handle("b"), "and now?"))

    accepted(after)
    assert [e.facts["reason"] for e in world.events("message.discarded")] == ["quarantined"]
    await world.check()


async def test_the_fifth_unacknowledged_message_of_a_pair_is_refused(world: World) -> None:
    """CK-18: the other direction and other senders have windows of their own."""
    root, a, b = await family(world, "a", "b")
    to_a, to_b = world.handle("a"), world.handle("b")
    four = await a.does(*(send(to_b, f"a{n}") for n in range(4)))

    (fifth,) = await a.does(send(to_b, "a4"))
    (back,) = await b.does(send(to_a, "b0"))
    (other,) = await root.does(send(to_b, "r0"))

    assert all(accepted(r) for r in four)
    assert code(fifth) == "inflight_full"
    accepted(back)
    accepted(other)
    await world.check()


async def test_a_window_that_is_off_lets_a_fifth_pass(worlds: Worlds) -> None:
    """CK-18"""
    world = worlds(policy=Policy(surface="tree", pair_window=None))
    root, _ = await family(world, "b")

    results = await root.does(*(send(world.handle("b"), f"{n}") for n in range(6)))

    assert all(accepted(r) for r in results)
    await world.check()


async def test_a_hop_limit_of_one_lets_two_legs_pass(worlds: Worlds) -> None:
    """CK-19: a fresh turn starts at zero, the hop comes from the mail that joined, and is never shown."""
    world = worlds(policy=Policy(surface="tree", hops_max=1))
    root, a, b = await family(world, "a", "b")
    to_a, to_b = world.handle("a"), world.handle("b")

    (hop0,) = await root.does(send(to_a, "leg one"))
    await _boundary(a)
    (hop1,) = await a.does(send(to_b, "leg two"))
    await _boundary(b)
    (hop2,) = await b.does(send(to_a, "leg three"))
    await b.says("that is all")
    await world.turn_end("b")
    await world.room.send(to_b, "you may write again", mode="queue")
    (fresh,) = await b.does(send(to_a, "leg one again"))

    accepted(hop0)
    accepted(hop1)
    assert code(hop2) == "max_hops_exceeded"
    accepted(fresh)
    shown = "".join(text for text in texts(world.requests("b")[0]) if "leg" in text)
    assert not any(word in shown for word in ("hop", "messages", " 1"))
    await world.check()


async def test_without_a_hop_limit_a_long_chain_passes(world: World) -> None:
    """CK-19: off is off."""
    _, a, b = await family(world, "a", "b")
    to_a, to_b = world.handle("a"), world.handle("b")

    for leg in range(6):
        sender, receiver, to = (a, b, to_b) if leg % 2 == 0 else (b, a, to_a)
        (result,) = await sender.does(send(to, f"leg {leg}"))
        accepted(result)
        await _boundary(receiver)

    await world.check()


async def test_messaging_that_is_switched_off_refuses_in_spite_of_rules(worlds: Worlds) -> None:
    """CK-20"""
    world = worlds(policy=Policy(surface="tree", messaging_enabled=False))
    root, _ = await family(world, "b")

    (refused,) = await root.does(send(world.handle("b"), "hello"))

    assert code(refused) == "disabled"
    await world.check()


async def test_senders_that_race_never_share_the_last_place(worlds: Worlds) -> None:
    """CK-28"""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=3, concurrency=16))
    names = [f"s{n}" for n in range(8)]
    _, *senders, _ = await family(world, *names, "sink")
    to = world.handle("sink")

    results = await asyncio.gather(*(s.does(send(to, "me first")) for s in senders))

    won = [r for (r,) in results if not r.is_error]
    lost = [code(r) for (r,) in results if r.is_error]
    assert len(won) == 3
    assert lost == ["inbox_full"] * 5
    assert world.view("sink").unread == 3
    await world.check()


async def test_a_refused_send_leaves_nothing_with_the_recipient(world: World) -> None:
    """CK-29"""
    root, b = await family(world, "b")
    to = world.handle("b")
    await root.does(*(send(to, f"{n}") for n in range(4)))
    before = world.events(agent="b")

    (refused,) = await root.does(send(to, "one too many"))

    assert code(refused) == "inflight_full"
    assert world.events(agent="b") == before
    refusals = world.events("message.refused", agent="r")
    assert [e.facts["code"] for e in refusals] == ["inflight_full"]
    assert b.is_asked
    await world.check()


async def test_a_send_into_a_closing_room_says_so(world: World) -> None:
    """CK-35: whatever races with the end is durable, or is refused with a code that says why."""
    await family(world, "b")
    to, room = world.handle("b"), world.room

    outcomes = await asyncio.gather(
        *(room.send(to, f"text {n}") for n in range(5)),
        world.close(),
        *(room.send(to, f"late {n}") for n in range(5)),
        return_exceptions=True,
    )
    with pytest.raises(RoomClosed) as closed:
        await room.send(to, "much too late")

    assert closed.value.code == "engine_shutdown"
    faults = [o for o in outcomes if isinstance(o, BaseException)]
    assert all(isinstance(f, Fault) and f.code in {"engine_shutdown", "store_closed"} for f in faults)
    receipts = [o for o in outcomes if isinstance(o, Receipt)]
    await world.open()
    stored = {e.message_id for e in world.events("message.accepted")}
    assert {r.message_id for r in receipts} <= stored
    await world.check()


async def _boundary(puppet: Puppet) -> None:
    """Let it come to its next boundary: a call of a tool that nobody has."""
    await puppet.does(send("nobody", "x"))
