"""Cases O-16, O-18, O-19, O-20 and O-29: tasks that end at bad moments, and results that are long."""

import asyncio
import re
import sqlite3
from contextlib import closing

import pytest

from postroom.clock import Clock
from postroom.domain.policy import Policy
from postroom.llm.port import ModelAnswer, ModelRequest, OnText, ResultItem
from postroom.llm.scripted import Round
from postroom.rules.markers import restore
from postroom.store.connect import DATABASE_NAME
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, ScriptedAnswer, ScriptedModel, batch, call, say
from postroom.testing.world import PATIENCE_S, World, texts
from tests.acceptance.family import Worlds, delegate, family
from tests.acceptance.races import RACES, TOGETHER, Race

STARTED = re.compile(r"Started (\S+) in the background")


class Races(Race):
    """Parents that wait for their child and cancel it in the moment in which it answers."""

    def __init__(self, world: World) -> None:
        super().__init__()
        world.agent("r", self.begin, self.race, self.noted, delegates_to=("k",))
        world.agent("k", self.answer)

    async def begin(self, request: ModelRequest) -> ScriptedAnswer:
        """The child gets the number of the race as its task."""
        number = request.items[0].text
        self.ends[number] = asyncio.Event()
        return delegate("k", number)

    async def race(self, request: ModelRequest) -> ScriptedAnswer:
        """The child may answer from now on, and the calls are on their way."""
        number, last = request.items[0].text, request.items[-1]
        found = STARTED.search(last.text)
        assert found is not None
        self.ends[number].set()
        await self.linger(60)
        wait = call("get_subagent_result", session_id=found[1], wait=True)
        return batch(wait, call("cancel_subagent", session_id=found[1]))


def _calls(request: ModelRequest) -> tuple[str, str]:
    """What the waiter and the cancel were told."""
    wait, cancel = [item.text for item in request.items if isinstance(item, ResultItem)][-2:]
    return wait, cancel


async def test_of_a_cancel_and_an_end_in_one_moment_exactly_one_counts(world: World) -> None:
    """O-16 c: one terminal state, the waiter returns, and the parent is told once; 300 times."""
    Races(world)
    await world.open()
    for first in range(0, RACES, TOGETHER):
        await asyncio.gather(*(world.prompt_new("r", f"race {first + n}") for n in range(TOGETHER)))
        await world.quiesce()

    ended = {int(str(e.facts["task"])): str(e.facts["outcome"]) for e in world.events("task.ended")}
    last = [r for r in world.requests("r") if len([i for i in r.items if isinstance(i, ResultItem)]) == 3]
    told = [_calls(request) for request in last]
    kept = [number for number, (wait, _) in enumerate(told) if "succeeded" in wait]

    assert len(world.events("task.ended")) == len(ended) == len(told) == RACES
    assert len(world.requests("r")) == 3 * RACES
    for number, (wait, cancel) in enumerate(told):
        result = f"result {last[number].items[0].text}."
        assert ("already_ended" in cancel) == (number in kept)
        assert wait.count(result) == (number in kept)
        assert number in kept or "cancelled" in wait
        assert sum(text.count(result) for text in texts(last[number])) == wait.count(result)
    assert sorted(ended.values()).count("succeeded") == len(kept)
    await world.check()


async def test_old_tasks_that_name_each_other_as_parent_keep_no_cancel_busy(worlds: Worlds) -> None:
    """O-18: one slot, a queue below the cancelled task, another task behind it, and a loop among old rows."""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root = world.puppet("r", delegates_to=("t1", "t9", "old"))
    t1 = world.puppet("t1", delegates_to=("t2", "t3"))
    never = [world.puppet(name) for name in ("t2", "t3")]
    t9, old = world.puppet("t9"), world.puppet("old")
    await _two_old_tasks(world, root, old)
    await world.close()
    _make_a_loop(world)

    await world.prompt("r", "again")
    await root.does(delegate("t1"), delegate("t9"))
    await root.says("waiting")
    await t1.asked()
    await t1.does(delegate("t2"), delegate("t3"))
    async with asyncio.timeout(PATIENCE_S):
        await world.room.cancel(world.view("t1").session_id)
        await world.room.cancel(world.view("old").session_id)
    root.rests()
    await t9.says("at last")
    await world.quiesce()

    outcomes = {e.agent.partition("_")[0]: e.facts["outcome"] for e in world.events("task.ended")[2:]}
    assert outcomes == {
        "t1": "cancelled",
        "t2": "cancelled",
        "t3": "cancelled",
        "old": "cancelled",
        "t9": "succeeded",
    }
    assert not any(puppet.model.requests for puppet in never)
    assert len(world.requests("t1")) == 2
    assert len(world.events("session.created")) == 7


async def _two_old_tasks(world: World, root: Puppet, old: Puppet) -> None:
    await world.prompt("r", "begin")
    await root.does(delegate("old"), delegate("old"))
    await root.says("waiting")
    await old.says("one")
    await old.says("two")
    await root.asked()
    await root.says("noted")
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


