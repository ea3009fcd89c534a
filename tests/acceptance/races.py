"""An answer and its cancel in one moment, again and again: what such races share on every surface."""

import asyncio
import random

from postroom.llm.port import ModelRequest
from postroom.store.tx import Tx
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, say
from postroom.testing.world import World

RACES = 300
TOGETHER = 10


class Race:
    """One side answers after a while of its own, the other acts in the same while (O-16)."""

    def __init__(self) -> None:
        self.source = random.Random(16)
        self.ends: dict[str, asyncio.Event] = {}

    async def noted(self, _request: ModelRequest) -> ScriptedAnswer:
        """Both calls have returned."""
        return say("noted")

    async def answer(self, request: ModelRequest) -> ScriptedAnswer:
        """The result of the race."""
        number = request.items[0].text
        await self.ends[number].wait()
        await self.linger(600)
        return say(f"result {number}.")

    async def linger(self, most: int) -> None:
        """As many turns of the loop as the dice say."""
        for _ in range(self.source.randrange(most)):
            await asyncio.sleep(0)


def held_by(world: World, branch: int) -> int:
    """Unacknowledged agent mail of a mailbox, as its row counts it."""
    return world.room.store.look(Tx.recipient_by_branch, None, branch).n_cap


async def read_all(world: World, reader: Puppet, branch: int) -> None:
    """It answers until nothing is left to read in its mailbox."""
    doorbell = world.room.store.doorbell
    listener = doorbell.listen()
    try:
        while held_by(world, branch):
            if reader.is_asked:
                await reader.says("read")
            # It may ask after the last commit: that rings no bell.
            changes = [asyncio.ensure_future(change) for change in (listener.wait(), reader.asked())]
            await asyncio.wait(changes, return_when=asyncio.FIRST_COMPLETED)
            for change in changes:
                change.cancel()
            listener.clear()
    finally:
        doorbell.leave(listener)
