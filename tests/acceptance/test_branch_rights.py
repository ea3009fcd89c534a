"""No agent has more rights than the one that made it, or the one as whose errand it runs."""

from collections.abc import Mapping
from dataclasses import replace

from postroom.domain.ask import ApprovalMode
from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.profiles.hook_settings import HookSettings, Moment
from postroom.rules.permissions import Effect, Rule
from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World, texts, times
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.branches import POLICY, address, branch_world, dispatch, message, spawn
from tests.acceptance.family import Worlds

DEEP: Policy = replace(POLICY, generations_max=4, messages_max=None)
TO_PARENT_ONLY = (
    Rule(action="message", effect=Effect.DENY),
    Rule(action="message", effect=Effect.ALLOW, pattern="parent"),
)
TO_ALL = (Rule(action="message", effect=Effect.ALLOW),)


def rule(action: str, effect: Effect, pattern: str = "*") -> Rule:
    """One rule."""
    return Rule(action=action, effect=effect, pattern=pattern)


async def _done(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text="it was done")


async def _couriers(world: World) -> tuple[Puppet, Puppet, Puppet, Puppet]:
    """`r` made `a` and `s`; `a`, who may write to its parent only, made a courier that may write to all."""
    root, stranger = world.puppet("r"), world.puppet("s")
    restricted = world.puppet("a", rules=TO_PARENT_ONLY)
    courier = world.puppet("courier", rules=TO_ALL)
    await world.prompt("r", "begin")
    await root.does(
        spawn("wait", agent_id="s", description="s"), spawn("work", agent_id="a", description="a")
    )
    await stranger.asked()
    await restricted.asked()
    await restricted.does(spawn("carry", agent_id="courier", description="courier"))
    await courier.asked()
    return root, stranger, restricted, courier


async def test_a_courier_may_do_nothing_that_its_maker_may_not(worlds: Worlds) -> None:
    """O-21: message, dispatch and second generation are refused alike; what the maker may do works."""
    world = branch_world(worlds, DEEP)
    second = world.puppet("courier2", rules=TO_ALL)
    _, stranger, restricted, courier = await _couriers(world)
    to = address(world, "s")

    (own,) = await restricted.does(message(to, "from a"))
    sent, given = await courier.does(message(to, "from the courier"), dispatch(to, "for the courier"))
    await courier.does(spawn("carry", agent_id="courier2", description="second"))
    await second.asked()
    (below,) = await second.does(message(to, "from the second"))

    assert own.text.startswith("[send_message refused]")
    assert "(permission_denied)" in own.text
    assert [r.text.partition("]")[0] for r in (sent, given, below)] == [
        "[send_message refused", "[agent refused", "[send_message refused",
    ]  # fmt: skip
    assert all("(permission_denied)" in r.text for r in (sent, given, below))
    assert len(world.events("message.refused")) == 4
    (home,) = await courier.does(message(address(world, "a"), "to my parent"))
    assert home.text.startswith("[queued]")
    assert not any("courier" in text for text in texts(await stranger.asked()))
    await world.check()


async def test_a_courier_that_is_used_again_has_no_more_rights_than_before(worlds: Worlds) -> None:
    """O-21: an agent that ended, woken by mail or by a task, is limited as it was when it was made."""
    world = branch_world(worlds, DEEP)
    root, _, _, courier = await _couriers(world)
    await courier.says("carried")
    to = address(world, "courier")
    await root.does(message(to, "again"), dispatch(to, "and once more"))

    for _ in range(2):
        await courier.asked()
        (result,) = await courier.does(message(address(world, "s"), "from the courier"))
        assert "(permission_denied)" in result.text
        await courier.says("no")

    await world.check()


async def test_rules_of_a_maker_that_became_stricter_hold_for_what_it_made_before(worlds: Worlds) -> None:
    """O-21: the profile of today counts beside that of the day on which the courier was made."""
    world = branch_world(worlds, DEEP)
    maker, courier, other = (
        world.puppet("a", rules=TO_ALL),
        world.puppet("c", rules=TO_ALL),
        world.puppet("s"),
    )
    await world.prompt("s", "hello")
    await other.says("hello")
    await world.prompt("a", "begin")
    await maker.does(spawn("carry", agent_id="c", description="c"))
    await courier.asked()
    (before,) = await courier.does(message(address(world, "s"), "before"))
    assert before.text.startswith("[delivered")
    await world.rest()
    await world.close()

    maker, courier = world.puppet("a", rules=TO_PARENT_ONLY), world.puppet("c", rules=TO_ALL)
    await world.open()
    await world.room.send(address(world, "c"), "again")
    await courier.asked()
    (after,) = await courier.does(message(address(world, "s"), "after"))

    assert "(permission_denied)" in after.text
    await world.check()


