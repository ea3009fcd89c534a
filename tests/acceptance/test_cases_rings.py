"""Cases O-31 and O-32: rings of three end by a limit, and every place in a mailbox comes back."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from postroom.domain.policy import Policy
from postroom.errors import ModelFault
from postroom.llm.port import ModelRequest, ResultItem
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, batch, say
from postroom.testing.world import World, texts
from tests.acceptance.family import Worlds, accepted, code, delegate, family, send
from tests.acceptance.races import read_all

RING = ("a", "b", "c")
RACES = 300


class Ring:
    """A, B and C: each sends on what it receives, in its own words and always the same ones."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.agent("r", batch(*(delegate(name, "get ready") for name in RING)), *[say("noted")] * 4,
                    delegates_to=RING)  # fmt: skip
        for name, following in zip(RING, (*RING[1:], RING[0]), strict=True):
            world.agent(name, *[self._player(following)] * 400, may_message=("sibling",))

    def _player(self, following: str) -> Callable[[ModelRequest], Awaitable[ScriptedAnswer]]:
        async def play(request: ModelRequest) -> ScriptedAnswer:
            last = request.items[-1]
            if isinstance(last, ResultItem) or "ring" not in last.text:
                return say("ok")
            name = "ring X" if "ring X" in last.text else "ring Y" if "ring Y" in last.text else "ring Z"
            return send(self.world.handle(following), name, "queue")

        return play

    async def begin(self) -> None:
        """All three exist and are idle."""
        await self.world.prompt("r", "begin")
        await self.world.quiesce()

    async def push(self, *rings: tuple[str, str]) -> None:
        """The person starts rings, each with one of the three; then all is quiet."""
        for name, first in rings:
            await self.world.room.send(self.world.view(first).session_id, f"begin {name}", mode="queue")
        await self.world.quiesce()

    def sent(self, name: str) -> int:
        """How often a ring was sent on."""
        return sum(e.facts["kind"] == "mail" and self._body(e.facts["message"]) == name
                   for e in self.world.events("message.accepted"))  # fmt: skip

    def _body(self, message: object) -> str:
        return self.world.room.store.look(Tx.deliveries_of_message, int(str(message)))[0].body

    def refusals(self) -> list[str]:
        """The codes of refused sends."""
        return [str(e.facts["code"]) for e in self.world.events("message.refused")]


@pytest.mark.parametrize("rings", [[("ring X", "a")], [("ring X", "a"), ("ring Y", "b")]])
async def test_a_hop_limit_ends_each_ring_at_its_own_count(
    worlds: Worlds, rings: list[tuple[str, str]]
) -> None:
    """O-31 a: hops 0 to 6 pass, the eighth send is refused to its sender; chains do not share a count."""
    world = worlds(policy=Policy(surface="tree", hops_max=6))
    ring = Ring(world)
    await ring.begin()
    await ring.push(*rings)
    first = [ring.sent(name) for name, _ in rings]
    await ring.push(("ring Z", "c"))

    assert first == [7] * len(rings)
    assert ring.sent("ring Z") == 7
    assert ring.refusals() == ["max_hops_exceeded"] * (len(rings) + 1)
    await world.check()


@pytest.mark.parametrize("rings", [[("ring X", "a")], [("ring X", "a"), ("ring Y", "b")]])
async def test_the_messages_of_a_chain_end_each_ring_at_its_own_count(
    worlds: Worlds, rings: list[tuple[str, str]]
) -> None:
    """O-31 b: eight are sent, the ninth is refused to its sender; chains do not share a count."""
    world = worlds(policy=Policy(surface="tree", hops_max=None, messages_max=8))
    ring = Ring(world)
    await ring.begin()
    await ring.push(*rings)
    first = [ring.sent(name) for name, _ in rings]
    await ring.push(("ring Z", "c"))

    assert first == [8] * len(rings)
    assert ring.sent("ring Z") == 8
    assert ring.refusals() == ["messages_spent"] * (len(rings) + 1)
    await world.check()


async def test_a_model_reads_no_counter(worlds: Worlds) -> None:
    """O-31: every envelope of a ring is the same text, however deep it is."""
    world = worlds(policy=Policy(surface="tree", hops_max=6))
    ring = Ring(world)
    await ring.begin()
    await ring.push(("ring X", "a"))

    received = {text for text in texts(world.requests("b")[-1]) if "agent_message" in text}
    assert len(received) == 1
    await world.check()


async def test_without_hops_a_ring_ends_by_the_turns_of_its_chain_alone(worlds: Worlds) -> None:
    """O-31 c: the outer cap, for two rings in the same three sessions, each with a count of its own."""
    world = worlds(policy=Policy(surface="tree", hops_max=None, pair_window=4, chain_turns_max=30))
    ring = Ring(world)
    await ring.begin()
    await ring.push(("ring X", "a"), ("ring Y", "b"))

    began = [int(str(e.facts["chain"])) for e in world.events("chain.began")]
    turns = [world.room.store.look(Tx.chain_of, chain)[0] for chain in began[1:]]
    assert turns == [30, 30]
    assert (ring.sent("ring X"), ring.sent("ring Y")) == (29, 29)
    assert ring.refusals() == ["chain_spent"] * 2
    await world.check()


