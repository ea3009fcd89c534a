"""Whose rights a call has: those of its own profile, within what the person allows the whole tree."""

from collections.abc import Mapping, Sequence

import pytest

from postroom.domain.plain import Json
from postroom.rules.permissions import Effect, Rule
from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.family import EVERYBODY, Worlds, code, delegate, send

ALLOW, ASK, DENY = Effect.ALLOW, Effect.ASK, Effect.DENY
WITHIN_THE_FAMILY = (
    Rule(action="message", pattern="*", effect=DENY),
    Rule(action="message", pattern="parent", effect=ALLOW),
    Rule(action="message", pattern="child", effect=ALLOW),
)
"""Nobody of the tree may write to anybody but its parent and its children."""


def tools_of(world: World, profile: str) -> set[str]:
    """What the newest request of a profile offers."""
    return {spec.name for spec in world.requests(profile)[-1].tools}


class Couriers:
    """The agents of O-21: `a` may write to its parent only, and makes couriers, who may write to all."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.root = world.puppet("r", may_message=EVERYBODY, delegates_to=("a", "s"))
        self.a = world.puppet("a", may_message=("parent", "child"), delegates_to=("courier",))
        self.courier = world.puppet("courier", may_message=EVERYBODY, delegates_to=("courier2",))
        self.courier2 = world.puppet("courier2", may_message=EVERYBODY)
        world.puppet("s", may_message=EVERYBODY).rests()

    async def begin(self) -> None:
        """The root makes both; `a` has its first request open."""
        await self.world.prompt("r", "begin")
        await self.root.does(delegate("a"), delegate("s"))
        self.root.rests()
        await self.a.asked()

    async def letter(self, sender: Puppet, to: str) -> str:
        """How a send comes out: its code, or `ok`."""
        [result] = await sender.does(send(self.world.handle(to), "a letter"))
        return code(result) if result.is_error else "ok"

    async def make(self, maker: Puppet, profile: str, made: Puppet) -> str:
        """How a delegation comes out: its code, or `ok`, and then the child has its first request open."""
        [result] = await maker.does(delegate(profile))
        if result.is_error:
            return result.text.partition(":")[2].partition(":")[0]
        await made.asked()
        return "ok"

    def refusals(self, profile: str) -> list[Json]:
        """The codes that a profile's log tells."""
        found = [*self.world.events("message.refused"), *self.world.events("delegation.refused")]
        return [e.facts["code"] for e in found if e.agent.startswith(f"{profile}_")]


async def test_an_agent_has_the_rights_of_its_own_profile_on_every_road(world: World) -> None:
    """O-21: making a courier is itself an action with a rule, and the courier acts for itself."""
    tree = Couriers(world)
    await tree.begin()

    assert await tree.letter(tree.a, "s") == "permission_denied"
    assert await tree.make(tree.a, "s", tree.courier) == "permission_denied"
    assert await tree.make(tree.a, "courier", tree.courier) == "ok"
    assert await tree.letter(tree.courier, "s") == "ok"
    assert await tree.make(tree.courier, "courier2", tree.courier2) == "ok"
    assert await tree.letter(tree.courier2, "s") == "ok"
    assert await tree.letter(tree.a, "r") == "ok"
    assert tree.refusals("a") == ["permission_denied", "permission_denied"]
    await world.check()


@pytest.mark.parametrize("by", ["ceiling", "overlay"])
async def test_what_the_person_closes_is_closed_for_couriers_too(worlds: Worlds, by: str) -> None:
    """O-21: message, second generation and an allow list that keeps its allows."""
    world = worlds()
    if by == "ceiling":
        world.ceiling = WITHIN_THE_FAMILY
    tree = Couriers(world)
    await tree.begin()
    if by == "overlay":
        await world.room.set_overlay(world.view("r").session_id, WITHIN_THE_FAMILY)

    assert await tree.letter(tree.a, "s") == "permission_denied"
    assert await tree.make(tree.a, "courier", tree.courier) == "ok"
    assert await tree.letter(tree.courier, "s") == "permission_denied"
    assert await tree.make(tree.courier, "courier2", tree.courier2) == "ok"
    assert await tree.letter(tree.courier2, "s") == "permission_denied"
    assert await tree.letter(tree.courier2, "a") == "permission_denied"
    assert await tree.letter(tree.courier2, "courier") == "ok"
    assert await tree.letter(tree.a, "r") == "ok"
    assert tree.refusals("courier") == ["permission_denied"]
    assert tree.refusals("courier2") == ["permission_denied", "permission_denied"]
    await world.check()


