"""A stop gives tools time, and asks no model any more (product.md section 4, Stop)."""

from postroom.runtime.scheduler import STOP_GRACE_S
from postroom.testing.clock import FakeClock
from postroom.testing.script import Gate, call
from postroom.testing.world import World


async def test_a_tool_that_ends_in_time_keeps_its_result_and_the_turn_ends_stopped(world: World) -> None:
    """G11: the result is durable, no further model call happens."""
    gate = Gate()
    world.slow_tool("slow", gate, "it took effect")
    root = world.puppet("r", tools=("slow",))
    prompt = await world.prompt("r", "begin")
    await root.asked()
    await root.starts(call("slow"))
    await gate.reached.wait()

    await world.room.stop(prompt.session_id)
    gate.open()
    await world.quiesce()

    history = await world.room.history(prompt.session_id)
    assert history[-1].text == "it took effect"
    assert [e.facts["state"] for e in world.events("turn.ended")] == ["stopped"]
    assert len(world.requests("r")) == 1
    await world.check()


async def test_a_tool_that_does_not_end_is_left_after_the_grace(world: World) -> None:
    """G11: after 30 s the open call gets its one result, 'stopped'."""
    gate = Gate()
    world.slow_tool("slow", gate)
    root = world.puppet("r", tools=("slow",))
    prompt = await world.prompt("r", "begin")
    await root.asked()
    await root.starts(call("slow"))
    await gate.reached.wait()

    await world.room.stop(prompt.session_id)
    assert world.events("turn.ended") == []
    assert isinstance(world.clock, FakeClock)
    await world.clock.advance(STOP_GRACE_S)
    await world.quiesce()

    history = await world.room.history(prompt.session_id)
    assert "stopped by the person" in history[-1].text
    assert len(world.requests("r")) == 1
    await world.check()
