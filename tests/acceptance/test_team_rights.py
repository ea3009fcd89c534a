"""Rights in a team: whom an agent may make, write to and retire; nobody gains any by handing work on."""

from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import call
from tests.acceptance.family import Worlds
from tests.acceptance.team_work import agent_in, code, crew, dispatch, root, spawn, world_of
from tests.acceptance.teams import message


async def test_an_agent_may_make_another_like_itself(worlds: Worlds) -> None:
    """Without a profile it is one's own, and needs no rule."""
    world = world_of(worlds)
    a = world.puppet("a")
    await world.prompt("a", "begin")
    await a.starts(spawn("dig"), spawn("dig", profile="a"))
    await world.event("call.ended", 2)

    assert [view.profile for view in world.views()] == ["a", "a", "a"]
    assert not world.events("delegation.refused")
    await world.check()


async def test_another_profile_needs_a_rule(worlds: Worlds) -> None:
    """As on `tree`: `delegates_to` or `permissions` name it; an unknown one is said to be unknown."""
    world = world_of(worlds)
    a, _ = world.puppet("a"), world.puppet("b")
    await world.prompt("a", "begin")
    (refused,) = await a.does(spawn("dig", profile="b"))
    (unknown,) = await a.does(spawn("dig", profile="nobody"))

    assert "permission_denied" in refused.text
    assert refused.is_error
    assert code(unknown) == "unknown_profile"
    assert len(world.events("session.created")) == 1
    await world.check()


async def test_a_rule_may_deny_copies_of_oneself(worlds: Worlds) -> None:
    """Then the tool is not even shown."""
    world = world_of(worlds)
    a = world.puppet("a", rules=(Rule(action="delegate", effect=Effect.DENY),))
    await world.prompt("a", "begin")
    request = await a.asked()
    (refused,) = await a.does(spawn("dig"))

    assert "agent" not in {tool.name for tool in request.tools}
    assert refused.is_error
    assert len(world.events("session.created")) == 1
    await world.check()


async def test_the_persons_ceiling_holds_for_copies_too(worlds: Worlds) -> None:
    """The ceiling narrows and nobody widens it."""
    world = world_of(worlds)
    world.ceiling = (Rule(action="delegate", effect=Effect.DENY),)
    a = world.puppet("a", delegates_to=("b",))
    world.puppet("b")
    await world.prompt("a", "begin")
    (own,) = await a.does(spawn("dig"))
    (other,) = await a.does(spawn("dig", profile="b"))

    assert own.is_error
    assert other.is_error
    assert len(world.events("session.created")) == 1
    await world.check()


async def test_a_child_has_the_rights_of_its_own_profile_and_its_makers_do_not_limit_it(
    worlds: Worlds,
) -> None:
    """product.md section 5: 'a child's rights' as on `tree` (O-21)."""
    world = world_of(worlds)
    a = world.puppet("a", rules=(Rule(action="delegate", effect=Effect.ALLOW, pattern="b"),))
    b, c = world.puppet("b", delegates_to=("c",)), world.puppet("c")
    await world.prompt("a", "begin")
    await a.does(spawn("dig", profile="b"))
    (made,) = await b.does(spawn("dig deeper", profile="c"))
    (refused,) = await a.does(spawn("dig", profile="c"))

    assert not made.is_error
    assert c
    assert refused.is_error
    await world.check()


async def test_a_rule_against_a_relation_holds_for_mail_and_tasks_alike(worlds: Worlds) -> None:
    """The shipped rules let all of the tree through; a profile's rule is more than they are."""
    world = world_of(worlds)
    a, b = (
        world.puppet("a", delegates_to=("b",)),
        world.puppet("b", rules=(Rule(action="message", effect=Effect.DENY, pattern="parent"),)),
    )
    await world.prompt("a", "begin")
    await a.does(spawn("dig", profile="b"))
    (mail,) = await b.does(message(root(world), "hello"))
    (task,) = await b.does(dispatch(root(world), "help"))

    assert "permission_denied" in mail.text
    assert "permission_denied" in task.text
    assert mail.is_error
    assert task.is_error
    await world.check()


async def test_only_who_grew_out_of_ones_own_work_can_be_retired(worlds: Worlds) -> None:
    """product.md section 5, 'who may archive': descendants; not oneself, nor who is above or beside."""
    world = world_of(worlds)
    team = await crew(world, "b", "c")
    b, c = team.others
    (made,) = await b.does(spawn("dig deeper", profile="c"))
    (above,) = await b.does(call("archive_agent", to=root(world)))
    (beside,) = await b.does(call("archive_agent", to=team.addresses[1]))
    (itself,) = await b.does(call("archive_agent", to=team.addresses[0]))
    (below,) = await b.does(call("archive_agent", to=agent_in(made)))
    (far_below,) = await team.a.does(call("archive_agent", to=agent_in(made)))
    (direct,) = await team.a.does(call("archive_agent", to="c", reason="done"))

    assert [code(found) for found in (above, beside, itself)] == ["permission_denied"] * 3
    assert "does not stand below you" in beside.text
    assert "[archived]" in below.text
    assert "was archived before" in far_below.text
    assert not direct.is_error
    assert c
    assert len(world.events("branch.archived")) == 2
    await world.check()


async def test_the_person_may_retire_anybody(worlds: Worlds) -> None:
    """The policy speaks of agents."""
    world = world_of(worlds)
    team = await crew(world, "b")
    await world.room.archive(team.addresses[0])
    (sent,) = await team.a.does(message(team.addresses[0], "hello"))

    assert "archived" in sent.text
    await world.check()


async def test_what_an_agent_sees_of_its_tools(worlds: Worlds) -> None:
    """product.md section 5: exactly the tools of the surface, and `ask_user`."""
    world = world_of(worlds)
    a = world.puppet("a")
    await world.prompt("a", "begin")
    request = await a.asked()

    assert [tool.name for tool in request.tools] == [
        "agent", "send_message", "recall_message", "message_status", "read_message", "list_agents", "wait",
        "read_conversation", "task_output", "task_stop", "list_tasks", "archive_agent", "todo_create",
        "todo_update", "todo_list", "ask_user",
    ]  # fmt: skip
    await world.check()
