"""Cases O-16, O-18 and O-19 on `branch`: tasks that end at bad moments, and those above and below them."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace

from postroom.llm.port import ModelRequest, ResultItem
from postroom.store.connect import DATABASE_NAME
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, ScriptedAnswer, batch, held, say
from postroom.testing.world import PATIENCE_S, World, texts
from tests.acceptance.branches import POLICY, branch_world, crew, spawn
from tests.acceptance.family import Worlds
from tests.acceptance.races import RACES, TOGETHER, Race
from tests.acceptance.task_talk import listing, output, states, stop, task_in

DEEP = replace(POLICY, generations_max=None, messages_max=None)


class Races(Race):
    """Agents that wait for a task and stop it in the moment in which it is answered."""

    def __init__(self, world: World) -> None:
        super().__init__()
        world.agent("r", self.begin, self.race, self.noted)
        world.agent("k", self.answer)

    async def begin(self, request: ModelRequest) -> ScriptedAnswer:
        """The new agent gets the number of the race as its task."""
        number = request.items[0].text
        self.ends[number] = asyncio.Event()
        return spawn(number, agent_id="k")

    async def race(self, request: ModelRequest) -> ScriptedAnswer:
        """The agent may answer from now on, and the calls are on their way."""
        task = task_in(request.items[-1].text)
        self.ends[request.items[0].text].set()
        await self.linger(60)
        return batch(output(task), stop(task))


async def test_of_a_stop_and_an_end_in_one_moment_exactly_one_counts(worlds: Worlds) -> None:
    """O-16 c: one terminal state, the waiter returns, and the dispatcher is told once; 300 times."""
    world = branch_world(worlds, replace(POLICY, concurrency=TOGETHER))
    Races(world)
    await world.open()
    for first in range(0, RACES, TOGETHER):
        await asyncio.gather(*(world.prompt_new("r", f"race {first + n}") for n in range(TOGETHER)))
        await world.quiesce()

    last = [r for r in world.requests("r") if len([i for i in r.items if isinstance(i, ResultItem)]) == 3]
    kept = 0
    for request in last:
        waited, stopped = [item.text for item in request.items if isinstance(item, ResultItem)][-2:]
        result = f"result {request.items[0].text}."
        completed = "status=completed" in stopped
        kept += completed
        assert waited.count(result) == completed
        assert completed or "cancelled" in waited
        assert sum(text.count(result) for text in texts(request)) == completed
    outcomes = [e.facts["outcome"] for e in world.events("task.ended")]
    assert len(outcomes) == len(last) == RACES
    assert outcomes.count("succeeded") == kept
    assert len(world.requests("r")) == 3 * RACES
    await world.check()


async def test_a_late_answer_changes_nothing_and_a_late_stop_neither(worlds: Worlds) -> None:
    """O-16 a and b: whichever was committed first stays, with its time."""
    world, gate = branch_world(worlds), Gate()
    a = world.puppet("a")
    world.agent("slow", held(gate, say("too late")))
    world.agent("quick", say("in time"))
    await world.prompt("a", "begin")
    slow, quick = await a.does(spawn(agent_id="slow"), spawn(agent_id="quick"))
    await gate.reached.wait()
    await world.event("task.ended")
    (late_stop,) = await a.does(stop(task_in(quick)))
    (cancelled,) = await a.does(stop(task_in(slow)))
    before = [(e.pos, e.facts["outcome"]) for e in world.events("task.ended")]
    gate.open()
    (waited,) = await a.does(output(task_in(slow)))
    await a.says("waiting")
    request = await a.asked()

    assert "status=completed" in late_stop.text
    assert "status=cancelled" in cancelled.text
    assert "cancelled" in waited.text
    assert "in time" in texts(request)[-1]
    assert [(e.pos, e.facts["outcome"]) for e in world.events("task.ended")] == before
    assert not any("too late" in text for text in texts(request))
    await world.check()


async def test_a_stop_under_a_single_worker_frees_its_slot_for_nothing_that_is_dead(worlds: Worlds) -> None:
    """O-18: T1 runs, T2 and T3 wait under it, T4 under T2, T9 behind them; two old tasks are a loop."""
    world = branch_world(worlds, replace(DEEP, concurrency=1))
    root, t1 = world.puppet("r"), world.puppet("t1")
    never = [world.puppet(name) for name in ("t2", "t3", "t4")]
    t9, old = world.puppet("t9"), world.puppet("old")
    await _two_old_tasks(world, root, old)
    await world.close()
    _make_a_loop(world)
    await world.prompt("r", "again")
    first, last = await root.does(spawn(agent_id="t1"), spawn(agent_id="t9"))
    await t1.asked()
    under = await t1.does(*(spawn(agent_id=name) for name in ("t2", "t3", "t4")))
    _hang_under(world, task_in(under[2]), task_in(under[0]))
    async with asyncio.timeout(PATIENCE_S):
        (stopped,) = await root.does(stop(task_in(first)))
        (looped,) = await root.does(stop(next(iter(states(world)))))
    (waited,) = await _answered(root, t9, task_in(last))

    found = states(world)
    assert "3 tasks" in stopped.text
    assert "1 tasks" in looped.text
    assert [found[task_in(each)] for each in (first, *under)] == ["cancelled"] * 4
    assert waited.text.startswith("at last")
    assert not any(puppet.model.requests for puppet in never)
    assert len(world.requests("t1")) == 2
    assert len(world.events("session.created")) == 1


async def _answered(root: Puppet, t9: Puppet, task: str) -> tuple[ResultItem, ...]:
    """What the root reads of the unrelated task, once that has run."""
    await t9.says("at last")
    return await root.does(output(task))


async def _two_old_tasks(world: World, root: Puppet, old: Puppet) -> None:
    await world.prompt("r", "begin")
    await root.does(spawn(agent_id="old"), spawn(agent_id="old"))
    await root.says("waiting")
    await old.says("one")
    await old.says("two")
    await root.says("noted")
    await root.says("noted too")
    await world.quiesce()


def _make_a_loop(world: World) -> None:
    """Two tasks that were never ended, each the parent of the other: what an older program left behind."""
    with closing(sqlite3.connect(world.folder / DATABASE_NAME)) as connection:
        first, second = (key for (key,) in connection.execute("SELECT id FROM task ORDER BY id LIMIT 2"))
        for key, parent in ((first, second), (second, first)):
            connection.execute(
                "UPDATE task SET parent_task_id = ?, state = 'queued', outcome = '' WHERE id = ?",
                (parent, key),
            )
        connection.commit()


def _hang_under(world: World, task: str, parent: str) -> None:
    with closing(sqlite3.connect(world.folder / DATABASE_NAME)) as connection:
        connection.execute(
            "UPDATE task SET parent_task_id = (SELECT id FROM task WHERE public_id = ?) WHERE public_id = ?",
            (parent, task),
        )
        connection.commit()


async def test_the_root_reaches_what_its_grandchildren_do_and_nobody_beside_does(worlds: Worlds) -> None:
    """O-19: P ends before its own agents; their results wake P, R lists and stops them, S may not."""
    world = branch_world(worlds, DEEP)
    k1, k2 = world.puppet("k1"), world.puppet("k2")
    root, p, s = await crew(world, "p", "s")
    first, second = await p.does(spawn("one", agent_id="k1"), spawn("two", agent_id="k2"))
    await k2.asked()
    await p.says("waiting")
    await root.says("done for now")
    told = await root.asked()
    await k1.says("result one")
    woken = await p.asked()
    await p.says("got it")
    (from_beside,) = await s.does(stop(task_in(second)))
    (listed,) = await root.does(listing())
    (from_above,) = await root.does(stop(task_in(second)))
    ended = await p.asked()

    assert "waiting" in texts(told)[-1]
    assert "result one" in texts(woken)[-1]
    assert "was not dispatched by this session" in from_beside.text
    assert f"{task_in(second)} running" in listed.text
    assert f"{task_in(first)} completed" in listed.text
    assert "status=cancelled" in from_above.text
    assert "cancelled" in texts(ended)[-1]
    await world.check()