async def test_a_child_is_shown_no_tool_that_its_maker_may_not_use(worlds: Worlds) -> None:
    """OP-18: the rights of a sub-agent are its own and its maker's; a tool list shows what is left."""
    world = branch_world(worlds, DEEP)
    world.tool("dig", _done, action="shell")
    world.tool("look", _done, action="read")
    maker = world.puppet("a", tools=("look",), rules=(rule("read", Effect.ASK),))
    child = world.puppet("c", tools=("dig", "look"))
    alone = world.puppet("d", tools=("dig", "look"))
    await world.prompt("d", "begin")
    await world.prompt("a", "begin")
    await maker.does(spawn("work", agent_id="c", description="c"))

    of_child = {tool.name for tool in (await child.asked()).tools}
    of_other = {tool.name for tool in (await alone.asked()).tools}

    assert of_other >= {"dig", "look"}
    assert "dig" not in of_child
    assert "look" in of_child
    await child.starts(call("look"))
    await world.event("ask.opened")  # an ask of the maker's is one of the child's
    (ask,) = await world.room.asks()
    await world.room.approve(ask.ask_id)
    assert times("it was done", [await child.asked()]) == 1
    await world.check()


async def test_who_lets_another_run_as_a_profile_lends_no_more_rights_than_it_has(worlds: Worlds) -> None:
    """OP-18: `agent_id` needs a right to the profile, and the turn is limited by whoever asked for it."""
    world = branch_world(worlds, DEEP)
    world.tool("dig", _done, action="shell")
    plain = world.puppet("a", rules=(rule("delegate", Effect.DENY, "secret"),))
    world.puppet("digger", tools=("dig",))
    world.puppet("secret")
    other = world.puppet("b", tools=("dig",))
    await world.prompt("b", "hello")
    assert "dig" in {tool.name for tool in (await other.asked()).tools}
    await other.says("hello")
    await world.prompt("a", "begin")
    to = address(world, "b")

    (refused,) = await plain.does(message(to, "as it", agent_id="secret"))
    (sent,) = await plain.does(message(to, "as a digger", agent_id="digger"))

    assert "(permission_denied)" in refused.text
    assert sent.text.startswith("[delivered")
    request = await world.puppets["digger"].asked()
    assert times("as a digger", [request]) == 1
    assert "dig" not in {tool.name for tool in request.tools}
    await world.check()


async def test_a_gate_may_deny_a_message_whatever_the_mode_and_whoever_sends(worlds: Worlds) -> None:
    """OP-35: without a gate it runs; with one the model reads the reason, in a sub-agent too."""
    world = branch_world(worlds, DEEP)
    world.hooks = [
        HookSettings(
            name="curfew", on=(Moment.BEFORE_CALL,),
            command="""case "$(cat)" in *'"send_message"'*) echo 'not at night' >&2; exit 2;; esac""",
        )
    ]  # fmt: skip
    maker, child, other = world.puppet("a"), world.puppet("c"), world.puppet("b")
    await world.prompt("b", "hello")
    await other.says("hello")
    room = await world.open()
    await room.prompt("begin", profile="a", mode=ApprovalMode.YOLO, attended=False)
    (gated,) = await maker.does(message(address(world, "b"), "hello"))
    await maker.does(spawn("work", agent_id="c", description="c"))
    await child.asked()

    (below,) = await child.does(message(address(world, "b"), "hello from below"))

    for result in (gated, below):
        assert result.is_error
        assert "denied_by_hook" in result.text
        assert "not at night" in result.text
    assert not other.is_asked
    assert not world.events("message.held")
    await world.check()


async def test_an_ask_rule_lets_a_send_go_where_nobody_attends_and_a_deny_rule_refuses_it(
    worlds: Worlds,
) -> None:
    """Row 'an ask on a send': attended, the call waits; unattended it goes, unless a rule denies it."""
    world = branch_world(worlds, DEEP)
    asking = world.puppet("a", rules=(rule("message", Effect.ASK),))
    denied = world.puppet("d", rules=(rule("message", Effect.DENY),))
    other = world.puppet("b")
    await world.prompt("b", "hello")
    await other.says("hello")
    room = await world.open()
    for profile in ("a", "d"):
        await room.prompt("begin", profile=profile, attended=False)
    to = address(world, "b")

    (gone,) = await asking.does(message(to, "I go"))
    await denied.asked()
    assert "send_message" not in {tool.name for tool in (await denied.asked()).tools}
    (refused,) = await denied.does(dispatch(to, "do it"))

    assert gone.text.startswith("[delivered")
    assert "(permission_denied)" in refused.text
    assert await world.room.asks() == []
    await world.check()


async def test_an_ask_rule_waits_five_minutes_for_whoever_attends(worlds: Worlds) -> None:
    """Row 'an ask on a send': attended, the call waits 300 s for the person."""
    world = branch_world(worlds, DEEP)
    asking, other = world.puppet("a", rules=(rule("message", Effect.ASK),)), world.puppet("b")
    await world.prompt("b", "hello")
    await other.says("hello")
    await world.prompt("a", "begin")
    await asking.starts(message(address(world, "b"), "may I?"))
    await world.event("ask.opened")

    (ask,) = await world.room.asks()

    assert ask.due_us == ask.requested_us + 300_000_000
    assert ask.message_id == ""
    await world.room.approve(ask.ask_id)
    assert times("may I?", [await other.asked()]) == 1
    await world.check()
