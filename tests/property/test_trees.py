"""Trees of restless agents: whatever they and the person do at random, the invariants hold in the end.

The interleaving is the machine's, so a seed names a mix of actions and not one exact run. That is meant:
what is asserted must hold for every interleaving.
"""

import asyncio
import random
from collections.abc import Mapping

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import ModelFault, Refused
from postroom.llm.port import ModelRequest
from postroom.testing.script import ScriptedAnswer, batch, call, say
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import EVERYBODY, Worlds, delegate, send

PROFILES = ("r", "a", "b")
DEEDS = ("prompt", "send", "send", "stop", "resume", "cancel", "crash", "close")
ROUNDS = 120
"""Model calls of one run before everybody rests."""


class Panic(BaseException):
    """What no tool may raise."""


class Restless:
    """Plays every agent and the person; all chance comes from one seed."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.chance = random.Random(seed)
        self.left = ROUNDS
        self.sent = 0
        world.tool("work", self._work)
        for profile in PROFILES:
            world.agent(
                profile,
                *([self.round] * 500),
                may_message=EVERYBODY,
                delegates_to=PROFILES[1:],
                tools=("work",),
            )

    async def round(self, request: ModelRequest) -> ScriptedAnswer:
        """What an agent does next."""
        self.left -= 1
        await self.idle(10)
        if self.left <= 0:
            return say("I rest.")
        pick = self.chance.random()
        if pick < 0.06:
            raise ModelFault(f"no answer for {request.agent}")
        if pick < 0.35:
            return say(self.chance.choice(("done", "done", "")))
        return batch(*(self._action() for _ in range(self.chance.choice((1, 1, 1, 2, 3)))))

    async def step(self) -> None:
        """What the person does next; a refusal is an answer too."""
        someone = self._anybody()
        room = self.world.room
        try:
            match self.chance.choice(
                ("prompt", "send", "send", "stop", "resume", "cancel", "crash", "close")
            ):
                case "prompt":
                    await self.world.prompt("r", "go on")
                case "send":
                    await room.send(someone, self._body(), mode=self.chance.choice(("steer", "queue")))
                case "stop":
                    await room.stop(someone)
                case "resume":
                    await room.resume(someone)
                case "cancel":
                    await room.cancel(someone)
                case "crash":
                    await self.world.crash()
                case _:
                    await self.world.close()
        except Refused:
            pass
        await self.world.open()
        await self.some_answers(self.chance.randrange(6))

    async def some_answers(self, count: int) -> None:
        """Let so many answers be committed, unless all is quiet before."""
        wanted = len(self.world.events("answer.committed")) + count
        waits = {
            asyncio.ensure_future(self.world.event("answer.committed", wanted)),
            asyncio.ensure_future(self.world.quiesce()),
        }
        _, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in pending:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)

    async def idle(self, turns: int) -> None:
        """Let others run for some turns of the loop."""
        for _ in range(self.chance.randrange(turns)):
            await asyncio.sleep(0)

    def _action(self) -> ScriptedAnswer:
        match self.chance.choice(("send", "send", "send", "delegate", "result", "cancel", "work", "nothing")):
            case "send":
                return send(self._anybody(), self._body(), self.chance.choice(("steer", "queue")))
            case "delegate":
                return delegate(self.chance.choice(PROFILES[1:]), background=self.chance.random() < 0.5)
            case "result":
                wait = self.chance.random() < 0.5
                return call("get_subagent_result", session_id=self._anybody(), wait=wait)
            case "cancel":
                return call("cancel_subagent", session_id=self._anybody())
            case other:
                return call(other)

    async def _work(self, _caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        await self.idle(40)
        if self.chance.random() < 0.1:
            raise Panic
        return ToolResult(text="worked")

    def _anybody(self) -> str:
        view = self.chance.choice(self.world.views())
        return view.handle or view.session_id

    def _body(self) -> str:
        self.sent += 1
        return f"message {self.sent}"


@pytest.mark.parametrize("seed", range(8))
async def test_restless_trees_lose_nothing_and_double_nothing(worlds: Worlds, seed: int) -> None:
    """I1 to I8"""
    policy = Policy(surface="tree", concurrency=1 + seed % 4, waiting_max=4, mailbox_cap=6)
    world = worlds(policy=policy)
    restless = Restless(world, seed)

    await world.prompt("r", "begin")
    for _ in range(14):
        await restless.step()
    restless.left = 0
    await world.room.stop(world.view("r").session_id)
    await world.room.resume(world.view("r").session_id)
    await world.reopen()

    await world.check()
