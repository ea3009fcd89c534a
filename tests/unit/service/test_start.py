"""What opens a turn, what joins it, and what becomes of mail whose turn cannot start."""

from postroom.domain.policy import Policy
from postroom.errors import ModelFault
from postroom.llm.port import ModelSettings
from postroom.testing.script import batch, call, say
from postroom.testing.world import World, texts, times
from postroom.tools.base import ToolResult
from tests.acceptance.family import Worlds, delegate, family, send


async def test_a_task_whose_chain_is_spent_before_it_starts_fails_and_its_parent_goes_on(
    worlds: Worlds,
) -> None:
    """G8: a parent that waits for it would wait for ever."""
    world = worlds(policy=Policy(surface="tree", chain_turns_max=2))
    both = batch(delegate("b", background=False), delegate("b", background=False))
    world.agent("r", both, say("done"), delegates_to=("b",))
    world.agent("b", say("made it"))

    await world.prompt("r", "begin")
    second = await world.request("r", 2)

    results = [item for item in second.items if "made it" in item.text or "chain_spent" in item.text]
    assert len(results) == 2
    await world.check()


async def test_a_task_that_does_not_fit_into_its_window_fails_and_says_so(world: World) -> None:
    world.agent("r", delegate("b", "x" * 500, background=False), say("done"), delegates_to=("b",))
    world.agent("b", tools=("look",), settings=ModelSettings(context_window=100))
    world.tool("look", _look)

    await world.prompt("r", "begin")
    second = await world.request("r", 2)

    assert "failed: context_too_long" in texts(second)[-1]
    assert not world.requests("b")
    await world.check()


async def test_a_text_whose_turn_failed_is_answered_with_the_next_text(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "first")
    await root.asked()
    await root.fails(ModelFault("broken"))
    await world.turn_end("r")

    await world.prompt("r", "second")
    request = await world.request("r", 2)
    await root.says("both")
    await world.quiesce()

    assert [t for t in texts(request) if t in ("first", "second")] == ["first", "second"]
    assert len(world.requests("r")) == 2
    assert world.view("r").unread == 0
    await world.check()


async def test_a_steer_behind_hundreds_of_queued_texts_still_joins(world: World) -> None:
    world.tool("look", _look)
    root = world.puppet("r", tools=("look",))
    prompt = await world.prompt("r", "begin")
    await root.asked()
    for n in range(256):
        await world.room.send(prompt.session_id, f"queued {n}", mode="queue")
    await world.room.send(prompt.session_id, "hurry")

    await root.does(call("look"))

    assert times("hurry", world.requests("r")) == 1
    assert times("queued 0", world.requests("r")) == 0
    await world.check()


async def test_a_restart_tells_nobody_twice_that_a_chain_is_spent(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", chain_turns_max=3))
    _, a, b = await family(world, "a", "b")
    await b.says("idle now")
    await world.turn_end("b")
    await a.does(send(world.handle("b"), "will you read this?"))
    await world.rest()
    before = len(world.events("message.accepted"))

    await world.reopen()
    await world.quiesce()

    assert len(world.events("message.accepted")) == before


async def _look(_caller: object, _arguments: object) -> ToolResult:
    return ToolResult(text="seen")


async def test_what_opens_a_turn_is_in_it_whatever_stands_in_front(worlds: Worlds) -> None:
    """A task would otherwise be answered unread; what had to make room is read in the next turn."""
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    world.agent("b", *[say("done")] * 3, settings=ModelSettings(context_window=2_000))
    await world.prompt("r", "begin")
    await root.does(delegate("b", background=False))
    await root.does(send(world.handle("b"), "in front " + "x" * 1_900))
    await world.room.cancel(world.handle("b"))

    resume = call(
        "delegate_subagent", description="more", prompt="the task " + "y" * 1_900, agent_type="b",
        resume_session_id=world.handle("b"),
    )  # fmt: skip
    await root.does(resume)

    second = await world.request("b", 2)
    assert [times(t, [second]) for t in ("the task", "in front")] == [1, 0]
    await world.check()
