"""The slots of the process on `branch`: how many turns of agents run at once, and whose are not counted."""

import asyncio
from dataclasses import replace

import pytest

from postroom.llm.port import ModelRequest
from postroom.llm.scripted import Round
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, ScriptedAnswer, batch, say
from postroom.testing.world import World, texts
from tests.acceptance.branches import POLICY, address, branch_world, message, pair, spawn
from tests.acceptance.family import Worlds
from tests.acceptance.task_talk import states

FREE = replace(POLICY, fan_out_max=None, generations_max=None, messages_max=None)


class Crowd:
    """Agents whose answers are held, and how many of them were asked at once."""

    def __init__(self, n_rounds: int = 40) -> None:
        self.gates: asyncio.Queue[Gate] = asyncio.Queue()
        self.n_now = 0
        self.n_most = 0
        self.rounds: tuple[Round, ...] = (self._play,) * n_rounds

    async def _play(self, _request: ModelRequest) -> ScriptedAnswer:
        gate = Gate()
        self.n_now += 1
        self.n_most = max(self.n_most, self.n_now)
        self.gates.put_nowait(gate)
        try:
            await gate.through()
        finally:
            self.n_now -= 1
        return say("done")

    async def answers(self) -> None:
        """Let the one answer that has been asked longest."""
        (await self.gates.get()).open()


async def test_of_thirty_agents_made_at_once_never_more_than_four_run(worlds: Worlds) -> None:
    """OP-11: the rest stand in line, and all of them end."""
    world, crowd = branch_world(worlds, FREE), Crowd()
    a = world.puppet("a")
    world.agent("k", *crowd.rounds)
    await world.prompt("a", "begin")
    await a.does(*(spawn(f"number {n}", agent_id="k") for n in range(30)))
    for _ in range(30):
        await crowd.answers()
    a.rests()
    await world.quiesce()

    assert crowd.n_most == 4
    assert list(states(world).values()) == ["completed"] * 30
    await world.check()


async def test_all_sessions_of_the_process_share_its_slots_and_the_person_waits_for_none(
    worlds: Worlds,
) -> None:
    """OP-11: the pool is global; turns that the person's text opens are not counted."""
    world, crowd = branch_world(worlds, replace(FREE, concurrency=2)), Crowd()
    roots = [world.puppet(name) for name in ("a", "b", "c")]
    world.agent("k", *crowd.rounds)
    for name, root in zip(("a", "b"), roots, strict=False):
        await world.prompt(name, "begin")
        await root.does(spawn("one", agent_id="k"), spawn("two", agent_id="k"))
    await world.prompt("c", "begin")
    request = await roots[2].asked()
    for _ in range(4):
        await crowd.answers()
    for root in roots:
        root.rests()
    await world.quiesce()

    assert crowd.n_most == 2
    assert texts(request) == ["begin"]
    await world.check()


async def test_the_persons_words_lift_a_turn_out_of_the_line(worlds: Worlds) -> None:
    """OP-11: mail waits for a slot; the person writes to the same agent and is answered at once."""
    world, crowd = branch_world(worlds, replace(FREE, concurrency=1)), Crowd()
    a, b = await pair_beside(world, crowd)
    await a.does(message(address(world, "b"), "a word"))
    in_line = not b.is_asked
    await world.prompt("b", "from the person")
    first = await b.asked()
    await b.says("answered")
    again = not b.is_asked
    await crowd.answers()
    second = await b.asked()

    assert in_line
    assert texts(first)[-1] == "from the person"
    assert again
    assert "a word" in texts(second)[-1]
    await world.check()


async def test_a_turn_that_the_person_lifted_needs_no_slot_after_a_restart_either(worlds: Worlds) -> None:
    """OP-11: what stands in line is told from the mailbox, not from memory."""
    world, crowd = branch_world(worlds, replace(FREE, concurrency=1)), Crowd()
    a, b = await pair_beside(world, crowd)
    await a.does(message(address(world, "b"), "a word"))
    await a.says("sent")
    await world.turn_end("a")
    await world.close()
    await world.open(idle=True)
    await world.prompt("b", "from the person")
    await world.close()
    await world.open()
    request = await b.asked()

    assert texts(request)[-1] == "from the person"
    await world.check()


async def pair_beside(world: World, crowd: Crowd) -> tuple[Puppet, Puppet]:
    """`a` at work, `b` idle, and one more agent that holds the only slot."""
    world.agent("k", *crowd.rounds)
    a, b = await pair(world)
    await a.does(spawn("hold", agent_id="k"))
    return a, b


@pytest.mark.parametrize("cap", [1, 3])
async def test_agents_that_wait_for_those_they_made_keep_no_slot_from_them(worlds: Worlds, cap: int) -> None:
    """O-20: three agents, each with a child and a grandchild that it waits for; no clock moves."""
    world = branch_world(worlds, replace(FREE, concurrency=cap))
    rounds: dict[str, tuple[Round, ...]] = {
        "r": (
            batch(*(spawn("go", background=False, agent_id="p") for _ in range(3))),
            say("all done"),
        ),
        "p": (spawn("go", background=False, agent_id="k"), say("my child is done")),
        "k": (spawn("go", background=False, agent_id="g"), say("mine too")),
        "g": (say("leaf"),),
    }
    for name, played in rounds.items():
        world.agent(name, *played)
    await world.prompt("r", "begin")
    await world.quiesce()

    assert list(states(world).values()) == ["completed"] * 9
    assert isinstance(world.clock, FakeClock)
    assert world.clock.monotonic_s() == 0
    await world.check()
