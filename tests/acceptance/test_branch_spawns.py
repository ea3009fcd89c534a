"""`branch`: where a new agent begins, and the conversation graph that this makes (systems.md 1.6, 1.17)."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from postroom.domain.node import Provenance, Role
from postroom.domain.plain import Json
from postroom.errors import BrokenPredecessorChain, PredecessorMissing
from postroom.runtime.transcript import recall
from postroom.store.tx import Tx
from postroom.testing.script import call
from postroom.testing.world import World, texts
from postroom.tools.base import Caller, ToolResult
from tests.acceptance.branches import address, branch_world, branches, crew, dispatch, message, pair, spawn
from tests.acceptance.damage import sql
from tests.acceptance.family import Worlds


def nodes(world: World, key: object) -> list[tuple[object, ...]]:
    """One row of the table of nodes: key, role, ..., predecessor."""
    with closing(sqlite3.connect(world.folder / "postroom.db")) as connection:
        return connection.execute(
            "SELECT id, role, turn_id, round, predecessor_id FROM node WHERE id = ?", (key,)
        ).fetchall()


async def began(world: World, start_from: str) -> list[str]:
    """What a worker reads first that `a` has made in its second round."""
    a, w = world.puppet("a"), world.puppet("w")
    await world.prompt("a", "the question")
    await a.does(message("nobody", "a call of the first round"))
    await a.does(spawn("the task", agent_id="w", start_from=start_from))
    return texts(await w.asked())


async def test_a_clean_agent_sees_its_prompt_only(worlds: Worlds) -> None:
    """OP-48, OP-31: without a header, for nobody wrote to it before."""
    world = branch_world(worlds)
    assert await began(world, "clean") == ["the task"]
    await world.check()


async def test_an_heir_sees_the_conversation_up_to_the_last_finished_round(worlds: Worlds) -> None:
    """OP-48: the call that makes it has no result yet, so it is not part of it (G6)."""
    world = branch_world(worlds)
    seen = await began(world, "inherit")
    assert seen[0] == "the question"
    assert "(unknown_reference)" in seen[2]
    assert seen[-1] == "the task"
    assert len(seen) == 4
    await world.check()


async def test_an_agent_can_begin_at_any_node_of_any_session(worlds: Worlds) -> None:
    """OP-48: it goes on in that session, and sees up to that node."""
    world = branch_world(worlds)
    a, b = await pair(world)
    session = address(world, "b").partition(":")[0]
    result = (await a.does(spawn("go on", agent_id="b", start_from=f"{session}:1")))[0]
    assert result.text.startswith("[agent spawned async]")
    assert texts(await b.asked()) == ["hello", "go on"]
    assert branches(world)[-1].public_id == session
    await world.check()


@pytest.mark.parametrize(
    ("start_from", "code"),
    [("dirty", "invalid_arguments"), (":1", "head_missing"), ("x:1", "unknown_session")],
)
async def test_a_place_that_is_none_makes_no_agent_and_costs_no_slot(
    worlds: Worlds, start_from: str, code: str
) -> None:
    """OP-48, OP-61: a refused spawn leaves nothing."""
    world = branch_world(worlds)
    a = world.puppet("a")
    await world.prompt("a", "begin")
    result = (await a.does(spawn("x", start_from=start_from)))[0]
    assert result.text.startswith("[agent error]")
    assert f"({code})" in result.text
    assert len(branches(world)) == 1
    assert not world.events("turn.fanned_out")
    await world.check()


async def test_the_profile_that_is_named_wins_over_the_callers(worlds: Worlds) -> None:
    """OP-49; an unknown one is an error."""
    world = branch_world(worlds)
    a, _ = world.puppet("a"), world.puppet("w")
    await world.prompt("a", "begin")
    await a.does(spawn("x", agent_id="w"))
    refused = (await a.does(spawn("z", agent_id="nobody")))[0]
    assert "(unknown_profile)" in refused.text
    await a.does(spawn("y"))
    assert [row.profile for row in branches(world)] == ["a", "w", "a"]
    await world.check()


async def test_parallel_ends_are_one_chain_of_notice_and_answer(worlds: Worlds) -> None:
    """OP-76, O-14: eight results, eight turns, no sibling of any, the failure marked as one."""
    world = branch_world(worlds)
    names = [f"w{n}" for n in range(4)]
    a, *workers = await crew(world, *names)
    await a.says("all at work")
    for n, worker in enumerate(workers):
        await worker.says(f"result {n}")
    for n in range(4):
        request = await a.asked()
        assert f"result {n}" in texts(request)[-1]
        assert sum(f"result {n}" in text for text in texts(request)) == 1
        await a.says(f"read {n}")
    await world.quiesce()
    assert len(world.requests("a")) == 2 + 4
    assert len(branches(world)) == 5
    await world.check()


async def test_a_result_comes_behind_what_the_person_wrote_meanwhile(worlds: Worlds) -> None:
    """OP-77: it is anchored at the tip of the branch at that time."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    await a.says("at work")
    await world.prompt("a", "something else")
    await a.says("fine")
    await w.says("the result")
    seen = texts(await a.asked())
    assert seen.index("something else") < len(seen) - 1
    assert "the result" in seen[-1]
    await world.check()


