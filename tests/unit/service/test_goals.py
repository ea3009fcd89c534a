"""What becomes of a reminder that nobody has read yet."""

from postroom.app import Postroom
from postroom.store.tx import Tx
from postroom.testing.world import World
from tests.acceptance.goal_talk import goal_of, idle_root, notices, reminders, root_id


async def test_a_reminder_that_waits_is_taken_back_with_its_goal(world: World) -> None:
    """CK-39: by its owner, unclaimed only; the turn that it had opened finds nothing to read."""
    root = world.puppet("r")
    await idle_root(world, root)
    to = root_id(world)
    await world.close()
    async with Postroom.open(world.folder, idle=True) as room:
        await room.goal_set(to, "dig a well")
        (waiting,) = await room.agents_view(to)
        await room.goal_cancel(to)
        (after,) = await room.agents_view(to)
    await world.open()
    await world.quiesce()

    assert (waiting.unread, after.unread) == (1, 0)
    assert len(world.requests("r")) == 1
    assert [e.facts["reason"] for e in world.events("message.discarded")] == ["recalled"]
    await world.check()


async def test_a_goal_that_is_set_while_no_process_runs_waits_for_one(world: World) -> None:
    root = world.puppet("r")
    await idle_root(world, root)
    to = root_id(world)
    await world.close()
    async with Postroom.open(world.folder, idle=True) as room:
        await room.goal_set(to, "dig a well")
        await room.goal_pause(to)
        await room.goal_resume(to)
    await world.open()
    request = await world.request("r", 2)
    root.rests()
    await world.quiesce()

    assert len(reminders(request)) == 1
    await world.check()


async def test_a_reminder_whose_chain_is_spent_while_it_waits_is_taken_back(world: World) -> None:
    root = world.puppet("r")
    await idle_root(world, root)
    to = root_id(world)
    await world.close()
    async with Postroom.open(world.folder, idle=True) as room:
        await room.goal_set(to, "dig a well")
        await room.store.write(_spend_all)
    await world.open()
    await world.quiesce()

    assert len(world.requests("r")) == 1
    assert await goal_of(world) == ("paused", 1)
    assert notices(world) == ["goal_chain_spent"]


def _spend_all(tx: Tx) -> None:
    last = tx.last_turn_of_branch(1)
    assert last is not None
    tx.charge_chain(last.chain, turns=1_000_000)
