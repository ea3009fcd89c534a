"""A turn that its host's death has cut goes on in the next process, where the policy says so."""

from collections.abc import Mapping

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import Gate, call
from postroom.testing.world import World, texts, times
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.asking import the_ask
from tests.acceptance.family import Worlds, delegate
from tests.acceptance.team_work import crew, output, spawn, task_in, wait, waited, world_of
from tests.acceptance.teams import message

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


async def test_on_team_a_wait_finds_its_task_again(worlds: Worlds) -> None:
    """G13, O-40: the tools of `team`: what was waited for has ended meanwhile, or ends later."""
    world = world_of(worlds)
    team = await crew(world, "b")
    (b,) = team.others
    await team.a.starts(wait(*team.tasks))
    await world.event("turn.suspended", agent="a")

    await again(world)
    await world.request("b", 2)
    await b.says("dug")
    found = waited(await team.a.asked())

    assert found.reason == "done"
    assert "dug" in found.text
    assert not resumes(world) or resumes(world) == [1]
    await world.check()


async def four_calls(world: World, tool: Counter) -> None:
    """One answer of `a` with a send, a child that is waited for, a wait, and a foreign tool that hangs."""
    world.tool("ship", tool)
    a = world.puppet("a", delegates_to=("b", "c"), tools=("ship",))
    b, c = world.puppet("b"), world.puppet("c")
    await world.prompt("a", "begin")
    (made,) = await a.does(spawn("be b", profile="b", description="b"))
    await b.asked()
    await a.starts(
        message(world.handle("b"), "m1"),
        spawn("be c", profile="c", description="c", background=False),
        output(task_in(made), timeout_ms=600_000),
        call("ship"),
    )
    await tool.gate.reached.wait()
    await c.asked()
    await world.event("call.waiting", 2)


async def test_on_team_every_call_of_a_round_has_its_one_result(worlds: Worlds) -> None:
    """O-05: whatever was open when the process died; nothing is sent, made or read a second time."""
    world = world_of(worlds)
    await four_calls(world, Counter())
    a, b, c = (world.puppets[name] for name in "abc")

    await again(world)
    await world.request("b", 2)
    await world.request("c", 2)
    await b.says("so far")  # it reads the message then
    await b.says("b is done")
    await c.says("c is done")
    request = await world.request("a", 3)
    await a.says("all done")
    await world.turn_end("a")

    sent, of_c, of_b, shipped = texts(request)[-4:]
    assert "accepted" in sent
    assert ("c is done" in of_c, "b is done" in of_b) == (True, True)
    assert "interrupted" in shipped
    assert len([v for v in world.views() if v.profile == "c"]) == 1
    assert ends(world, "a") == ["answered"]
    await world.check()