async def test_an_answer_points_to_the_agent_that_it_made(worlds: Worlds) -> None:
    """OP-78: on nobody's path, never in a context, once, and the node stays when the task ends."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    made = world.events("branch.attached")
    assert len(made) == 1
    head = world.events("answer.committed", agent="a")[0].facts["node"]
    (node,) = nodes(world, made[0].facts["node"])
    assert (node[1], node[4]) == ("attach", head)
    await a.says("at work")
    await w.says("the result")
    assert sum("the result" in text for text in texts(await a.asked())) == 1
    assert nodes(world, made[0].facts["node"]) == [node]
    dispatched = (await a.does(dispatch(address(world, "w"), "again")))[0]
    assert dispatched.text.startswith("[task dispatched]")
    assert len(world.events("branch.attached")) == 1
    await world.check()


async def test_every_node_follows_another_or_begins_a_branch(worlds: Worlds) -> None:
    """OP-93: refused on write, raised on read."""
    world = branch_world(worlds)
    await crew(world, "w")
    with pytest.raises(PredecessorMissing):
        await world.room.store.write(
            lambda tx: tx.append_node(1, None, Role.USER, Provenance.USER, "{}", 1, 1)
        )
    head = world.room.store.look(Tx.head_of, 1)
    assert head is not None
    await world.close()
    sql(world.folder, "DELETE FROM node WHERE id = 1")
    await world.open(idle=True)
    with pytest.raises(BrokenPredecessorChain, match="follows node 1,"):
        await recall(world.room.office, head)


async def test_two_sessions_at_once_never_speak_for_each_other(worlds: Worlds) -> None:
    """OP-98, O-25: each call's sender is the turn that made it, whatever else runs."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    c = world.puppet("c")
    for name in ("a", "b", "c"):
        await world.prompt(name, "begin")
    await c.says("ready")
    await a.asked()
    await b.asked()
    to = address(world, "c")
    await a.starts(message(to, "from a"))
    await b.starts(message(to, "from b"))
    for _ in range(2):
        request = texts(await c.asked())[-1]
        letter = "a" if "from a" in request else "b"
        assert request.startswith(f"[message from {address(world, letter)}]")
        await c.says(f"hello {letter}")
    await a.says("sent")
    await b.says("sent")
    assert "hello a" in texts(await a.asked())[-1]
    assert "hello b" in texts(await b.asked())[-1]
    await world.check()


async def test_an_agent_works_where_its_maker_works_also_in_another_session(worlds: Worlds) -> None:
    """OP-18: a conversation may be gone on from, and no directory comes with it."""
    world = branch_world(worlds)

    async def where(caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        return ToolResult(text=caller.cwd)

    world.tool("where", where)
    a, b = world.puppet("a"), world.puppet("b", tools=["where"])
    await world.prompt("b", "hello")
    there = (await b.does(call("where")))[0].text
    await b.says("hello")
    await world.quiesce()
    await world.close()
    world.cwd = world.folder / "elsewhere"
    await world.prompt("a", "begin")
    session = address(world, "b").partition(":")[0]
    await a.does(spawn("look", agent_id="b", start_from=f"{session}:1"))
    await b.asked()
    here = (await b.does(call("where")))[0].text
    assert (Path(there).name, Path(here).name) == ("work", "elsewhere")
    await world.check()