async def test_a_courier_from_before_obeys_rules_that_were_tightened_since(world: World) -> None:
    """O-21: a finished child that is woken again has the rights of now, on every road."""
    tree = Couriers(world)
    await tree.begin()
    assert await tree.make(tree.a, "courier", tree.courier) == "ok"
    assert await tree.letter(tree.courier, "s") == "ok"
    await tree.courier.says("carried")
    await world.turn_end("courier")

    await world.room.set_overlay(world.view("r").session_id, WITHIN_THE_FAMILY)
    assert await tree.letter(tree.a, "courier") == "ok"
    await tree.courier.asked()

    assert await tree.letter(tree.courier, "s") == "permission_denied"
    assert await tree.make(tree.courier, "courier2", tree.courier2) == "ok"
    assert await tree.letter(tree.courier2, "s") == "permission_denied"
    assert await tree.letter(tree.courier, "a") == "ok"
    await world.check()


async def test_a_closed_delegation_is_closed_for_every_generation(world: World) -> None:
    """O-21: the person may close the making of couriers itself."""
    world.ceiling = (Rule(action="delegate", pattern="courier*", effect=DENY),)
    tree = Couriers(world)
    await tree.begin()

    assert await tree.make(tree.a, "courier", tree.courier) == "permission_denied"
    assert "delegate_subagent" not in tools_of(world, "a")
    await world.check()


async def test_an_agent_without_a_rule_sees_no_mail_tool_and_no_limit_gives_it_one(world: World) -> None:
    """CK-3."""
    world.ceiling = (Rule(action="message", effect=ALLOW),)
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await world.room.set_overlay(world.view("r").session_id, [Rule(action="message", effect=ALLOW)])
    await root.says("done")
    await world.turn_end("r")

    await world.prompt("r", "again")
    await root.asked()

    assert "send_message" not in tools_of(world, "r")
    await world.check()


@pytest.mark.parametrize(
    ("ceiling", "seen"),
    [
        ((), True),
        ([("*", DENY)], False),
        ([("*", ASK)], True),
        ([("*", DENY), ("child", ASK)], True),
        ([("*", DENY), ("sibling", ALLOW)], False),
        ([("parent", DENY)], True),
    ],
)
async def test_a_tool_is_seen_if_profile_and_ceiling_let_something_through(
    worlds: Worlds, ceiling: Sequence[tuple[str, Effect]], *, seen: bool
) -> None:
    """CK-3, CK-30: the agent may write to its children; what the ceiling leaves of that decides."""
    world = worlds()
    world.ceiling = tuple(Rule(action="message", pattern=p, effect=e) for p, e in ceiling)
    world.puppet("r", may_message=("child",))
    await world.prompt("r", "begin")
    await world.request("r", 1)

    assert ("send_message" in tools_of(world, "r")) is seen
    await world.check()


async def test_a_turn_keeps_the_tools_that_it_started_with_and_not_the_right_to_them(world: World) -> None:
    """CK-3: visibility is fixed when a turn starts; what a call may do is decided when it is made."""
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("s",))
    world.puppet("s").rests()
    await world.prompt("r", "begin")
    await root.does(delegate("s"))
    await world.room.set_overlay(world.view("r").session_id, [Rule(action="message", effect=DENY)])

    [refused] = await root.does(send(world.handle("s"), "a letter"))

    assert code(refused) == "permission_denied"
    assert "send_message" in tools_of(world, "r")
    await root.says("done")
    await world.turn_end("r")
    await world.prompt("r", "again")
    await root.asked()
    assert "send_message" not in tools_of(world, "r")
    await world.check()


async def shut(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text="shut the door")


@pytest.mark.parametrize(
    ("own", "ceiling", "outcome"),
    [
        ((), (), "done"),
        ((("*", DENY),), (), "hidden"),
        ((("*", DENY), ("sh*", ALLOW)), (), "done"),
        ((("*", ALLOW), ("shu*", DENY)), (), "hidden"),
        ((("open*", ALLOW),), (), "hidden"),
        ((), (("*", DENY),), "hidden"),
        ((), (("*", DENY), ("open*", ALLOW)), "hidden"),
        ((("*", DENY),), (("*", ALLOW),), "hidden"),
        ((("shut*", ALLOW), ("s*t", DENY)), (), "done"),
        ((("s*t", DENY), ("sh*t", ALLOW)), (), "done"),
    ],
)
async def test_a_tool_is_shown_and_may_be_used_unless_a_rule_of_the_profile_or_the_person_says_else(
    worlds: Worlds, own: Sequence[tuple[str, Effect]], ceiling: Sequence[tuple[str, Effect]], outcome: str
) -> None:
    """CK-30: naming a tool allows it; more literal characters win, then fewer wildcards, then the later."""
    world = worlds()
    world.ceiling = tuple(Rule(action="shell", pattern=p, effect=e) for p, e in ceiling)
    world.tool("shut", shut, action="shell")
    rules = tuple(Rule(action="shell", pattern=p, effect=e) for p, e in own)
    root = world.puppet("r", tools=("shut",), rules=rules)
    await world.prompt("r", "begin")
    await world.request("r", 1)

    [result] = await root.does(call("shut"))

    assert ("shut" in tools_of(world, "r")) is (outcome == "done") is not result.is_error
    assert result.text == "shut the door" or result.text.startswith("shut:permission_denied:")
    await world.check()
