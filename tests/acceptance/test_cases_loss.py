"""Cases O-01, O-02, O-03, O-11: places where other systems lose a message."""

import asyncio
import random
import threading

from postroom.domain.keys import BranchKey
from postroom.domain.message import Mode
from postroom.domain.policy import Policy
from postroom.errors import ModelUnavailable
from postroom.llm.port import AssistantItem, ResultItem
from postroom.service.say import Said, Text
from postroom.store.tx import Tx
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts, times
from tests.acceptance.family import Worlds, accepted, delegate, family, send


class HeldStore:
    """The writer is held: whatever is written now waits in line and is committed after `let_go`."""

    def __init__(self, world: World) -> None:
        self._gate = threading.Event()
        self._reached = threading.Event()
        self._held = asyncio.ensure_future(world.room.store.write(self._wait))

    def _wait(self, _tx: Tx) -> None:
        self._reached.set()
        self._gate.wait(30)

    async def taken(self) -> None:
        """Wait until the writer stands still."""
        await asyncio.get_running_loop().run_in_executor(None, self._reached.wait, 30)

    async def let_go(self) -> None:
        """Commit what waits."""
        self._gate.set()
        await self._held


async def test_a_steer_behind_the_end_of_the_turn_wakes_it_once(world: World) -> None:
    """O-01, G3 a, b: the end is on its way to the disk when the steer is sent; both are in one commit."""
    root, b = await family(world, "b")
    to = world.handle("b")
    await root.asked()
    held = HeldStore(world)
    await held.taken()

    await b.says("finished")
    await _yield_to_others()
    sending = asyncio.ensure_future(root.does(send(to, "late")))
    await _yield_to_others()
    await held.let_go()
    (receipt,) = await sending
    second = await world.request("b", 2)

    assert accepted(receipt).recipient_state in {"running", "waking_finished"}
    assert times("late", [second]) == 1
    await world.check()
    assert len(world.requests("b")) == 2


async def test_a_steer_before_the_end_of_the_turn_joins_it(world: World) -> None:
    """O-01 a: the steer is in line before the end is."""
    root, b = await family(world, "b")
    (spawn,) = world.events("session.created", agent="b")
    branch = spawn.facts["branch"]
    assert isinstance(branch, int)
    held = HeldStore(world)
    await held.taken()
    late = Text(body="late", mode=Mode.STEER)
    joining = asyncio.ensure_future(world.room.office.say(BranchKey(branch), late))
    await _yield_to_others()

    await b.says("finished")
    await _yield_to_others()
    await held.let_go()
    said = await joining
    second = await world.request("b", 2)

    assert isinstance(said, Said)
    assert said.receipt.recipient_state == "running"
    assert times("late", [second]) == 1
    assert len(world.events("turn.started", agent="b")) == 1
    assert root.is_asked
    await world.check()
    assert len(world.requests("b")) == 2


async def test_no_offset_between_a_steer_and_the_end_loses_it(worlds: Worlds) -> None:
    """O-01 c: 300 repetitions; the offsets are turns of the loop, so that each run tries the same ones."""
    world = worlds(policy=Policy(surface="tree", chain_turns_max=None, rounds_max=1_000))
    chance = random.Random(1)
    _, a, b = await family(world, "a", "b")
    to = world.handle("b")

    for n in range(300):
        asked = len(world.requests("b"))

        async def ends(turns: int) -> None:
            await _yield_to_others(turns)
            await b.says("finished")

        async def steers(turns: int, number: int) -> None:
            await _yield_to_others(turns)
            (receipt,) = await a.does(send(to, f"late {number}."))
            assert accepted(receipt).mode == "steer"

        await asyncio.gather(ends(chance.randrange(40)), steers(chance.randrange(40), n))
        request = await world.request("b", asked + 1)
        assert times(f"late {n}.", [request]) == 1

    assert len(world.requests("b")) == 301
    await world.check()


async def test_mail_in_a_request_that_failed_is_read_with_the_next(worlds: Worlds) -> None:
    """O-02 a"""
    world = worlds(policy=Policy(surface="tree", concurrency=1), retry_for_s=5.0)
    a, b = await _two_unread_in_a_failed_turn(world)
    before = world.view("b")

    await world.room.send(world.handle("a"), "go on", mode="queue")
    (receipt,) = await a.does(send(world.handle("b"), "m3", "queue"))
    still = world.view("b")
    await a.says("sent")
    good = await b.asked()
    await b.says("read")
    await world.turn_end("b", 3)

    assert (before.unread, before.parked, still.unread) == (2, 2, 3)
    accepted(receipt)
    assert [t.count("m") for t in texts(good)[-3:]] != [0, 0, 0]
    _in_order(good.items[-3:], "m1", "m2", "m3")
    assert [times(m, [good]) for m in ("m1", "m2", "m3")] == [1, 1, 1]
    assert world.waits
    await world.check()


