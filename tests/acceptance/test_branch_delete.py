"""`branch`: a session is deleted with all its agents, and their texts go."""

import pytest

from postroom.errors import NotFound, Refused
from postroom.testing.script import call
from tests.acceptance.branches import address, branch_world, crew, message, pair
from tests.acceptance.family import Worlds
from tests.acceptance.test_tree_delete import holding

SECRET = "the combination is 4711"


async def test_all_agents_of_a_session_go_with_it(worlds: Worlds) -> None:
    """Not while one of them has a turn; then every one is archived, and what it was told is gone."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("a", f"begin: {SECRET}")
    await a.does(call("agent", prompt=f"dig: {SECRET}", agent_id="b", run_in_background=True))
    await a.does(call("todo_create", subject=f"board: {SECRET}", description=SECRET))
    await b.asked()
    await a.says(f"waiting: {SECRET}")
    session = world.view("a").session_id

    with pytest.raises(Refused, match="not_idle"):
        await world.room.delete(session)
    await b.says(f"found: {SECRET}")
    await a.says("noted")
    await world.quiesce()
    gone = await world.room.delete(session)

    assert gone.agents == 2
    assert holding(world.folder, SECRET) == []
    assert world.views() == []
    with pytest.raises(NotFound):
        await world.room.archive(session, agent="b")
    await world.check()


async def test_mail_to_a_deleted_session_names_nobody(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a, _ = await pair(world)
    b_address, b_session = address(world, "b"), world.view("b").session_id
    await world.room.delete(b_session)

    by_address, listed = await a.does(message(b_address, "x"), call("list_agents", scope="all"))

    assert by_address.is_error
    assert b_session not in listed.text
    await world.check()


async def test_the_agents_of_a_session_are_archived_one_by_one_by_the_person(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    await b.says("done")
    await a.says("waiting")
    await a.says("noted")
    await world.quiesce()

    done = await world.room.archive(world.view("a").session_id, agent="b")

    assert done.address == address(world, "b")
    assert [v.archived for v in world.views()] == [False, True]
    await world.check()
