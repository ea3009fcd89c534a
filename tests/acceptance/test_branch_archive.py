"""`branch`: agents retire, by whom they may be retired, and what is left of them (systems.md 1.12)."""

import sqlite3
from contextlib import closing

import pytest

from postroom.errors import ModelFault, NotFound, StoreFull
from postroom.llm.port import Json
from postroom.store.connect import DATABASE_NAME
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World, texts, times
from tests.acceptance.branches import address, branch_world, branches, crew, dispatch, message, pair, spawn
from tests.acceptance.family import Worlds


def archive(to: str, **more: Json) -> ScriptedAnswer:
    """A call of `archive_agent`."""
    return call("archive_agent", to=to, **more)


def listed(scope: str) -> ScriptedAnswer:
    """A call of `list_agents`."""
    return call("list_agents", scope=scope)


async def test_an_archived_agent_is_listed_under_archived_only(worlds: Worlds) -> None:
    """OP-4: gone from `session` and `all`, present in `archived`."""
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    b_address = address(world, "b")
    await b.says("done")

    (done,) = await a.does(archive(b_address, reason="it is finished"))
    here, everywhere, retired = await a.does(listed("session"), listed("all"), listed("archived"))

    assert not done.is_error
    assert b_address in done.text
    assert b_address not in here.text
    assert b_address not in everywhere.text
    assert b_address in retired.text
    await world.check()


async def test_an_archived_agent_takes_nothing_and_can_be_read_and_forked(worlds: Worlds) -> None:
    """OP-5: mail and tasks are refused, its history is read, and a new agent goes on from it."""
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    b_address = address(world, "b")
    await b.says("what I found")
    await world.turn_end("b")
    await a.does(archive("b"))

    mail, task, read = await a.does(
        message("b", "x"), dispatch(b_address), call("read_conversation", session_id=b_address)
    )
    (made,) = await a.does(spawn("go on", agent_id="b", start_from=b_address))
    request = await b.asked()

    assert mail.is_error
    assert task.is_error
    assert "archived" in mail.text
    assert "archived" in task.text
    assert "what I found" in read.text
    assert made.text.startswith("[agent spawned async]")
    assert "what I found" in texts(request)
    await world.check()


async def test_any_agent_of_any_session_may_archive_and_nothing_undoes_it(worlds: Worlds) -> None:
    """OP-6, OP-84: also another session's own top-level agent, and the agent itself."""
    world = branch_world(worlds)
    a, _ = await pair(world)
    b_address = address(world, "b")

    foreign, own = await a.does(archive(b_address), archive(address(world, "a")))
    again, unknown = await a.does(archive(b_address), archive("nobody-of-this-name"))
    await a.says("my last words")
    await world.quiesce()

    assert not foreign.is_error
    assert not own.is_error
    assert not again.is_error
    assert "before" in again.text
    assert unknown.is_error
    assert "[archive_agent" in unknown.text
    assert [e.actor for e in world.events("branch.archived")] == ["a", "a"]
    assert not any("unarchive" in spec.name for spec in world.requests("a")[0].tools)
    await world.check()


async def test_an_agent_can_be_archived_without_a_session_of_its_own(worlds: Worlds) -> None:
    """OP-84: the person needs no turn; by name, and a second time it is a notice."""
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    await b.says("done")
    await a.says("waiting")
    await a.says("noted")
    await world.quiesce()
    session = world.view("a").session_id

    first = await world.room.archive(session, agent="b")
    again = await world.room.archive(session, agent="b")
    with pytest.raises(NotFound):
        await world.room.archive(session, agent="nobody")

    assert (first.already, again.already) == (False, True)
    await world.check()


