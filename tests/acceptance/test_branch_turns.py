"""`branch`: what is true of every turn and task there, whatever opened it (systems.md 1.6 to 1.9)."""

from dataclasses import replace

import pytest

from postroom.domain.message import Kind, Mode
from postroom.errors import StaleFence
from postroom.service.draft import Draft
from postroom.surfaces.branch.words import sent_text
from postroom.testing.script import call
from postroom.testing.world import texts
from tests.acceptance.branches import POLICY, address, branch_world, branches, crew, dispatch, message, pair
from tests.acceptance.family import Worlds


async def test_nothing_is_sent_by_a_call_whose_turn_is_over(worlds: Worlds) -> None:
    """OP-29: without a running turn there is no sender, and nothing is left behind."""
    world = branch_world(worlds)
    a, b = await pair(world)
    await a.does(message("nobody", "hello"))
    await a.says("tried")
    await world.turn_end("a")
    draft = Draft(
        call=1, fence=1, to=address(world, "b"), body="hello", mode=Mode.STEER,
        render=lambda outcome: sent_text("b", outcome),
    )  # fmt: skip
    with pytest.raises(StaleFence):
        await world.room.office.send(draft, lambda _: None)
    assert not world.events("message.sent")
    assert not b.is_asked
    await world.check()


async def test_a_queued_dispatch_has_its_id_before_it_runs(worlds: Worlds) -> None:
    """OP-53: pending while its agent is busy, and the turn that runs it has the same id."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("b", "hello")
    await b.asked()
    await world.prompt("a", "begin")
    given = (await a.does(dispatch(address(world, "b"), "count")))[0]
    assert given.text.startswith("[task dispatched, queued] task_id=t_")
    task = given.text.split("task_id=")[1].split()[0]
    (queued,) = world.events("task.queued")
    assert queued.facts["state"] == "pending"
    await b.says("hello")
    assert texts(await b.asked())[-1].startswith("[task from ")
    (started,) = world.events("task.started")
    assert started.facts["task"] == queued.facts["task"]
    await a.says("given")
    await b.says("seven")
    assert task in texts(await a.asked())[-1]
    await world.check()


@pytest.mark.parametrize(("own", "rounds"), [(None, 50), (3, 3), (80, 50)])
async def test_a_turn_ends_at_its_cap_and_an_agent_can_only_tighten_it(
    worlds: Worlds, own: int | None, rounds: int
) -> None:
    """OP-74: it ends cleanly, and counts as finished."""
    world = branch_world(worlds)
    model = world.agent("a", *([call("list_tasks")] * 100), max_rounds=own)
    await world.prompt("a", "begin")
    await world.quiesce()
    assert len(model.requests) == rounds
    (ended,) = world.events("turn.ended")
    assert (ended.facts["state"], ended.facts["end_reason"]) == ("finished", "round_cap")
    await world.check()


async def test_the_person_picks_a_branch_and_writes_to_it(worlds: Worlds) -> None:
    """OP-19: by the address that is printed, or by its name in its session."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    await a.says("at work")
    await w.says("done")
    await a.says("read")
    await world.quiesce()
    session = address(world, "a").partition(":")[0]
    for to in (address(world, "w"), f"{session}:w"):
        await world.room.send(to, f"hello by {len(to)}")
        assert texts(await w.asked())[-1] == f"hello by {len(to)}"
        await w.says("hello")
        await world.quiesce()
    assert len(branches(world)) == 2
    await world.check()


async def test_who_wrote_to_whom_and_what_came_back_is_in_the_log(worlds: Worlds) -> None:
    """OP-20, OP-2, OP-9: the data of a drawing: the spawn, the message, and the edge on which it returns."""
    world = branch_world(worlds)
    a, w = await crew(world, "w")
    (made,) = world.events("branch.made")
    (attached,) = world.events("branch.attached")
    assert attached.facts["branch"] == made.facts["branch"]
    await a.does(message("w", "how far?"))
    sent = world.events("message.sent")[-1]
    assert (sent.facts["to"], sent.facts["kind"]) == (made.facts["branch"], "mail")
    await w.says("all of it")
    await w.says("quite far")
    await world.event("message.accepted", 3, agent="a")
    kinds = [e.facts["kind"] for e in world.events("message.accepted", agent="a")]
    assert kinds[-2:] == [Kind.RESULT, Kind.REPLY]
    await world.check()


async def test_a_session_has_one_log_however_many_of_its_branches_run(worlds: Worlds) -> None:
    """Several branches of one session at once: no number of its log is lost or used twice."""
    policy = replace(POLICY, fan_out_max=None, concurrency=8)
    world = branch_world(worlds, policy)
    names = [f"w{n}" for n in range(8)]
    a, *workers = await crew(world, *names)
    await a.says("at work")
    for worker in workers:
        await worker.starts(message("main", f"from {worker.model}"))
    for worker in workers:
        await worker.says("done")
    await world.rest()
    seqs = [e.seq for e in world.events() if e.session_id == address(world, "a").partition(":")[0]]
    assert seqs == list(range(1, len(seqs) + 1))
    await world.check()
