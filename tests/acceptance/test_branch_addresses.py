"""`branch`: whom an address names (systems.md 1.5)."""

import pytest

from postroom.testing.world import World, texts
from tests.acceptance.branches import (
    POLICY,
    address,
    branch_world,
    branches,
    crew,
    dispatch,
    message,
    pair,
    spawn,
)
from tests.acceptance.family import Worlds, send

NOBODY = "01a22c7f-0000-7000-8000-000000000000"


@pytest.mark.parametrize(
    ("to", "code", "names"),
    [
        ("", "empty_to", "list_agents"),
        ("new", "spawn_syntax", "agent"),
        ("new:x:y", "spawn_syntax", "agent"),
        (f"{NOBODY}:{NOBODY}", "unknown_reference", "list_agents"),
        ("nobody at all", "unknown_reference", "list_agents"),
    ],
)
async def test_an_address_of_nobody_is_an_error_and_makes_nothing(
    worlds: Worlds, to: str, code: str, names: str
) -> None:
    """OP-17, OP-21, OP-24."""
    world = branch_world(worlds)
    a, _ = await pair(world)
    result = (await a.does(message(to, "hello")))[0]
    assert result.text.startswith("[send_message error]")
    assert f"({code})" in result.text
    assert names in result.text
    assert len(branches(world)) == 2
    assert not world.events("message.sent")
    await world.check()


async def test_a_session_without_a_branch_and_a_node_of_none_are_two_more_errors(worlds: Worlds) -> None:
    """OP-24: three faults, three words, all of them point at `list_agents`."""
    world = branch_world(worlds)
    a, _ = await pair(world)
    session = address(world, "b").partition(":")[0]
    texts = [
        (await a.does(message(to, "hello")))[0].text
        for to in (f"{session}:", session, f"{session}:999", f"{session}:{NOBODY}")
    ]
    assert [t.rpartition("(")[2] for t in texts] == ["head_missing)"] * 2 + ["unknown_node)"] * 2
    assert all("list_agents" in text for text in texts)
    await world.check()


async def test_an_old_head_names_its_branch_at_its_tip(worlds: Worlds) -> None:
    """OP-22: no fork appears; the turn goes on from where the branch is now."""
    world = branch_world(worlds)
    a, b = await pair(world)
    session = address(world, "b").partition(":")[0]
    sent = (await a.does(message(f"{session}:1", "how are you?")))[0]  # its very first node
    assert address(world, "b") in sent.text
    first, answer, came = texts(await b.asked())
    assert (first, answer) == ("hello", "hello")
    assert came.endswith("how are you?")
    assert len(branches(world)) == 2
    await world.check()


async def test_a_shared_ancestor_names_nobody_and_lists_everybody(worlds: Worlds) -> None:
    """OP-23: one line a candidate, with its name and the address that names it alone."""
    world = branch_world(worlds)
    a, b, c = world.puppet("a"), world.puppet("b"), world.puppet("c")
    await world.prompt("b", "hello")
    await b.asked()
    await b.does(spawn("one", start_from="inherit", description="one", agent_id="c"))
    await b.does(spawn("two", start_from="inherit", description="two", agent_id="c"))
    await c.asked()
    await world.prompt("a", "begin")
    session = address(world, "b").partition(":")[0]
    result = (await a.does(message(f"{session}:1", "hello")))[0]
    assert "(shared_ancestor)" in result.text
    assert f"«one» → {address(world, 'c')}" in result.text
    assert f"«two» → {address(world, 'c', 2)}" in result.text
    assert f"(unnamed) → {address(world, 'b')}" in result.text
    await world.check()


async def named(world: World) -> None:
    """`a` with workers bench, benchmark and parse beside it."""
    a = (await crew(world, "w"))[0]
    await a.does(*(spawn("x", agent_id="w", description=name) for name in ("bench", "benchmark", "parse")))


