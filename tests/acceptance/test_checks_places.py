"""CK-16, CK-17, CK-19: what takes a place and what never does, and how deep a chain of messages is."""

import pytest

from postroom.domain.policy import Policy
from postroom.errors import ModelFault
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World, texts, times
from tests.acceptance.family import EVERYBODY, Worlds, accepted, code, delegate, family, send


def _held(world: World, profile: str) -> int:
    """Unacknowledged agent mail of an agent, as its mailbox counts it."""
    session = world.view(profile).session_id
    found = world.room.store.look(Tx.recipient_by_public_id, None, session)
    assert found is not None
    return found.n_cap


async def _all_but_mail(world: World, root: Puppet, b: Puppet, c: Puppet) -> list[str]:
    """The root is sent one of each kind that is no agent's mail, by those who write such; their kinds."""
    to, known = world.view("r").session_id, len(world.events("message.accepted", agent="r"))
    await world.room.send(to, "the person's word")
    await world.room.send(to, "the person's later word", mode="queue")
    await world.room.plugin_send("calendar", to, "a plugin's word", key="k")
    await b.says("b's result")
    await world.turn_end("b")
    (unread,) = [e for e in world.events("message.accepted", agent="c") if e.facts["kind"] == "mail"]
    await world.room.recall(unread.message_id)  # its sender, the root, is told: a notice
    await c.fails(ModelFault("c's failure"))
    await world.turn_end("c")
    assert root.is_asked
    return [str(e.facts["kind"]) for e in world.events("message.accepted", agent="r")[known:]]


@pytest.mark.parametrize("full", [True, False], ids=["full", "empty"])
async def test_only_agent_mail_takes_a_place_and_nothing_else_is_ever_refused(
    worlds: Worlds, *, full: bool
) -> None:
    """CK-16, CK-18, O-32: cap and window of one, with the place taken before all others or after."""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=1, pair_window=1))
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("a", "b", "c"))
    a, b, c = (world.puppet(name, may_message=EVERYBODY) for name in ("a", "b", "c"))
    to = (await world.prompt("r", "begin")).session_id
    await root.does(delegate("a"), delegate("b"), delegate("c"))
    for child in (a, b, c):
        await child.asked()
    await root.does(send(world.handle("c"), "will be taken back", "queue"))
    if full:
        accepted((await a.does(send(to, "a's mail")))[0])
    before = _held(world, "r")

    kinds = await _all_but_mail(world, root, b, c)
    held = _held(world, "r")
    (last,) = await a.does(send(to, "a's late mail"))
    await world.rest()

    assert sorted(kinds) == ["notice", "plugin", "result", "result", "user", "user"]
    assert before == held == int(full)
    if full:
        assert code(last) == "inbox_full"
    else:
        accepted(last)
    for text in (
        "the person's word",
        "the person's later word",
        "a plugin's word",
        "b's result",
        "taken back by",
    ):
        assert times(text, world.requests("r")) == 1
    assert not world.room.store.look(invariants.miscounts)
    await world.check()


async def test_nothing_is_dropped_to_make_room(worlds: Worlds) -> None:
    """CK-16: the refused sender reads the code, and who came first is read, in order and whole."""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=2, pair_window=None))
    root, a, b = await family(world, "a", "b")
    to = world.handle("b")
    first = await root.does(send(to, "older 1"), send(to, "older 2", "queue"))
    refused = await a.does(send(to, "newer 1"), send(to, "newer 2", "queue"))

    await b.says("hm")
    await world.request("b", 2)
    b.rests()
    await world.turn_end("b", 2)
    (after,) = await a.does(send(to, "newer 3"))
    await world.turn_end("b", 3)

    assert all(accepted(r) for r in first)
    assert [code(r) for r in refused] == ["inbox_full"] * 2
    accepted(after)
    assert not world.events("message.discarded")
    read = "".join(texts(world.requests("b")[-1]))
    assert [read.count(t) for t in ("older 1", "older 2", "newer 1", "newer 2", "newer 3")] == [1, 1, 0, 0, 1]
    await world.check()


async def _boundary(puppet: Puppet) -> None:
    await puppet.does(call("nothing"))


