"""A turn that its host's death has cut goes on in the next process, where the policy says so."""

from collections.abc import Mapping
from dataclasses import replace

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts, times
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.asking import the_ask
from tests.acceptance.family import Worlds, delegate, send

RESUME = Policy(surface="tree", host_death="resume", ask_s=300)
READS = Rule(action="read", effect=Effect.ASK)


class Counter:
    """A tool that counts its calls and holds each until its gate opens."""

    def __init__(self) -> None:
        self.n = 0
        self.gate = Gate()

    async def __call__(self, _caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        self.n += 1
        await self.gate.through()
        return ToolResult(text=f"done {self.n}")


def ends(world: World, profile: str) -> list[object]:
    """Why the turns of a profile ended."""
    return [e.facts["end_reason"] for e in world.events("turn.ended", agent=profile)]


def resumes(world: World) -> list[Json]:
    """How often in a row a turn went on, as it was counted."""
    return [e.facts["resumes"] for e in world.events("turn.carried_on")]


async def again(world: World) -> None:
    """The process dies, and another one begins."""
    await world.crash()
    await world.open()


async def test_a_turn_cut_in_its_request_asks_again_with_the_same_bytes(worlds: Worlds) -> None:
    """O-11: its claim stays, its mail is read once, and the request is the one that was lost."""
    world = worlds(policy=RESUME)
    root = world.puppet("r")
    await world.prompt("r", "begin")
    first = await root.asked()

    await again(world)
    second = await world.request("r", 2)
    await root.says("done")
    await world.turn_end("r")

    assert second.items == first.items
    assert ends(world, "r") == ["answered"]
    assert resumes(world) == [1]
    assert not world.events("message.released")
    assert len(world.events("message.claimed")) == 1
    await world.check()


async def test_a_turn_of_a_closed_process_goes_on_too(worlds: Worlds) -> None:
    world = worlds(policy=RESUME)
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.asked()

    await world.reopen()
    await world.request("r", 2)
    await root.says("done")
    await world.turn_end("r")

    assert ends(world, "r") == ["answered"]
    await world.check()


async def test_a_foreign_tool_is_interrupted_and_its_agent_decides(worlds: Worlds) -> None:
    """O-05: whether it took effect nobody knows; it has one result, and is not made again unasked."""
    world = worlds(policy=RESUME)
    tool = Counter()
    world.tool("ship", tool)
    root = world.puppet("r", tools=("ship",))
    await world.prompt("r", "begin")
    await root.starts(call("ship"))
    await tool.gate.reached.wait()

    await again(world)
    request = await world.request("r", 2)
    await root.says("I will look")
    await world.turn_end("r")

    assert "interrupted: the process ended; whether it took effect is not known" in texts(request)[-1]
    assert tool.n == 1
    assert ends(world, "r") == ["answered"]
    await world.check()


async def test_a_tool_that_may_be_called_twice_is_called_again(worlds: Worlds) -> None:
    world = worlds(policy=RESUME)
    tool = Counter()
    world.tool("look", tool, idempotent=True)
    root = world.puppet("r", tools=("look",))
    await world.prompt("r", "begin")
    await root.starts(call("look"))
    await tool.gate.reached.wait()

    await world.crash()
    tool.gate.open()
    await world.open()
    request = await world.request("r", 2)
    await root.says("seen")
    await world.turn_end("r")

    assert texts(request)[-1] == "done 2"
    await world.check()


async def test_a_waiting_call_finds_its_child_again(worlds: Worlds) -> None:
    """O-40: the child goes on as well; its result is read once, as the result of the call that waits."""
    world = worlds(policy=RESUME)
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False))
    await b.asked()

    await again(world)
    await world.request("b", 2)
    await b.says("the work")
    request = await world.request("r", 2)
    await root.says("good")
    await world.turn_end("r")

    assert times("the work", [request]) == 1
    assert len([v for v in world.views() if v.profile == "b"]) == 1
    assert [e.facts["outcome"] for e in world.events("task.ended")] == ["succeeded"]
    await world.check()


async def test_a_child_that_ended_before_the_crash_is_read_by_the_call_that_waited(worlds: Worlds) -> None:
    """The result was accepted and not collected: the call, made again, returns it."""
    world = worlds(policy=RESUME)
    gate = Gate()
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False))
    await b.asked()
    world.room.office.on_ring = lambda _: None
    await b.says("the work")
    await world.event("task.ended")

    await again(world)
    request = await world.request("r", 2)
    await root.says("good")
    await world.turn_end("r")
    gate.open()

    assert times("the work", [request]) == 1
    await world.check()


async def test_a_turn_that_only_waits_is_not_cut(worlds: Worlds) -> None:
    """It was at work on nothing, so no number of deaths ends it; its waiting is taken up each time."""
    world = worlds(policy=RESUME)
    root = world.puppet("r", delegates_to=("b",))
    world.puppet("b")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False))
    await world.event("turn.suspended")
    await world.request("b", 1)

    for n in range(RESUME.resumes_max):
        await again(world)
        await world.request("b", n + 2)
    await world.rest()

    assert ends(world, "r") == ["answered"]
    assert ends(world, "b") == ["answered"]
    await world.check()