@pytest.mark.parametrize(
    ("to", "nth", "code"),
    [
        ("bench", 2, ""),  # exact beats prefix
        ("par", 4, ""),  # a prefix that only one has
        ("ben", 0, "ambiguous"),
        ("Bench", 0, "unknown_reference"),  # names are compared as they are written
    ],
)
async def test_names_are_found_exactly_then_by_what_they_begin_with(
    worlds: Worlds, to: str, nth: int, code: str
) -> None:
    """OP-25: ambiguity lists the candidates."""
    world = branch_world(worlds)
    await named(world)
    a = world.puppets["a"]
    result = (await a.does(message(to, "hello")))[0]
    if nth:
        assert address(world, "w", nth) in result.text
    else:
        assert f"({code})" in result.text
    if code == "ambiguous":
        assert "«bench»" in result.text
        assert "«benchmark»" in result.text
    await world.check()


async def test_the_own_session_is_searched_first(worlds: Worlds) -> None:
    """OP-25: a branch of the same name elsewhere makes nothing ambiguous."""
    world = branch_world(worlds)
    a, b, w = world.puppet("a"), world.puppet("b"), world.puppet("w")
    await world.prompt("b", "begin")
    await b.does(spawn("x", agent_id="w", description="bench"))
    await world.prompt("a", "begin")
    foreign = (await a.does(message("bench", "to the one elsewhere")))[0]
    assert address(world, "w", 1) in foreign.text
    await a.does(spawn("x", agent_id="w", description="bench"))
    own = (await a.does(message("bench", "to the own one")))[0]
    assert address(world, "w", 2) in own.text
    await w.asked()
    await world.check()


async def test_a_name_that_looks_like_an_address_loses_against_the_address(worlds: Worlds) -> None:
    """OP-26: where the left part is a session, it is read as `SID:HEAD`."""
    world = branch_world(worlds)
    a, _ = await pair(world)
    session = address(world, "b").partition(":")[0]
    result = (await a.does(message(f"{session}:bench", "hello")))[0]
    assert "(unknown_node)" in result.text
    await world.check()


async def test_nobody_writes_to_itself_not_even_by_an_old_head(worlds: Worlds) -> None:
    """OP-28, OP-51: refused whatever the budgets say."""
    world = branch_world(worlds)
    a, _ = await pair(world)
    own = address(world, "a")
    session = own.partition(":")[0]
    first = world.events("message.claimed", agent="a")[0].facts["node"]
    for to in (own, f"{session}:{first}", "main"):
        result = (await a.does(message(to, "hello")))[0]
        assert result.text.startswith("[send_message refused]"), result.text
        assert "(self_send)" in result.text
    refused = (await a.does(dispatch(own, "do it")))[0]
    assert refused.text.startswith("[agent refused]")
    await world.check()


async def test_an_agent_whose_rules_hold_in_its_tree_reaches_nobody_beyond_it(worlds: Worlds) -> None:
    """Both sides decide (product.md section 5): that the other may be reached by everybody is not enough."""
    world = worlds()
    t, b = world.puppet("t", may_message=("*",)), world.puppet("b")
    await world.prompt("t", "begin")
    await t.says("begun")
    await world.quiesce()
    world.policy = POLICY
    await world.reopen()
    await world.prompt("b", "hello")
    await b.says("hello")
    await world.prompt("t", "go on")

    (result,) = await t.does(send(world.view("b").session_id, "from another tree"))

    assert "not_tree_peer" in result.text
    assert not world.events("message.sent")
    await world.check()


async def test_an_agent_keeps_the_name_that_it_was_made_with_beside_a_later_one(worlds: Worlds) -> None:
    """OP-25, OP-95: whoever made it knows it by that name; another agent's present name comes first."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    await world.room.rename(address(world, "w"), "parser speed")
    for to in ("w", "parser speed"):
        assert address(world, "w") in (await a.does(message(to, f"by {to}")))[0].text
    await a.does(spawn("x", agent_id="w", description="w"))
    assert address(world, "w", 2) in (await a.does(message("w", "to the one that is called so")))[0].text
    await w.asked()
    await world.check()
