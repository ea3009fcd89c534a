"""CK-16, CK-18, CK-28 under concurrency: the last place goes to exactly one, and the others leave nothing.

Every race is between calls that run at the same time. What a mailbox holds is read back from the tables
after each, and a recount of the log agrees at the end.
"""

import asyncio
from collections import Counter

from postroom.domain.policy import Policy
from postroom.testing import invariants
from postroom.testing.world import World
from tests.acceptance.family import Worlds, code, family, send
from tests.acceptance.races import held_by, read_all

RACES = 100
RACES_OF_BOTH = 75
"""The cap alone has its 300 in `test_cases_rings`."""


def _policy(*, cap: int | None, window: int | None) -> Policy:
    return Policy(
        surface="tree", mailbox_cap=cap, pair_window=window, rounds_max=4_000, concurrency=8,
        chain_turns_max=None,
    )  # fmt: skip


def _branch(world: World, name: str) -> int:
    (made,) = [e for e in world.events("session.created") if e.agent.startswith(f"{name}_")]
    return int(str(made.facts["branch"]))


async def test_of_two_calls_for_the_last_place_of_a_window_exactly_one_gets_it(worlds: Worlds) -> None:
    """CK-18, CK-28: 100 times, two calls of one answer, of one sender and of the other by turns."""
    world = worlds(policy=_policy(cap=None, window=3))
    _, s1, s2, b = await family(world, "s1", "s2", "b")
    to, branch = world.handle("b"), _branch(world, "b")
    lost: Counter[str] = Counter()
    for number in range(RACES):
        racer = (s1, s2)[number % 2]
        await racer.does(send(to, "one", "queue"), send(to, "two", "queue"))
        results = await racer.does(send(to, "three", "queue"), send(to, "four", "queue"))
        lost.update(code(r) for r in results if r.is_error)
        assert [r.is_error for r in results].count(False) == 1
        assert held_by(world, branch) == 3
        await read_all(world, b, branch)

    stored = [e for e in world.events("message.accepted") if e.facts["kind"] == "mail"]
    assert lost == {"inflight_full": RACES}
    assert len(stored) == 3 * RACES
    assert len(world.events("message.refused")) == RACES
    assert not world.room.store.look(invariants.miscounts)
    await world.check()


async def test_of_two_senders_at_their_last_places_exactly_one_gets_that_of_the_cap(worlds: Worlds) -> None:
    """CK-16, CK-18, CK-28: each has one place left in its window, and the mailbox one for both."""
    world = worlds(policy=_policy(cap=3, window=2))
    _, s1, s2, b = await family(world, "s1", "s2", "b")
    to, branch = world.handle("b"), _branch(world, "b")
    lost: Counter[str] = Counter()
    for number in range(RACES_OF_BOTH):
        for racer in (s1, s2):
            await racer.does(send(to, "first", "queue"))
        racers = (s1, s2) if number % 2 else (s2, s1)
        both = [send(to, "more", "queue"), send(to, "still more", "queue")]
        results = [r for rs in await asyncio.gather(*(racer.does(*both) for racer in racers)) for r in rs]
        lost.update(code(r) for r in results if r.is_error)
        assert [r.is_error for r in results].count(False) == 1
        assert held_by(world, branch) == 3
        await read_all(world, b, branch)

    stored = [e for e in world.events("message.accepted") if e.facts["kind"] == "mail"]
    assert set(lost) == {"inbox_full"}  # the cap is looked at before the window
    assert lost.total() == 3 * RACES_OF_BOTH == len(world.events("message.refused"))
    assert len(stored) == 3 * RACES_OF_BOTH
    assert not world.room.store.look(invariants.miscounts)
    await world.check()


async def test_many_senders_fill_a_mailbox_of_the_usual_size_to_its_last_place(worlds: Worlds) -> None:
    """CK-16, CK-28: twelve senders with four places each race for 32; sixteen calls are told `inbox_full`."""
    names = [f"s{n}" for n in range(12)]
    world = worlds(policy=Policy(surface="tree", concurrency=16))
    _, *senders, _ = await family(world, *names, "b")
    to, branch = world.handle("b"), _branch(world, "b")

    answers = await asyncio.gather(
        *(each.does(*(send(to, f"{n}", "queue") for n in range(4))) for each in senders)
    )

    results = [r for rs in answers for r in rs]
    assert [r.is_error for r in results].count(False) == 32
    assert {code(r) for r in results if r.is_error} == {"inbox_full"}
    assert held_by(world, branch) == 32
    assert len([e for e in world.events("message.accepted") if e.facts["kind"] == "mail"]) == 32
    await world.check()
