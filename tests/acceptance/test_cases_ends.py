"""Cases O-15 and O-40: however a turn ends, its agent is free again and whoever waits is told."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import ModelFault
from postroom.llm.port import ResultItem
from postroom.store.connect import DATABASE_NAME
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts, times
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import Worlds, accepted, code, delegate, send


class Panic(BaseException):
    """What no tool may raise."""


class Scene:
    """A sender `a` and a `b` with a tool that panics behind a gate."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.gate = Gate()
        world.tool("panic", self._panic)
        self.root = world.puppet("r", delegates_to=("a", "b"))
        self.a = world.puppet("a", may_message=("sibling",))
        self.b = world.puppet("b", tools=("panic",), max_rounds=2)

    async def begins(self) -> None:
        """Both run and hold an open request."""
        await self.world.prompt("r", "begin")
        await self.root.does(delegate("a"), delegate("b"))
        await self.a.asked()
        await self.b.asked()

    async def writes(self, body: str) -> None:
        """A sends B a steer."""
        (result,) = await self.a.does(send(self.world.handle("b"), body))
        accepted(result)

    async def _panic(self, _caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        await self.gate.through()
        raise Panic


async def _provider_error(scene: Scene) -> None:
    await scene.writes("m1.")
    await scene.b.fails(ModelFault("fatal"))


async def _tool_panic(scene: Scene) -> None:
    await scene.b.starts(call("panic"))
    await scene.gate.reached.wait()
    await scene.writes("m1.")
    scene.gate.open()


async def _task_cancelled(scene: Scene) -> None:
    await scene.writes("m1.")
    (started,) = scene.world.events("turn.started", agent="b")
    (task,) = [t for t in asyncio.all_tasks() if t.get_name() == f"turn-{started.facts['turn']}"]
    task.cancel()


async def _round_cap(scene: Scene) -> None:
    await scene.b.does(call("nothing"))
    await scene.writes("m1.")
    await scene.b.starts(call("nothing"))


async def _failing_write(scene: Scene) -> None:
    _sabotage(scene.world, "state = 'finished'", "out of order")
    await scene.b.does(call("nothing"))
    await scene.writes("m1.")
    await scene.b.says("done")
    await scene.world.turn_end("b")
    _mend(scene.world)


@pytest.mark.parametrize(
    ("ends", "state"),
    [
        (_provider_error, "failed"),
        (_tool_panic, "failed"),
        (_task_cancelled, "cancelled"),
        (_round_cap, "finished"),
        (_failing_write, "failed"),
    ],
)
async def test_an_abnormal_end_leaves_nobody_busy(
    world: World, ends: Callable[[Scene], Awaitable[None]], state: str
) -> None:
    """O-15 a to e"""
    scene = Scene(world)
    await scene.begins()

    await ends(scene)
    end = await world.turn_end("b")
    before = len(world.requests("b"))
    woken = await world.request("b", before + (0 if scene.b.is_asked else 1))
    await scene.b.says("read")
    await world.turn_end("b", 2)
    idle = world.view("b")
    await scene.writes("m2.")
    again = await scene.b.asked()

    assert end.facts["state"] == state
    assert (idle.state, idle.unread) == ("finished", 0)
    assert (times("m1.", [woken]), times("m2.", [woken])) == (1, 0)
    assert (times("m1.", [again]), times("m2.", [again])) == (1, 1)
    assert len(world.events("task.ended", agent="b")) == 1
    await world.check()


async def test_a_turn_that_cannot_write_its_end_waits_until_it_can(world: World) -> None:
    """O-15 e: the disk is full for a while."""
    scene = Scene(world)
    await scene.begins()
    assert isinstance(world.clock, FakeClock)
    _sabotage(world, "state = 'finished'", "database or disk is full")

    await scene.b.says("done")
    while len(world.pauses) < 3:
        await world.clock.advance(0.1)
    _mend(world)
    end = await world.clock.passes_until(world.turn_end("b"))

    assert {fault.code for fault in world.pauses} == {"store_full"}
    assert end.facts["state"] == "finished"
    assert not [e for e in world.events("turn.ended", agent="b") if e.facts["state"] == "failed"]
    await world.check()


async def test_seven_ends_are_told_apart(worlds: Worlds) -> None:
    """O-40"""
    world = worlds(policy=Policy(surface="tree", concurrency=7, waiting_max=1))
    root, children = await _seven(world)
    handles = {name: world.handle(name) for name in children}
    cancelled, capped = await _end_each(world, root, children)
    await world.reopen()
    children["killed"].rests()
    root.rests()
    await world.quiesce()

    told = "\n".join(texts(world.requests("r")[-1]))
    assert "Cancelled" in cancelled.text
    assert not cancelled.is_error
    assert capped.is_error
    assert "cap on rounds" in capped.text
    ends = {
        "fatal": "failed",
        "panic": "failed",
        "empty": "empty",
        "killed": "interrupted",
        "late": "succeeded",
    }
    for name, outcome in ends.items():
        assert told.count(f'<subagent_notification from="{handles[name]}" status="{outcome}">') == 1
    assert told.count("<subagent_notification") == len(ends)
    for cause in ("model_failed: no such model", "panic raised Panic", "ended without any text"):
        assert cause in told
    outcomes = {e.agent: e.facts["outcome"] for e in world.events("task.ended")}
    assert outcomes == {
        handles[name]: outcome
        for name, outcome in (ends | {"doomed": "cancelled", "capped": "round_cap"}).items()
    }
    await world.check()


async def _seven(world: World) -> tuple[Puppet, dict[str, Puppet]]:
    """The root and its children; the eighth spawn is refused, because one turn waits already."""

    async def panic(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        raise Panic

    world.tool("panic", panic)
    names = ("fatal", "panic", "empty", "doomed", "capped", "killed")
    root = world.puppet("r", delegates_to=(*names, "late"))
    children = {
        name: world.puppet(name, tools=("panic",), max_rounds=1 if name == "capped" else None)
        for name in (*names, "late")
    }
    await world.prompt("r", "begin")
    for name in names:
        await root.does(delegate(name))
        await children[name].asked()
    await root.does(delegate("late"))
    (refused,) = await root.does(delegate("late"))
    assert code(refused) == "delegate_subagent"
    assert "delegation_full" in refused.text
    return root, children


async def _end_each(
    world: World, root: Puppet, children: Mapping[str, Puppet]
) -> tuple[ResultItem, ResultItem]:
    """Every child but `killed` ends in its way; what the cancel and the wait of the root returned."""
    await children["fatal"].fails(ModelFault("no such model"))
    await children["panic"].starts(call("panic"))
    await children["empty"].says("")
    (cancelled,) = await root.does(call("cancel_subagent", session_id=world.handle("doomed")))
    wait = call("get_subagent_result", session_id=world.handle("capped"), wait=True)
    waiting = asyncio.ensure_future(root.does(wait))
    await world.event("turn.suspended", agent="r")
    await children["capped"].starts(call("nothing"))
    (capped,) = await waiting
    await children["late"].says("all is well")
    await world.turn_end("late")
    return cancelled, capped


def _sabotage(world: World, when: str, error: str) -> None:
    """Let each write that ends a turn so fail inside the database."""
    _execute(
        world,
        f"CREATE TRIGGER sabotage BEFORE UPDATE ON turn WHEN NEW.{when}"
        f" BEGIN SELECT RAISE(ABORT, '{error}'); END",
    )


def _mend(world: World) -> None:
    _execute(world, "DROP TRIGGER sabotage")


def _execute(world: World, statement: str) -> None:
    with closing(sqlite3.connect(world.folder / DATABASE_NAME)) as connection:
        connection.execute(statement)
        connection.commit()