async def test_a_hop_is_that_of_the_deepest_mail_which_joined(worlds: Worlds) -> None:
    """CK-19: a steer that joins later counts from its boundary on; a shallower one after it does not."""
    world = worlds(policy=Policy(surface="tree", hops_max=2))
    root, a, b, c = await family(world, "a", "b", "c")
    to_a, to_b, to_c = (world.handle(name) for name in ("a", "b", "c"))

    (before,) = await b.does(send(to_c, "fresh", "queue"))  # hop 0
    await root.does(send(to_a, "hop zero"))
    await _boundary(a)
    await a.does(send(to_b, "hop one"))
    (still_fresh,) = await c.does(send(to_a, "fresh too", "queue"))  # c has read nothing yet
    await _boundary(b)  # the steer joins
    await root.does(send(to_b, "hop zero again"))
    await _boundary(b)  # and a shallower one
    (two,) = await b.does(send(to_c, "hop two"))
    await _boundary(c)
    (three,) = await c.does(send(to_a, "hop three"))

    for passed in (before, still_fresh, two):
        accepted(passed)
    assert code(three) == "max_hops_exceeded"
    await world.check()


async def test_mail_that_opens_a_turn_makes_its_hops_and_a_task_does_not(worlds: Worlds) -> None:
    """CK-19: a woken agent goes on at one more; a child that is given a task begins at zero."""
    world = worlds(policy=Policy(surface="tree", hops_max=0))
    a = world.puppet("a", may_message=EVERYBODY, delegates_to=("d",))
    d = world.puppet("d", may_message=EVERYBODY)
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("a",))
    up = (await world.prompt("r", "begin")).session_id
    await root.does(delegate("a"))
    await a.says("idle")
    await world.turn_end("a")

    (zero,) = await root.does(send(world.handle("a"), "wake"))
    (one,) = await a.does(send(up, "one too deep"))
    await a.does(delegate("d"))
    await d.asked()
    (fresh,) = await d.does(send(world.handle("a"), "from a task"))
    await world.room.send(world.handle("a"), "a word of the person", mode="queue")
    for text in ("end of the woken turn", "read what d wrote"):
        await a.says(text)
    (again,) = await a.does(send(up, "fresh again"))

    accepted(zero)
    assert code(one) == "max_hops_exceeded"
    accepted(fresh)
    accepted(again)
    await world.check()


@pytest.mark.parametrize("mode", ["steer", "queue"])
async def test_hops_outlive_a_crash(worlds: Worlds, mode: str) -> None:
    """CK-19, CK-13: the count is on the message and not in the process."""
    world = worlds(policy=Policy(surface="tree", hops_max=0))
    root, a = await family(world, "a")
    await a.says("idle")
    await world.turn_end("a")
    await world.room.stop(world.view("a").session_id)
    await root.does(send(world.handle("a"), "hop zero", mode))

    await world.crash()
    await world.open()
    await world.room.resume(world.handle("a"))
    (one,) = await a.does(send(world.view("r").session_id, "hop one"))

    assert code(one) == "max_hops_exceeded"
    await world.check()


async def test_a_claimed_and_a_released_message_keep_their_place_in_the_window(worlds: Worlds) -> None:
    """CK-18, CK-17: while it is read, while it waits again after a failure, until it is answered."""
    world = worlds(policy=Policy(surface="tree", pair_window=1))
    root, b = await family(world, "b")
    to = world.handle("b")
    await b.says("idle")
    await world.turn_end("b")
    accepted((await root.does(send(to, "takes the place")))[0])
    await b.asked()

    (claimed,) = await root.does(send(to, "while it is being read"))
    await b.fails(ModelFault("broken"))
    await world.turn_end("b", 2)
    (released,) = await root.does(send(to, "while it waits again"))
    await world.room.resume(to)
    await b.says("answered")
    await world.turn_end("b", 3)
    (consumed,) = await root.does(send(to, "once it was answered"))

    assert [code(r) for r in (claimed, released)] == ["inflight_full"] * 2
    accepted(consumed)
    await world.check()


async def test_a_window_belongs_to_its_direction_and_its_pair(worlds: Worlds) -> None:
    """CK-18: a full window of one pair leaves every other one open, also that of the same sender."""
    world = worlds(policy=Policy(surface="tree", pair_window=1))
    root, a, b = await family(world, "a", "b")
    to_r, to_a, to_b = world.view("r").session_id, world.handle("a"), world.handle("b")
    every = ((root, to_a), (root, to_b), (a, to_b), (a, to_r), (b, to_a), (b, to_r))

    first = [(await sender.does(send(to, "first", "queue")))[0] for sender, to in every]
    second = [(await sender.does(send(to, "second", "queue")))[0] for sender, to in every]

    assert all(accepted(r) for r in first)
    assert [code(r) for r in second] == ["inflight_full"] * 6
    await world.check()