async def test_a_merged_spawn_is_listed_under_archived_and_still_addressed_by_its_head(
    worlds: Worlds,
) -> None:
    """OP-7, OP-27: merged after it succeeded in the background; its head means its own branch."""
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    b_address = address(world, "b")
    await b.says("done")
    merged = await world.event("branch.merged")
    head = f"{b_address.partition(':')[0]}:{merged.facts['head']}"

    here, retired = await a.does(listed("session"), listed("archived"))
    mail, gone = await a.does(message(head, "one thing more"), archive(head))
    await b.asked()

    assert b_address not in here.text
    assert b_address in retired.text
    assert not mail.is_error
    assert not gone.is_error
    assert b_address in gone.text
    await world.check()


async def test_a_merged_branch_that_runs_again_is_listed_again(worlds: Worlds) -> None:
    world = branch_world(worlds)
    a, b = await crew(world, "b")
    b_address = address(world, "b")
    await b.says("done")
    await world.event("branch.merged")
    await a.does(message(b_address, "one thing more"))
    await b.says("that too")
    await world.turn_end("b", 2)

    (here,) = await a.does(listed("session"))

    assert b_address in here.text
    assert len(world.events("branch.merged")) == 1
    await world.check()


@pytest.mark.parametrize("outcome", ["completed", "errored", "cancelled"])
async def test_a_background_agent_is_archived_after_its_result_is_durable(
    worlds: Worlds, outcome: str
) -> None:
    """OP-83: at every end, and the result comes first."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("a", "begin")
    (made,) = await a.does(spawn("once", agent_id="b", archive_when_done=True))
    task_id = made.text.rpartition("task_id=")[2].split()[0]
    await b.asked()
    await _end(a, b, outcome, task_id)
    ended, archived = await world.event("task.ended"), await world.event("branch.archived")

    assert ended.facts["state"] == outcome
    assert ended.pos < archived.pos
    assert archived.facts["branch"] == key(world, "b")
    assert archived.actor == "system"
    await world.check()


async def _end(a: Puppet, b: Puppet, outcome: str, task_id: str) -> None:
    if outcome == "completed":
        await b.says("done")
    elif outcome == "errored":
        await b.fails(ModelFault("fatal"))
    else:
        await a.does(call("task_stop", task_id=task_id))


async def test_a_foreground_agent_is_archived_and_its_reply_is_returned(worlds: Worlds) -> None:
    """OP-83: the caller reads the reply, whatever becomes of the agent."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("a", "begin")
    await a.starts(spawn("once", background=False, agent_id="b", archive_when_done=True))
    await b.says("forty-two")
    request = await a.asked()
    await world.event("branch.archived")
    (refused,) = await a.does(message(address(world, "b"), "and now?"))

    assert texts(request)[-1].startswith("forty-two")
    assert refused.is_error
    await world.check()


async def test_an_archive_that_cannot_be_written_leaves_the_result_and_is_made_up_for(worlds: Worlds) -> None:
    """OP-83: a failing write of the mark is told to the front end; the next start sets it."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("a", "begin")
    await a.does(spawn("once", agent_id="b", archive_when_done=True))
    await b.asked()
    await a.says("waiting")
    await world.turn_end("a")
    _sabotage(world)

    await b.says("forty-two")
    request = await a.asked()
    await a.says("noted")
    await world.quiesce()
    marked = len(world.events("branch.archived"))
    _mend(world)
    await world.reopen()
    await world.event("branch.archived")

    assert times("forty-two", [request]) == 1
    assert (marked, [type(fault) for fault in world.pauses]) == (0, [StoreFull])
    await world.check()


def key(world: World, profile: str) -> int:
    """The key of the first branch of a profile, as events name it."""
    return next(row.branch for row in branches(world) if row.profile == profile)


def _sabotage(world: World) -> None:
    """No agent can be archived: the disk is full whenever that is to be written."""
    with closing(sqlite3.connect(world.folder / DATABASE_NAME)) as database:
        database.execute(
            "CREATE TRIGGER sabotage BEFORE UPDATE OF archived_us ON branch"
            " BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )


def _mend(world: World) -> None:
    with closing(sqlite3.connect(world.folder / DATABASE_NAME)) as database:
        database.execute("DROP TRIGGER sabotage")