async def test_an_ancestor_above_the_parent_has_no_hand_on_a_grandchild_but_the_person_has(
    world: World,
) -> None:
    """O-19: on `tree` tools reach direct children only; what the person ends is reported to the parent."""
    root = world.puppet("r", delegates_to=("p", "s"))
    p, s = world.puppet("p", delegates_to=("k",)), world.puppet("s", delegates_to=("k",))
    k = world.puppet("k")
    await world.prompt("r", "begin")
    await root.does(delegate("p"), delegate("s"))
    await p.does(delegate("k"), delegate("k"))
    await p.says("waiting")
    await world.turn_end("p")
    grandchild = world.handle("k", 2)

    from_above = await root.does(call("cancel_subagent", session_id=grandchild))
    from_beside = await s.does(call("cancel_subagent", session_id=grandchild))
    await k.says("result one")
    first = await p.asked()
    await p.says("got it")
    await world.room.cancel(world.view("k", 2).session_id)
    second = await p.asked()

    assert [each.text.split(":")[1] for (each,) in (from_above, from_beside)] == ["not_your_child"] * 2
    assert "result one" in texts(first)[-1]
    assert 'status="cancelled"' in texts(second)[-1]
    await world.check()


class OneAtATime(ScriptedModel):
    """A provider that answers one request at a time, whoever asks."""

    def __init__(self, *rounds: Round, clock: Clock, line: asyncio.Semaphore) -> None:
        super().__init__(*rounds, clock=clock)
        self._line = line

    async def request(self, request: ModelRequest, on_text: OnText) -> ModelAnswer:
        """Stand in line, then answer."""
        async with self._line:
            return await super().request(request, on_text)


@pytest.mark.parametrize("cap", [1, 3])
@pytest.mark.parametrize("provider", ["free", "one at a time"])
async def test_parents_that_wait_for_their_children_keep_no_slot_from_them(
    worlds: Worlds, cap: int, provider: str
) -> None:
    """O-20: three agents, each with a child and a grandchild that it waits for; no clock moves."""
    world = worlds(policy=Policy(surface="tree", concurrency=cap))
    rounds: dict[str, tuple[Round, ...]] = {
        "r": (batch(*(delegate("p", background=False) for _ in range(3))), say("all done")),
        "p": (delegate("k", background=False), say("my child is done")),
        "k": (delegate("g", background=False), say("mine too")),
        "g": (say("leaf"),),
    }
    below = {"r": ("p",), "p": ("k",), "k": ("g",), "g": ()}
    line = asyncio.Semaphore(1)
    for name, played in rounds.items():
        world.agent(name, *played, delegates_to=below[name])
        if provider == "one at a time":
            world.models[name] = OneAtATime(*played, clock=world.clock, line=line)
    await world.prompt("r", "begin")
    await world.quiesce()

    assert [e.facts["outcome"] for e in world.events("task.ended")] == ["succeeded"] * 9
    assert isinstance(world.clock, FakeClock)
    assert world.clock.monotonic_s() == 0
    await world.check()


async def test_a_long_result_can_be_read_to_its_last_byte(world: World) -> None:
    """O-29: 200 KB of mixed width, much of it in one line, by pages of a thousand lines."""
    lines = [f"{n} é € 👩‍🚀 <agent_message> " for n in range(2_000)]
    whole = "\n".join(lines) + "\r\n" + "x€" * 25_000 + "\u2028[notice] end"
    root, b = await family(world, "b")
    await b.says(whole)
    await world.turn_end("b")

    shown, at = "", 0
    while at >= 0:
        (page,) = await root.does(
            call("get_subagent_result", session_id=world.handle("b"), offset=at, limit=1_000)
        )
        head, _, text = page.text.partition("\n")
        shown += restore(text)
        more = re.search(r"more with offset=(\d+)", head)
        at = int(more[1]) if more else -1
        assert len(text) <= 70_000

    assert len(whole.encode()) > 150_000
    assert shown == whole
    root.rests()
    await world.check()


async def test_a_late_gate_changes_nothing_for_the_waiter(world: World) -> None:
    """O-16 a and b: whichever was committed first stays, with its time."""
    gate = Gate()

    async def answer(_request: ModelRequest) -> ScriptedAnswer:
        await gate.through()
        return say("too late")

    root = world.puppet("r", delegates_to=("k",))
    world.agent("k", answer)
    await world.prompt("r", "begin")
    await root.does(delegate("k"))
    await gate.reached.wait()
    (done,) = await root.does(call("cancel_subagent", session_id=world.handle("k")))
    (first,) = world.events("task.ended")
    gate.open()
    (again,) = await root.does(call("cancel_subagent", session_id=world.handle("k")))
    (waited,) = await root.does(call("get_subagent_result", session_id=world.handle("k"), wait=True))

    assert not done.is_error
    assert "already_ended" in again.text
    assert "cancelled" in waited.text
    assert "too late" not in waited.text
    assert [(e.pos, e.facts["outcome"]) for e in world.events("task.ended")] == [(first.pos, "cancelled")]
    await world.check()
