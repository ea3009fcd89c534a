"""An agent that acts in another tree is asked for what it is asked for in its own (OP-18, O-21).

Another tree may be in another mode, unattended, or hold grants: none of it answers what is an ask at home.
"""

from collections.abc import Mapping
from dataclasses import replace

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.rules.permissions import Effect, Rule
from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.branches import POLICY, address, branch_world, message, spawn
from tests.acceptance.family import Worlds

DEEP: Policy = replace(POLICY, generations_max=4, messages_max=None)
ASKS = (Rule(action="read", effect=Effect.ASK),)
MAY = (Rule(action="read", effect=Effect.ALLOW),)


async def _done(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text="it was read")


async def _two_trees(
    world: World, *of_a: Rule, of_k: tuple[Rule, ...] = MAY
) -> tuple[Puppet, Puppet, Puppet]:
    """`b` idle in a tree of its own, `a` at work in another; `k` is a profile that both may use."""
    world.tool("look", _done, action="read")
    a, b = world.puppet("a", tools=("look",), rules=of_a), world.puppet("b", tools=("look",), rules=ASKS)
    k = world.puppet("k", tools=("look",), rules=of_k)
    await world.prompt("b", "hello")
    await b.says("hello")
    await world.quiesce()
    await world.prompt("a", "begin")
    await a.asked()
    return a, b, k


async def _decided(world: World, reader: Puppet, *, count: int) -> None:
    """Every ask so far was one of the person, who says yes to the last."""
    await world.event("ask.opened", count)
    (ask,) = await world.room.asks()
    await world.room.approve(ask.ask_id)
    assert texts(await reader.asked())[-1] == "it was read"


async def test_the_mode_of_another_tree_approves_nothing_that_is_asked_at_home(worlds: Worlds) -> None:
    """OP-18, O-21: an agent that is made in a tree where everything is approved, and one that it makes."""
    world = branch_world(worlds, DEEP)
    m = world.puppet("m", tools=("look",), rules=MAY)
    a, _, k = await _two_trees(world, *ASKS)
    await world.room.set_mode(world.view("b").session_id, "yolo")
    await a.does(spawn("read", agent_id="k", start_from=address(world, "b")))
    await k.asked()

    await k.starts(call("look"))
    await _decided(world, k, count=1)
    await k.does(spawn("read", agent_id="m"))
    await m.asked()
    await m.starts(call("look"))

    await _decided(world, m, count=2)
    await world.check()


async def test_a_grant_of_another_tree_is_none_at_home(worlds: Worlds) -> None:
    """OP-18: what the person allowed the agents of one tree, it allowed nobody who comes from another."""
    world = branch_world(worlds, DEEP)
    a, b, k = await _two_trees(world, *ASKS)
    await world.prompt("b", "read")
    await b.asked()
    await b.starts(call("look"))
    await world.event("ask.opened")
    (ask,) = await world.room.asks()
    await world.room.approve(ask.ask_id, "tree")
    await b.asked()
    await a.does(spawn("read", agent_id="k", start_from=address(world, "b")))
    await k.asked()

    await k.starts(call("look"))

    await _decided(world, k, count=2)
    await world.check()


async def test_nobody_there_in_another_tree_is_no_leave_for_what_is_asked_at_home(worlds: Worlds) -> None:
    """OP-16, OP-18: sends that are asked about at home do not go because that tree is unattended."""
    world = branch_world(worlds, DEEP)
    home = Rule(action="message", effect=Effect.ASK)
    a, _, k = await _two_trees(world, home, of_k=())
    await world.room.set_attended(world.view("a").session_id, attended=True)
    await world.room.set_attended(world.view("b").session_id, attended=False)
    await a.does(spawn("write", agent_id="k", start_from=address(world, "b")))
    await k.asked()

    await k.starts(message(address(world, "b"), "from elsewhere"))
    await world.event("ask.opened")
    (ask,) = await world.room.asks()
    await world.room.deny(ask.ask_id)
    await k.asked()

    assert not world.events("message.accepted", agent="b")[1:]
    await world.check()


async def test_what_an_agent_makes_while_it_runs_as_a_lent_profile_is_bound_as_it_is(worlds: Worlds) -> None:
    """OP-18: the one who lent it stands behind all that grows out of that turn."""
    world = branch_world(worlds, DEEP)
    m = world.puppet("m", tools=("look",), rules=MAY)
    a, _, k = await _two_trees(world, *ASKS)
    await world.room.set_mode(world.view("b").session_id, "yolo")
    await a.does(message(address(world, "b"), "have it read", agent_id="k"))
    await k.asked()
    await k.does(spawn("read", agent_id="m"))
    await m.asked()

    await m.starts(call("look"))

    await _decided(world, m, count=1)
    await world.check()


async def test_who_lends_a_profile_elsewhere_lends_no_more_than_its_own_tree_allows(worlds: Worlds) -> None:
    """OP-18: the mode of that tree does not decide, and the person's rules over the writer's tree hold."""
    world = branch_world(worlds, DEEP)
    a, _, k = await _two_trees(world, *ASKS)
    await world.room.set_mode(world.view("b").session_id, "yolo")
    await a.does(message(address(world, "b"), "read", agent_id="k"))
    await k.asked()
    await k.starts(call("look"))
    await _decided(world, k, count=1)
    await k.says("read")
    await a.says("well")
    await a.asked()

    await world.room.set_overlay(world.view("a").session_id, [Rule(action="read", effect=Effect.DENY)])
    await a.does(message(address(world, "b"), "again", agent_id="k"))
    tools = {tool.name for tool in (await k.asked()).tools}

    assert "look" not in tools
    await world.check()
