"""An answer and its cancel in one moment, again and again: what such races share on every surface."""

import asyncio
import random

from postroom.llm.port import ModelRequest
from postroom.testing.script import ScriptedAnswer, say

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
