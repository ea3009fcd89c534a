"""Random forks, reverts and summaries of agents that write to each other: nothing is lost or doubled.

The interleaving is the machine's, so a seed names a mix of actions and not one exact run.
"""

import asyncio
import random
from contextlib import suppress

import pytest

from postroom.domain.policy import Policy
from postroom.errors import Fault, ModelFault, Refused
from postroom.llm.port import ModelRequest, ModelSettings
from postroom.profiles.rights import Rights
from postroom.service.contexts import chars_to
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.script import ScriptedAnswer, ScriptedModel, batch, say
from postroom.testing.world import World
from tests.acceptance.family import EVERYBODY, Worlds, delegate, send

STEPS = 40
SMALL = ModelSettings(context_window=2_500, max_tokens=200)
"""So small that agents are summed up on their own, too."""
DEEDS = ("prompt", "prompt", "revert", "revert", "fork", "stop", "resume", "wait", "compact", "compact")
ROUNDS = 150
"""Model calls of one run before everybody only ends its turns."""


class Wanderer:
    """Plays every agent and the person; all chance comes from one seed."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.chance = random.Random(seed)
        self.left = ROUNDS
        self.summaries = set[asyncio.Task[None]]()
        for profile in ("r", "a"):
            world.agent(
                profile, *([self.round] * 500), may_message=EVERYBODY, delegates_to=("a",), settings=SMALL
            )
        world.rights = Rights(side_calls={"summary": "scripted:scribe"})
        world.models["scribe"] = ScriptedModel(self._summary, clock=world.clock)

    async def round(self, request: ModelRequest) -> ScriptedAnswer:
        """What an agent does next."""
        self.left -= 1
        pick = self.chance.random()
        if self.left <= 0 or pick < 0.4:
            return say("Done.")
        if pick < 0.5:
            raise ModelFault(f"no answer for {request.agent}")
        return batch(*(self._deed() for _ in range(self.chance.choice((1, 1, 2)))))

    async def _summary(self, _request: ModelRequest) -> ScriptedAnswer:
        if self.chance.random() < 0.2:
            raise ModelFault("no summary")
        return say(self.chance.choice(("a record", "a record", " ")))

    def _deed(self) -> ScriptedAnswer:
        if self.chance.random() < 0.3:
            return delegate("a", background=self.chance.random() < 0.7)
        someone = self.chance.choice(self.world.views())
        to = someone.handle or someone.session_id
        return send(to, "some mail", self.chance.choice(("steer", "queue")))

    async def step(self) -> None:
        """What the person does next; a refusal is an answer too."""
        room = self.world.room
        session = self.chance.choice(self.world.views()).session_id
        deed = self.chance.choice(DEEDS)
        with suppress(Refused):
            match deed:
                case "prompt":
                    await room.prompt("go on ".ljust(self.chance.choice((9, 900)), "."), session=session)
                case "compact":
                    self._begin_summary(session)
                case "stop":
                    await room.stop(session)
                case "resume":
                    await room.resume(session)
                case "wait":
                    await room.quiesce()
                case _:
                    await self._go_back(session, deed)

    def _begin_summary(self, session: str) -> None:
        """Beside everything else; whatever becomes of it."""
        room = self.world.room

        async def compact() -> None:
            with suppress(Fault):
                await room.compact(session)

        task = asyncio.create_task(compact())
        self.summaries.add(task)
        task.add_done_callback(self.summaries.discard)

    async def _go_back(self, session: str, deed: str) -> None:
        room = self.world.room
        places = await room.places(session)
        if not places:
            return
        place = self.chance.choice(places)
        if deed == "fork":
            await room.fork(session, place.place)
        elif not place.sealed_id:
            keeps = self.chance.random() < 0.3
            await room.revert(session, place.place, keep_tasks=keeps)


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_is_forked_taken_back_and_summed_up_the_invariants_hold(
    worlds: Worlds, seed: int
) -> None:
    """CK-38, O-38, I1 to I8: and the length of every context is that of its nodes."""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=6, pair_window=3, concurrency=2))
    wanderer = Wanderer(world, seed)
    await world.prompt("r", "begin")
    for n in range(STEPS):
        await wanderer.step()
        if wanderer.chance.random() < 0.5:
            await asyncio.sleep(0)
        assert world.room.store.look(invariants.miscounts) == []
        if n == STEPS // 2:
            await world.crash()
            await world.open()
    wanderer.left = 0
    await asyncio.gather(*wanderer.summaries)
    await world.rest()

    assert world.room.store.look(_wrong_lengths) == []
    await world.check()


def _wrong_lengths(tx: Tx) -> list[tuple[int, int, int]]:
    """(branch, length, length of its nodes) where they differ."""
    found = list[tuple[int, int, int]]()
    for branch in invariants.read_ledger(tx).branches:
        row = tx.branch_row(branch)
        chars = chars_to(tx, row.head)
        if chars != row.context_chars:
            found.append((branch, row.context_chars, chars))
    return found