async def test_mail_in_a_request_that_failed_is_read_after_a_restart(worlds: Worlds) -> None:
    """O-02 b"""
    world = worlds(policy=Policy(surface="tree", concurrency=1), retry_for_s=5.0)
    _, b = await _two_unread_in_a_failed_turn(world)
    await world.quiesce()

    await world.reopen()
    good = await b.asked()
    await b.says("read")
    await world.turn_end("b", 3)

    _in_order(good.items[-2:], "m1", "m2")
    assert [times(m, [good]) for m in ("m1", "m2")] == [1, 1]
    assert world.view("b").unread == 0
    await world.check()


async def test_a_report_sent_just_before_the_end_arrives_whole_and_first(world: World) -> None:
    """O-03"""
    gate = Gate()
    world.slow_tool("slow", gate)
    report = "REPORT " + "".join(chr(0x4E00 + n % 500) for n in range(1365)) + "!"
    parent = world.puppet("p", delegates_to=("k",), tools=("slow",))
    child = world.puppet("k", may_message=("parent",))
    await world.prompt("p", "begin")
    await parent.does(delegate("k"))
    await parent.starts(call("slow"))
    await gate.reached.wait()

    (receipt,) = await child.does(send(world.view("p").session_id, report))
    await child.says("bye")
    await world.turn_end("k")
    pending = world.view("p").unread
    gate.open()
    request = await world.request("p", 3)

    assert (accepted(receipt).recipient_state, pending) == ("running", 2)
    assert len(report.encode()) > 4096 - 8
    mail, completion = texts(request)[-2:]
    assert report in mail
    assert f'from="{world.handle("k")}"' in mail
    assert "bye" in completion
    assert "REPORT" not in completion
    await world.check()


async def test_mail_that_comes_while_a_tool_runs_never_parts_the_call_from_its_result(world: World) -> None:
    """O-11 a"""
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", tools=("slow",))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.starts(call("slow"))
    await gate.reached.wait()

    await root.does(send(world.handle("b"), "s1"))
    await world.room.send(world.handle("b"), "u1")
    gate.open()
    request = await world.request("b", 2)

    assert isinstance(request.items[1], AssistantItem)
    assert isinstance(request.items[2], ResultItem)
    assert [times(t, [request]) for t in ("s1", "u1")] == [1, 1]
    await world.check()


async def test_a_call_cut_by_a_crash_gets_one_result_and_then_the_mail(world: World) -> None:
    """O-11 b: and the same request is built twice, also after one more crash."""
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", tools=("slow",))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.starts(call("slow"))
    await gate.reached.wait()
    await root.does(send(world.handle("b"), "s1"))
    await world.room.send(world.handle("b"), "u1")

    await world.crash()
    await world.open()
    first = await world.request("b", 2)
    await world.crash()
    await world.open()
    second = await world.request("b", 3)

    assert len([i for i in first.items if isinstance(i, ResultItem)]) == 1
    assert isinstance(first.items[2], ResultItem)
    assert "interrupted" in first.items[2].text
    assert texts(first)[3] == "u1"
    assert "s1" in texts(first)[4]
    assert [times(t, [first]) for t in ("s1", "u1")] == [1, 1]
    assert second.items == first.items
    await world.check()


async def _two_unread_in_a_failed_turn(world: World) -> tuple[Puppet, Puppet]:
    """B idle; A has sent m1 and m2; B's provider has failed the request that held both, and each retry."""
    root = world.puppet("r", delegates_to=("a", "b"))
    a = world.puppet("a", may_message=("sibling",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"), delegate("a"))
    root.rests()
    await b.says("idle")
    (m1, m2) = await a.does(send(world.handle("b"), "m1", "queue"), send(world.handle("b"), "m2", "queue"))
    assert accepted(m1).recipient_state == "waking_finished"
    assert accepted(m2).recipient_state == "queued"
    await a.says("sent")
    outage = asyncio.ensure_future(_always_fails(b))
    assert isinstance(world.clock, FakeClock)
    await world.clock.passes_until(world.turn_end("b", 2))
    outage.cancel()
    both = world.requests("b")[-1]
    assert [times(m, [both]) for m in ("m1", "m2")] == [1, 1]
    return a, b


async def _always_fails(puppet: Puppet) -> None:
    while True:
        await puppet.fails(ModelUnavailable("overloaded"))


def _in_order(items: object, *bodies: str) -> None:
    shown = str(items)
    places = [shown.index(body) for body in bodies]
    assert places == sorted(places)


async def _yield_to_others(turns: int = 20) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)
