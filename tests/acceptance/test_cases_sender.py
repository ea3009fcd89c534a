"""Case O-25: the sender is the turn that runs the call, whatever task, thread or context it runs in."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import replace

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import StaleFence
from postroom.store.tx import Tx
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, call, say
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import Worlds, accepted, delegate, draft, family, send

WHO: ContextVar[str] = ContextVar("who", default="nobody")


async def test_a_cold_agent_that_a_send_wakes_signs_for_itself(world: World) -> None:
    """O-25 a"""
    root, a, c = await family(world, "a", "c")
    root.rests()
    await c.says("free")
    await world.turn_end("c")
    await a.says("free")
    await world.quiesce()
    await world.reopen()

    await world.room.send(world.handle("a"), "begin", mode="queue")
    await a.does(send(world.handle("c"), "I am a"))
    (receipt,) = await c.does(send(world.handle("a"), "I am c"))

    assert accepted(receipt).recipient_state == "running"
    assert _signed(world)[-2:] == ["I am a", "I am c"]
    await world.check()


async def test_what_an_ended_run_left_behind_signs_for_nobody(world: World) -> None:
    """O-25 b: a task made in A's tool, with A's context, wakes D long after A has ended."""
    gate, left, d = await _with_a_task_left_behind(world)

    gate.open()
    await asyncio.gather(*left)
    (receipt,) = await d.does(send(world.view("r").session_id, "I am d"))

    text = next(e for e in world.events("message.accepted", agent="d")[::-1] if e.actor == "person")
    assert text.facts["sender"] is None
    assert _signed(world) == ["I am d"]
    (sent,) = [e for e in world.events("message.sent") if e.message_id == accepted(receipt).message_id]
    turn = world.events("turn.started", agent="d")[-1]
    assert _chain(world, sent.facts["message"]) == turn.facts["chain"]
    assert turn.facts["chain"] != world.events("turn.started", agent="a")[-1].facts["chain"]
    await world.check()


async def test_a_thread_that_served_another_agent_signs_for_nobody(world: World) -> None:
    """O-25 c"""
    served: list[str] = []
    with ThreadPoolExecutor(1) as pool:

        async def think(caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
            WHO.set(caller.agent)
            await asyncio.get_running_loop().run_in_executor(pool, served.append, caller.agent)
            return ToolResult(text=caller.agent)

        world.tool("think", think)
        root = world.puppet("r", delegates_to=("a", "b"))
        a, b = (world.puppet(n, may_message=("parent",), tools=("think",)) for n in ("a", "b"))
        await world.prompt("r", "begin")
        await root.does(delegate("a"), delegate("b"))
        to = world.view("r").session_id
        await b.does(call("think"))
        (own, _) = await a.does(call("think"), send(to, "I am a"))
        await b.does(send(to, "I am b"))

    assert served == ["b", "a"]
    assert own.text == "a"
    assert _signed(world) == ["I am a", "I am b"]
    await world.check()


async def test_fifty_agents_at_once_each_sign_their_own_mail(worlds: Worlds) -> None:
    """O-25 d"""
    world = worlds(policy=Policy(surface="tree", concurrency=60, waiting_max=60, mailbox_cap=60))
    names = [f"a{n:02}" for n in range(50)]
    root = world.puppet("r", delegates_to=("sink", *names))
    sink = world.puppet("sink")
    for name in names:
        send_own = call("send_message", to="${handle:sink}", body=f"I am {name}")
        world.agent(name, send_own, say("done"), may_message=("sibling",))
    await world.prompt("r", "begin")
    await root.does(delegate("sink"))
    to = world.handle("sink")

    await root.does(*(delegate(name, f"write to {to}") for name in names))
    await world.event("turn.ended", 50)
    await sink.starts(call("nothing"))
    read = texts(await world.request("sink", 2))

    assert sorted(_signed(world)) == [f"I am {name}" for name in names]
    keys = {e.facts["call"] for e in world.events("message.sent") if e.facts["call"] is not None}
    assert len(keys) == 50 + 51
    for name in names:
        assert sum(f'from="{world.handle(name)}">\nI am {name}\n' in text for text in read) == 1
    await world.check()


async def test_a_call_without_a_running_turn_is_refused(world: World) -> None:
    """O-25 e: it is never attributed to whoever ran last."""
    root, b = await family(world, "b")
    await root.does(send(world.handle("b"), "mine"))
    old = draft(world, world.events("message.sent", agent="r")[-1], "mine")
    for _ in range(2):
        await b.says("free")
    root.rests()
    await world.quiesce()
    before = len(world.events())

    for stale in (old, replace(old, call=10**9), replace(old, fence=old.fence + 1)):
        with pytest.raises(StaleFence):
            await world.room.office.send(stale, lambda _: None)

    assert len(world.events()) == before
    await world.check()


async def _with_a_task_left_behind(world: World) -> tuple[Gate, list[asyncio.Task[None]], Puppet]:
    """A has ended; behind the gate a task of its tool waits to write to `d` as the person."""
    gate, left = Gate(), list[asyncio.Task[None]]()

    async def tick(caller: Caller) -> None:
        await gate.through()
        await world.room.send(world.handle("d"), f"from {WHO.get()} {caller.agent}", mode="queue")

    async def plant(caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        WHO.set("the context of a")
        left.append(asyncio.create_task(tick(caller)))
        return ToolResult(text="planted")

    world.tool("plant", plant)
    root = world.puppet("r", delegates_to=("a", "d"))
    a = world.puppet("a", tools=("plant",))
    d = world.puppet("d", may_message=("parent",))
    await world.prompt("r", "begin")
    await root.does(delegate("a"), delegate("d"))
    for puppet in (a, d):
        await puppet.asked()
    await d.says("free")
    await a.does(call("plant"))
    await a.says("free")
    root.rests()
    await world.quiesce()
    return gate, left, d


def _signed(world: World) -> list[str]:
    """The mails so far that say who wrote them; fails where the record says another."""

    def read(tx: Tx, key: int, name: str) -> str | None:
        view = tx.message_view(key)
        assert view is not None
        if view.kind != "mail":
            return None
        assert view.sender_branch is not None
        assert view.body == f"I am {name}"
        return view.body

    bodies: list[str] = []
    for event in world.events("message.sent"):
        key = event.facts["message"]
        assert isinstance(key, int)
        body = world.room.store.look(read, key, event.agent.rpartition("_")[0])
        if body is not None:
            assert event.actor == event.agent
            bodies.append(body)
    return bodies


def _chain(world: World, message: str | int | None) -> int:
    assert isinstance(message, int)
    return world.room.store.look(Tx.deliveries_of_message, message)[0].delivery.chain
