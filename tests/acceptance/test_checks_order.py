"""In which order a send is checked: calls that break two rules at once, each pair of them (systems.md 3.2).

Disabled, arguments, body, address, self, permission, guards: the first broken one gives its code.
"""

from collections.abc import Iterable
from itertools import combinations

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.rules.permissions import Effect, Rule
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call, call_raw
from postroom.testing.world import World
from tests.acceptance.family import EVERYBODY, Worlds, accepted, code, delegate, family, send

NOBODY = "00000000-0000-7000-8000-000000000000"
CODES = {
    "disabled": "disabled",
    "arguments": "invalid_arguments",
    "body": "invalid_body",
    "unknown handle": "unknown_reference",
    "unknown id": "unknown_session",
    "other tree": "not_tree_peer",
    "self": "self_send",
    "permission": "permission_denied",
    "guards": "chain_spent",
}
"""What is broken, in the order in which it is looked at, and the code that says so."""
ADDRESSES = frozenset({"unknown handle", "unknown id", "other tree", "self"})
"""One call has one address."""
PAIRS = [pair for pair in combinations(CODES, 2) if not ADDRESSES.issuperset(pair)]
GUARDED = 3
"""Turns of the chain when the root and its two children have begun."""


@pytest.mark.parametrize("overlaid", [False, True], ids=["plain", "overlaid"])
@pytest.mark.parametrize("broken", [*((one,) for one in CODES), *PAIRS], ids="+".join)
async def test_of_two_broken_rules_the_earlier_one_gives_its_code(
    worlds: Worlds, broken: tuple[str, ...], *, overlaid: bool
) -> None:
    """CK-8, CK-15, CK-20, CK-21, CK-22: also where the person's rules over the tree have a say."""
    world = worlds(policy=_policy(broken))
    a = await _sender(world, _reach(broken))
    if overlaid:
        rule = Rule(action="message", effect=Effect.ALLOW, pattern="*")
        await world.room.set_overlay(world.view("r").session_id, [rule])

    (refused,) = await a.does(await _call(world, broken))

    assert code(refused) == CODES[broken[0]]
    assert [e.facts["code"] for e in world.events("message.refused")] == [CODES[broken[0]]]
    assert not [e for e in world.events("message.accepted") if e.facts["kind"] == "mail"]
    await world.check()


def _policy(broken: Iterable[str]) -> Policy:
    return Policy(
        surface="tree",
        messaging_enabled="disabled" not in broken,
        chain_turns_max=GUARDED if "guards" in broken else None,
    )


def _reach(broken: Iterable[str]) -> tuple[str, ...]:
    """Without a right to a sibling the tool is shown still, because of the others."""
    return ("child", "parent") if "permission" in broken else EVERYBODY


async def _sender(world: World, reach: tuple[str, ...]) -> Puppet:
    root = world.puppet("r", delegates_to=("a", "b"))
    a, b = world.puppet("a", may_message=reach), world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("a"), delegate("b"))
    await a.asked()
    await b.asked()
    return a


async def _call(world: World, broken: Iterable[str]) -> ScriptedAnswer:
    to = world.handle("b")
    if "unknown handle" in broken:
        to = "b_00000000"
    if "unknown id" in broken:
        to = NOBODY
    if "other tree" in broken:
        to = (await world.prompt_new("b", "another tree")).session_id
    if "self" in broken:
        to = world.handle("a")
    given: dict[str, Json] = {"to": to, "body": "\u200b \n" if "body" in broken else "hello"}
    return call("send_message", **given, **({"urgent": True} if "arguments" in broken else {}))


@pytest.mark.parametrize("arguments", ["[1]", "{broken", '"b"', "{}", '{"to": 1, "body": " "}'])
async def test_messaging_that_is_off_looks_at_no_argument(worlds: Worlds, arguments: str) -> None:
    """CK-20: also what is no object at all is answered with `disabled`."""
    world = worlds(policy=Policy(surface="tree", messaging_enabled=False))
    a = await _sender(world, EVERYBODY)

    (refused,) = await a.does(call_raw("send_message", arguments))

    assert code(refused) == "disabled"
    await world.check()


async def test_a_session_keeps_the_switch_it_was_made_with(worlds: Worlds) -> None:
    """CK-20: settings that changed meanwhile open nothing, and what they close is closed at once."""
    world = worlds(policy=Policy(surface="tree", messaging_enabled=False))
    a = await _sender(world, EVERYBODY)
    await world.close()
    world.policy = Policy(surface="tree")
    await world.open()
    await world.room.send(world.view("a").session_id, "go on")
    (still_off,) = await a.does(send(world.handle("b"), "x"))
    await world.close()

    fresh = worlds()
    root, b = await family(fresh, "b")
    await fresh.close()
    fresh.policy = Policy(surface="tree", messaging_enabled=False)
    await fresh.open()
    await fresh.prompt("r", "go on")
    (off_now,) = await root.does(send(fresh.handle("b"), "x"))
    b.rests()

    assert code(still_off) == code(off_now) == "disabled"
    await fresh.check()


async def test_of_two_guards_the_cap_comes_before_the_window_and_the_window_before_the_hops(
    worlds: Worlds,
) -> None:
    """CK-16, CK-18, CK-19: all three full, then two, then one."""
    codes: list[str] = []
    for cap, window in ((1, 1), (None, 1), (1, None), (None, None)):
        world = worlds(policy=Policy(surface="tree", mailbox_cap=cap, pair_window=window, hops_max=0))
        root, a, _ = await family(world, "a", "b")
        accepted((await a.does(send(world.handle("b"), "fills both")))[0])
        accepted((await root.does(send(world.handle("a"), "makes a hop")))[0])
        await a.does(call("nothing"))
        codes.append(code((await a.does(send(world.handle("b"), "refused")))[0]))
        await world.check()

    assert codes == ["inbox_full", "inflight_full", "inbox_full", "max_hops_exceeded"]


async def test_a_hidden_tool_is_refused_before_its_arguments_are_looked_at(world: World) -> None:
    """CK-3: whoever has no rule learns nothing from the tool, neither of arguments nor of addresses."""
    (_, b) = await family(world, "b", message=())

    results = await b.does(
        call_raw("send_message", "{broken"),
        call("send_message", shout=1),
        send(NOBODY, "x"),
        send("b_00000000", " "),
    )

    assert [code(one) for one in results] == ["permission_denied"] * 4
    assert len({one.text for one in results}) == 1
    await world.check()
