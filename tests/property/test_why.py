"""Whatever restless trees have done: from every id of a store its views lead to all that hangs together."""

import asyncio

import pytest

from postroom.domain.policy import Policy
from postroom.errors import Refused
from postroom.rules.permissions import Effect, Rule
from tests.acceptance.family import Worlds
from tests.acceptance.why_graph import flaws
from tests.property.test_trees import Restless

ASKED = (
    Rule(action="message", effect=Effect.ASK, pattern="child"),
    Rule(action="message", effect=Effect.ASK, pattern="sibling"),
    Rule(action="delegate", effect=Effect.ASK, pattern="a"),
)


class Watched(Restless):
    """The person has laid asks over the tree, and decides them at random."""

    async def some_answers(self, count: int) -> None:
        """As before; while only the person is waited for, the person decides."""
        await self.watch(asyncio.ensure_future(super().some_answers(count)))

    async def watch(self, until: asyncio.Task[None]) -> None:
        """Decide what is open, a while after it was opened."""
        while not until.done():
            asks = await self.world.room.asks()
            await self.idle(40)
            for ask in asks[: self.chance.randrange(3)]:
                await self.decide(ask.ask_id, self.chance.choice(("once", "tree", "deny")))
            await self.idle(3)
        await until

    async def decide(self, ask_id: str, verdict: str) -> None:
        """One decision; the ask may have ended meanwhile."""
        room = self.world.room
        try:
            if verdict == "deny":
                await room.deny(ask_id, "no")
            else:
                await room.approve(ask_id, verdict)
        except Refused:
            pass


@pytest.mark.parametrize("seed", range(100, 103))
async def test_following_the_links_reaches_what_the_tables_say(worlds: Worlds, seed: int) -> None:
    world = worlds(policy=Policy(surface="tree", concurrency=1 + seed % 4, waiting_max=4, mailbox_cap=6))
    restless = Restless(world, seed)
    await world.prompt("r", "begin")
    for _ in range(12):
        await restless.step()
    restless.left = 0
    await world.room.stop(world.view("r").session_id)
    await world.room.resume(world.view("r").session_id)
    await world.check()

    assert flaws(world.folder) == []


@pytest.mark.parametrize("seed", range(200, 206))
async def test_asks_are_links_like_all_others(worlds: Worlds, seed: int) -> None:
    """Also those of turns that stops, cancels and deaths of the process have ended."""
    world = worlds(policy=Policy(surface="tree", concurrency=1 + seed % 4, waiting_max=4))
    watched = Watched(world, seed)
    await world.prompt("r", "begin")
    await world.room.set_overlay(world.view("r").session_id, ASKED)
    for _ in range(12):
        await watched.step()
    watched.left = 0
    await watched.watch(asyncio.ensure_future(world.quiesce()))
    await world.check()

    assert flaws(world.folder) == []