async def test_without_progress_a_turn_ends_at_the_sixth_death(worlds: Worlds) -> None:
    """It went on five times; then it is interrupted as on `tree`, and what it read counts one attempt."""
    world = worlds(policy=RESUME)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.says("free")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "poison"))
    await root.says("sent")
    await world.turn_end("r")
    await b.asked()

    for n in range(6):
        asked = len(world.requests("b"))
        await again(world)
        await world.request("b", asked + 1)
        assert n == 5 or not world.events("turn.ended", agent="b")[1:]
    await b.says("read")
    await world.rest()

    assert resumes(world) == [1, 2, 3, 4, 5]
    assert ends(world, "b") == ["answered", "the process ended", "answered"]
    (released,) = world.events("message.released")
    claims = [e.facts["delivery"] for e in world.events("message.claimed")]
    assert claims.count(released.facts["delivery"]) == 2
    await world.check()


async def test_a_message_that_kills_every_process_is_quarantined_at_last(worlds: Worlds) -> None:
    """O-12: five attempts of five cuts each, and one more death to end each; then it is set aside."""
    world = worlds(policy=replace(RESUME, resumes_max=1))
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.says("free")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "poison"))
    await root.says("sent")
    await world.turn_end("r")
    await b.asked()

    for n in range(10):
        asked = len(world.requests("b"))
        await again(world)
        if n < 9:
            await world.request("b", asked + 1)
    await world.rest()

    assert [e.facts["reason"] for e in world.events("message.discarded")] == ["quarantined"]
    assert ends(world, "b")[1:] == ["the process ended"] * 5
    await world.check()


async def test_an_answer_is_progress(worlds: Worlds) -> None:
    world = worlds(policy=RESUME)
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.asked()
    await again(world)
    await world.request("r", 2)
    await again(world)
    await world.request("r", 3)
    await root.does(call("nothing"))
    await again(world)
    await world.request("r", 5)
    await root.says("done")
    await world.turn_end("r")

    assert resumes(world) == [1, 2, 1]
    await world.check()


async def test_an_approval_that_waits_goes_on_waiting_and_nothing_of_its_round_has_begun(
    worlds: Worlds,
) -> None:
    world = worlds(policy=RESUME)
    tool, other = Counter(), Counter()
    tool.gate.open()
    other.gate.open()
    world.tool("look", tool, action="read")
    world.tool("ship", other)
    root = world.puppet("r", tools=("look", "ship"), rules=(READS,))
    await world.prompt("r", "begin")
    await root.starts(call("ship"), call("look"))
    ask = await the_ask(world)

    await again(world)
    await world.room.approve(ask.ask_id)
    request = await world.request("r", 2)
    await root.says("done")
    await world.turn_end("r")

    assert texts(request)[-2:] == ["done 1", "done 1"]
    assert len(world.events("ask.opened")) == 1
    assert not resumes(world)
    await world.check()


async def test_leave_that_was_given_holds_for_the_call_that_is_made_again(worlds: Worlds) -> None:
    world = worlds(policy=RESUME)
    tool = Counter()
    world.tool("look", tool, action="read", idempotent=True)
    root = world.puppet("r", tools=("look",), rules=(READS,))
    await world.prompt("r", "begin")
    await root.starts(call("look"))
    await world.room.approve((await the_ask(world)).ask_id)
    await tool.gate.reached.wait()

    await world.crash()
    tool.gate.open()
    await world.open()
    request = await world.request("r", 2)
    await root.says("done")
    await world.turn_end("r")

    assert texts(request)[-1] == "done 2"
    assert len(world.events("ask.opened")) == 1
    await world.check()


async def test_a_turn_at_work_has_its_slot_before_what_is_woken(worlds: Worlds) -> None:
    world = worlds(policy=replace(RESUME, concurrency=1))
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))

    await again(world)
    await world.request("r", 3)
    assert not b.is_asked
    await world.rest()

    assert ends(world, "b") == ["answered"]
    await world.check()


async def test_a_stop_of_a_turn_that_stands_in_line_again_ends_it(worlds: Worlds) -> None:
    """G11: it was carried on and waits for a slot; the person stops it there."""
    world = worlds(policy=replace(RESUME, concurrency=1))
    root = world.puppet("r", delegates_to=("b", "c"))
    b, c = world.puppet("b"), world.puppet("c")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False), delegate("c"))
    await b.asked()
    await b.says("b is done")
    await c.asked()
    await world.event("call.ended", 2)

    await again(world)
    await world.request("r", 2)
    await world.room.stop(world.view("c").session_id)
    await world.turn_end("c")
    await world.rest()

    assert world.events("turn.ended", agent="c")[0].facts["state"] == "stopped"
    assert len(world.requests("c")) == 1
    await world.check()
