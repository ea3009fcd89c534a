"""Case O-31 b on `branch`: rings of three end with the messages of their chain; no two share a count."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from postroom.llm.port import ModelRequest, ResultItem
from postroom.store.tx import Tx
from postroom.testing.script import ScriptedAnswer, batch, say
from postroom.testing.world import World, texts
from tests.acceptance.branches import POLICY, address, branch_world, message, spawn
from tests.acceptance.family import Worlds

RING = ("a", "b", "c")


class Ring:
    """A, B and C, branches of one session: each sends on what it receives, always in the same words."""

    def __init__(self, world: World) -> None:
        self.world = world
        made = (spawn("get ready", background=False, agent_id=name, description=name) for name in RING)
        world.agent("r", batch(*made), say("noted"))
        for name, following in zip(RING, (*RING[1:], RING[0]), strict=True):
            world.agent(name, *[self._player(following)] * 200)

    def _player(self, following: str) -> Callable[[ModelRequest], Awaitable[ScriptedAnswer]]:
        async def play(request: ModelRequest) -> ScriptedAnswer:
            last = request.items[-1]
            if isinstance(last, ResultItem) or "ring" not in last.text:
                return say("ok")
            return message(address(self.world, following), f"ring {last.text.rstrip()[-1]}")

        return play

    async def begin(self) -> None:
        """All three exist and are idle."""
        await self.world.prompt("r", "begin")
        await self.world.quiesce()

    async def push(self, *rings: tuple[str, str]) -> None:
        """The person starts rings, each with one of the three; then all is quiet."""
        for name, first in rings:
            await self.world.room.send(address(self.world, first), f"begin ring {name}")
        await self.world.quiesce()

    def sent(self, name: str) -> int:
        """How often a ring was sent on."""
        keys = [int(str(e.facts["message"])) for e in self.world.events("message.accepted")
                if e.facts["kind"] == "mail"]  # fmt: skip
        bodies = [self.world.room.store.look(Tx.deliveries_of_message, key)[0].body for key in keys]
        return bodies.count(f"ring {name}")


@pytest.mark.parametrize("rings", [[("X", "a")], [("X", "a"), ("Y", "b")], [("X", "a"), ("Y", "a")]])
async def test_the_messages_of_a_chain_end_each_ring_at_its_own_count(
    worlds: Worlds, rings: list[tuple[str, str]]
) -> None:
    """O-31 b: eight are sent, the ninth is refused to its sender; a new text of the person starts at zero."""
    world = branch_world(worlds, replace(POLICY, concurrency=1))
    ring = Ring(world)
    await ring.begin()
    await ring.push(*rings)
    first = [ring.sent(name) for name, _ in rings]
    await ring.push(("Z", "c"))
    refused = [(e.agent, e.facts["code"]) for e in world.events("message.refused")]

    assert first == [8] * len(rings)
    assert ring.sent("Z") == 8
    assert [code for _, code in refused] == ["messages_spent"] * (len(rings) + 1)
    assert refused[-1][0] == "b"
    assert not any(word in text for text in texts(world.requests("b")[-2]) for word in ("8 messages", "hop"))
    await world.check()
