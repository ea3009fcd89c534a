"""A session keeps the surface and the policy that it was made with (product.md section 8)."""

from postroom.domain.policy import Policy
from postroom.testing.world import World
from tests.acceptance.branches import POLICY
from tests.acceptance.family import Worlds


def shown(world: World, k: int) -> set[str]:
    """The tools of the k-th request of `a`."""
    return {spec.name for spec in world.requests("a")[k].tools}


async def test_a_session_keeps_its_tools_when_its_team_takes_another_surface(worlds: Worlds) -> None:
    world = worlds()
    a = world.puppet("a", may_message=("*",), delegates_to=("a",))
    await world.prompt("a", "begin")
    await a.says("hello")
    await world.quiesce()
    await world.close()
    world.policy = POLICY
    await world.prompt("a", "go on")
    await a.says("still here")
    await world.prompt_new("a", "a new conversation")
    await a.says("on branches")
    await world.quiesce()
    assert "delegate_subagent" in shown(world, 0)
    assert shown(world, 1) == shown(world, 0)
    assert "agent" in shown(world, 2)
    assert "delegate_subagent" not in shown(world, 2)
    world.policy = Policy(surface="tree")
    await world.check()
