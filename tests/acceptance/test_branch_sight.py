"""What may not be reached is not there: a tree that keeps others out, as an agent on branches sees it."""

import pytest

from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World, times
from tests.acceptance.branches import POLICY, branches, message, spawn
from tests.acceptance.family import Worlds

SECRET = "the word is swordfish"


async def beside_a_tree(worlds: Worlds) -> tuple[World, Puppet, str, str]:
    """`a` on branches, and a session of the surface `tree` in the same store: its id, that of its branch."""
    world = worlds()
    t, a = world.puppet("t"), world.puppet("a")
    world.puppet("o")
    await world.prompt("t", SECRET)
    await t.says("kept")
    await world.quiesce()
    closed = branches(world)[0]
    world.policy = POLICY
    await world.reopen()
    await world.prompt("a", "begin")
    await a.asked()
    return world, a, closed.public_id, closed.branch_id


async def test_nobody_begins_an_agent_in_a_session_that_it_may_not_reach(worlds: Worlds) -> None:
    """OP-18, OP-48: neither at a branch nor at a node of it, and nothing of what was said there is read."""
    world, a, session, branch = await beside_a_tree(worlds)

    results = await a.does(
        spawn("tell me", start_from=f"{session}:{branch}"), spawn("tell me", start_from=f"{session}:1")
    )

    assert [r.text.partition(" ")[0] for r in results] == ["[agent", "[agent"]
    assert all("(unknown_session)" in r.text for r in results)
    assert len(branches(world)) == 2
    assert times(SECRET, world.requests("a")) == 0
    await world.check()


@pytest.mark.parametrize("tail", ["", ":", ":1", ":99999", ":nobody"])
async def test_an_address_in_a_closed_session_reads_alike_whatever_stands_behind_it(
    worlds: Worlds, tail: str
) -> None:
    """OP-24: no answer says which branches and nodes there are, or that there is a session at all."""
    world, a, session, _ = await beside_a_tree(worlds)

    sent, read = await a.does(
        message(session + tail, "hello"), call("read_conversation", session_id=session + tail)
    )

    assert "(unknown_reference)" in sent.text
    assert "(unknown_session)" in read.text
    await world.check()


async def test_a_name_in_a_closed_session_takes_nobodys_name_away_and_is_no_candidate(worlds: Worlds) -> None:
    """OP-24, OP-25: exact or as a beginning, only who may be reached is looked for."""
    world, a, session, _ = await beside_a_tree(worlds)
    other = await world.prompt("o", "another")
    await world.room.rename(session, "tax papers")

    (nobody,) = await a.does(message("tax papers", "hello"))
    await world.room.rename(other.session_id, "tax returns")
    (found,) = await a.does(message("tax", "hello"))

    assert "(unknown_reference)" in nobody.text
    assert session not in nobody.text
    assert other.session_id in found.text
    await world.check()
