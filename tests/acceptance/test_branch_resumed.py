"""What a turn keeps that goes on from one before it."""

from postroom.errors import ModelUnavailable
from postroom.llm.port import ModelSettings
from postroom.testing.script import call
from tests.acceptance.branches import address, branch_world, message, spawn
from tests.acceptance.family import Worlds


async def test_a_turn_that_never_began_resets_no_budget_of_the_one_that_goes_on(worlds: Worlds) -> None:
    """OP-59: a turn that could not even start counts for nothing, so it says nothing of generations."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b", settings=ModelSettings(context_window=9_000))
    await world.prompt("a", "begin")
    await a.does(spawn("w " * 4_000, agent_id="b", description="b"))
    await b.asked()
    await b.does(call("list_tasks"))
    await b.fails(ModelUnavailable("it is away"))
    await world.turn_end("b")
    (sent,) = await a.does(message("b", "x " * 14_000))
    end = await world.turn_end("b", 2)
    await world.room.recall(sent.text.partition("delivery_id=")[2].split()[0])

    await world.room.resume(address(world, "b"))
    await b.asked()
    (made,) = await b.does(spawn("one generation too many"))

    assert str(end.facts["end_reason"]).startswith("context_too_long")
    assert "(generations_spent)" in made.text
    await world.check()
