"""`branch`: mail, tasks and new agents, and how their answers come back (systems.md 1.3 to 1.8)."""

from postroom.testing.world import texts
from tests.acceptance.branches import address, branch_world, branches, crew, dispatch, message, pair, spawn
from tests.acceptance.family import Worlds


async def test_a_spawn_runs_and_its_result_comes_back_by_itself(worlds: Worlds) -> None:
    """OP-1: one call makes one branch, and what it says reaches the caller without another call."""
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    await a.says("waiting")
    await b.says("forty-two")

    request = await a.asked()
    assert "forty-two" in texts(request)[-1]
    assert [row.profile for row in branches(world)] == ["a", "b"]
    assert branches(world)[0].session == branches(world)[1].session
    await world.check()


async def test_mail_to_an_idle_agent_is_answered_by_itself(worlds: Worlds) -> None:
    """OP-8, OP-30: the sender goes on at once, and the answer opens a turn of its own."""
    world = branch_world(worlds)
    a, b = await pair(world)
    sent = (await a.does(message(address(world, "b"), "how far are you?")))[0]
    assert "[delivered, running async] delivery_id=" in sent.text
    asked = await b.asked()
    assert texts(asked)[-1].startswith(f"[message from {address(world, 'a')}]")
    assert "how far are you?" in texts(asked)[-1]
    await b.says("half way")
    await a.says("asked")

    assert "half way" in texts(await a.asked())[-1]
    await world.check()


async def test_a_dispatch_runs_on_its_agent_and_comes_back_inline(worlds: Worlds) -> None:
    """OP-52, OP-54: no branch, no generation; the reply is the task's result."""
    world = branch_world(worlds)
    a, b = await pair(world)
    given = (await a.does(dispatch(address(world, "b"), "count the files")))[0]
    assert given.text.startswith("[task dispatched] task_id=t_")
    assert texts(await b.asked())[-1].startswith(f"[task from {address(world, 'a')}]")
    await a.says("given")
    await b.says("seven files")

    assert "seven files" in texts(await a.asked())[-1]
    assert len(branches(world)) == 2
    assert not world.events("branch.attached")
    begun = world.events("turn.started", agent="b")[-1].facts
    assert (begun["messages"], begun["generations"]) == (1, 0)
    assert texts(world.requests("b")[-1])[:2] == ["hello", "hello"]
    await world.check()


async def test_a_foreground_spawn_gives_its_reply_and_its_address(worlds: Worlds) -> None:
    """OP-50: text, then the address of the branch."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("a", "begin")
    await a.starts(spawn("compute", background=False, agent_id="b"))
    await b.asked()
    await b.says("done so")
    request = await a.asked()
    assert texts(request)[-1] == f"done so\n\n[spawned agent branch={address(world, 'b')}]"
    await world.check()