async def _consumed(world: World, b: Puppet) -> None:
    await read_all(world, b, _branch(world))


async def _cancelled(world: World, b: Puppet) -> None:
    await world.room.cancel(world.view("b").session_id)
    await world.request("b", 3)
    await read_all(world, b, _branch(world))


async def _restarted(world: World, b: Puppet) -> None:
    await world.crash()
    await world.open()
    await b.asked()
    await read_all(world, b, _branch(world))


async def _quarantined(world: World, b: Puppet) -> None:
    """Whatever else waited is in the same context, and is set aside with it or one attempt later."""
    turns = 2
    while not world.events("message.discarded", agent="b"):
        await b.fails(ModelFault("broken"))
        await world.turn_end("b", turns)
        turns += 1
        if _is_idle(world):
            await world.room.resume(world.view("b").session_id)
        await b.asked()


async def _rewound(world: World, b: Puppet) -> None:
    """The mail that was claimed in the part left behind is read again."""
    child = world.view("b").session_id
    while not _is_idle(world):
        await world.room.cancel(child)
    head = world.room.store.look(Tx.head_of, _branch(world))
    first, *_ = world.room.store.look(Tx.path_to_head, head or 0)
    await world.room.revert(child, str(first.key))
    await world.room.resume(child)
    await b.asked()
    await read_all(world, b, _branch(world))


def _is_idle(world: World) -> bool:
    return world.room.store.look(Tx.branch_row, _branch(world)).turn is None


def _branch(world: World) -> int:
    (made,) = [e for e in world.events("session.created") if e.agent.startswith("b_")]
    return int(str(made.facts["branch"]))


ENDS = (_consumed, _cancelled, _restarted, _quarantined, _rewound)


@pytest.mark.parametrize("ends", ENDS, ids=[each.__name__.strip("_") for each in ENDS])
async def test_a_place_comes_back_however_a_message_ends(
    worlds: Worlds, ends: Callable[[World, Puppet], Awaitable[None]]
) -> None:
    """O-32: inbox 3, window 2, both full; after each end a recount agrees and the next send is accepted."""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=3, pair_window=2))
    root, a, c, b = await family(world, "a", "c", "b")
    to = world.handle("b")
    await b.says("free")
    await world.turn_end("b")
    first = await a.does(send(to, "m1"), send(to, "m2"), send(to, "over"))
    await b.asked()
    other = await c.does(send(to, "m3", "queue"), send(to, "over"))

    await ends(world, b)
    miscounts = world.room.store.look(invariants.miscounts)
    sender = await _someone(world, a, root)
    (again,) = await sender.does(send(to, "m4"))

    assert [r.is_error for r in first] == [False, False, True]
    assert code(first[2]) == "inflight_full"
    assert [r.is_error for r in other] == [False, True]
    assert code(other[1]) == "inbox_full"
    assert not miscounts
    accepted(again)
    await world.check()


async def _someone(world: World, a: Puppet, root: Puppet) -> Puppet:
    """The sender of the full window, at work again where a restart has cut its turn."""
    if not a.is_asked:
        await root.asked()
        await world.room.send(world.view("a").session_id, "go on")
        await a.asked()
    return a


async def test_of_two_senders_for_the_last_place_exactly_one_gets_it(worlds: Worlds) -> None:
    """O-32, CK-28: 300 times; the loser reads the code, and nothing of its message is stored."""
    world = worlds(
        policy=Policy(
            surface="tree",
            mailbox_cap=3,
            pair_window=2,
            rounds_max=2_000,
            concurrency=8,
            chain_turns_max=None,
        )
    )
    _, s1, s2, filler, b = await family(world, "s1", "s2", "f", "b")
    to, branch = world.handle("b"), _branch(world)
    winners = {"s1": 0, "s2": 0}
    for number in range(RACES):
        await filler.does(send(to, f"f{number}", "queue"), send(to, f"g{number}", "queue"))
        racers = [("s1", s1), ("s2", s2)] if number % 2 else [("s2", s2), ("s1", s1)]
        results = await asyncio.gather(*(p.does(send(to, f"{n}-{number}", "queue")) for n, p in racers))
        lost = [name for (name, _), (r,) in zip(racers, results, strict=True) if r.is_error]
        assert [code(r) for (r,) in results if r.is_error] == ["inbox_full"]
        winners["s2" if lost == ["s1"] else "s1"] += 1
        await read_all(world, b, branch)

    stored = [e for e in world.events("message.accepted") if e.facts["kind"] == "mail"]
    assert len(stored) == 3 * RACES
    assert sum(winners.values()) == RACES == len(world.events("message.refused"))
    assert not world.room.store.look(invariants.miscounts)
    await world.check()
