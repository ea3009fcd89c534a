"""Sessions over HTTP while their agents are in the middle of something."""

from tests.acceptance.branches import branch_world, crew
from tests.acceptance.family import Worlds, delegate
from tests.frontends.api import Api, objects, the
from tests.frontends.daemon import serving


async def test_a_session_with_a_turn_is_not_deleted(worlds: Worlds) -> None:
    world = worlds()
    a = world.puppet("a")
    session = (await world.prompt("a", "begin")).session_id
    await a.asked()
    async with serving(world.room) as daemon:
        api = Api(daemon.client())

        assert await api.refused("DELETE", f"/sessions/{session}") == (409, "not_idle")
        assert the((await api.shown(f"/sessions/{session}"))["counts"])["busy"] == 1


async def test_sessions_that_agents_made_are_left_out_where_only_roots_are_asked_for(worlds: Worlds) -> None:
    world = worlds()
    root, child = world.puppet("r", delegates_to=("c",)), world.puppet("c")
    session = (await world.prompt("r", "begin")).session_id
    await root.does(delegate("c"))
    await child.asked()
    async with serving(world.room) as daemon:
        api = Api(daemon.client())
        every = objects((await api.shown("/sessions"))["sessions"])
        roots = objects((await api.shown("/sessions", roots=True))["sessions"])
        detail = await api.shown(f"/sessions/{session}")

    assert [(one["profile"], one["root_session_id"], one["origin"]) for one in every] == [
        ("c", session, "delegation"),
        ("r", session, "person"),
    ]
    assert [one["profile"] for one in roots] == ["r"]
    assert detail["policy"] == "tree"
    assert the(detail["limits"])["rounds_max"] == 50


async def test_a_picker_can_leave_out_the_branches_that_agents_made(worlds: Worlds) -> None:
    """OP-18"""
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    session = world.view("a").session_id
    await b.says("done")
    async with serving(world.room) as daemon:
        listed = await Api(daemon.client()).listed(f"/sessions/{session}/branches")
    by_name = {str(one["profile"]): one for one in listed}

    assert [by_name[name]["internal"] for name in "ab"] == [False, True]
    assert [by_name[name]["active"] for name in "ab"] == [True, False]
    assert by_name["b"]["parent_branch_id"] == by_name["a"]["branch_id"]
    assert by_name["b"]["address"] == f"{session}:{by_name['b']['branch_id']}"
    await a.says("done")
