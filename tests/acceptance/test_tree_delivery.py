"""How mail of the `tree` surface is delivered: running, waiting, finished and cold recipients."""

from postroom.testing.script import call, say
from postroom.testing.world import World, texts


async def test_a_child_delegated_in_the_background_returns_its_result(world: World) -> None:
    """CK-40"""
    root = world.puppet("root", delegates_to=("worker",))
    world.agent("worker", say("it is done"))

    await world.prompt("root", "go")
    (result,) = await root.does(
        call("delegate_subagent", description="d", prompt="work", agent_type="worker", background=True)
    )
    await world.turn_end("worker")
    await root.says("noted")
    request = await world.request("root", 3)
    await root.says("thanks")

    assert world.handle("worker") in result.text
    assert "it is done" in texts(request)[-1]
    await world.check()
