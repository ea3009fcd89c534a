"""What an engineer and an agent in bad faith tried on `peer`: each of these went wrong once."""

from dataclasses import replace
from typing import cast

import pytest

from postroom.rules.permissions import Effect, Rule
from postroom.testing.script import call
from tests.acceptance.branches import address, branch_world
from tests.acceptance.branches import spawn as branch_spawn
from tests.acceptance.family import Worlds
from tests.acceptance.peer_places import apart, directory, true_reasons
from tests.acceptance.peers import (
    POLICY,
    beside,
    data,
    fits,
    id_of,
    times_out,
    two,
    waits,
    write,
)
from tests.acceptance.test_peer_held import asleep


async def test_a_wait_tells_nothing_of_whom_the_person_has_forbidden_since_it_began(worlds: Worlds) -> None:
    """DS-32, DS-33: what may be seen is decided by the rules of the moment, also for a call that waits."""
    world, a, b, _ = await two(worlds)

    await waits(world, a, timeout_ms=10_000)
    await world.room.set_overlay(id_of(world, "a"), [Rule(action="message", effect=Effect.DENY)])
    await world.prompt("b", "what nobody shall hear of")
    await b.asked()
    await b.says("done")
    await world.turn_end("b", 2)

    assert await times_out(world, a) == {"timedOut": True, "changes": []}
    await a.says("nobody is there")
    await world.check()


async def test_the_operator_reads_of_every_tool_that_a_session_is_archived(worlds: Worlds) -> None:
    """DS-9: the true reason is the same, whichever tool was refused."""
    world, a, _, b_id = await two(worlds)
    await world.room.archive(b_id)

    await a.does(
        write(b_id, "hello"),
        call("session_inspect", session_id=b_id),
        call("session_wait", target_ids=[b_id]),
    )

    assert true_reasons(world, "a") == ["archived", "archived", "archived"]
    await a.says("nobody is there")
    await world.check()


@pytest.mark.parametrize("is_running", [False, True])
async def test_a_receipt_says_that_the_person_has_stopped_the_recipient(
    worlds: Worlds, *, is_running: bool
) -> None:
    """CK-13 on `peer`: the mail is kept, wakes nobody, and its sender is not left to wait for it."""
    world, a, b, b_id = await two(worlds)
    if is_running:
        await world.prompt("b", "go on")
        await b.asked()
    await world.room.stop(b_id)

    (sent,) = await a.does(write(b_id, "hello"))

    fits("session_send", sent)
    assert data(sent)["status"] == "accepted"
    assert "stopped by the user" in str(data(sent)["note"])
    await a.says("later, then")
    await world.quiesce()
    await world.room.resume(b_id)
    await b.asked()
    await b.says("read")
    await world.rest()
    await world.check()


async def test_who_waits_only_for_sessions_that_the_person_has_stopped_is_told_so_at_once(
    worlds: Worlds,
) -> None:
    """DS-33, G11: no agent lets them go on, so a wait would only run to its end."""
    world, a = await beside(worlds, "b", "c")
    b_id, c_id = id_of(world, "b"), id_of(world, "c")
    await world.room.stop(b_id)

    (told,) = await a.does(call("session_wait", target_ids=[b_id]))
    fits("session_wait", told)
    assert (data(told)["timedOut"], data(told)["changes"]) == (False, [])
    assert "stopped by the user" in str(data(told)["reason"])

    await waits(world, a, target_ids=[b_id, c_id], timeout_ms=10_000)
    assert await times_out(world, a) == {"timedOut": True, "changes": []}
    await a.says("enough")
    await world.check()


async def test_the_operator_reads_why_a_held_message_could_not_go(worlds: Worlds) -> None:
    """DS-9: its directory went while it was held; its sender reads what absence reads like."""
    world = worlds(policy=POLICY)
    a, _, b_id = await asleep(world)
    await a.does(write(b_id, "m1"))
    directory(world, "one").rmdir()
    await world.room.open_agent(b_id)
    await a.says("done")
    (told,) = [item.text for item in (await a.asked()).items if item.text.startswith("[notice]")]
    assert "there is no such session" in told
    assert true_reasons(world, "a") == ["no_directory"]
    await a.says("so be it")
    await world.quiesce()
    await world.check()


async def test_a_wait_that_mail_ends_at_once_names_no_other_reason(worlds: Worlds) -> None:
    """DS-33: nobody is in reach of who waits, and yet something was written to it from elsewhere."""
    world = worlds(policy=POLICY)
    a, b, b_id = await apart(world, "one", "two", mine=replace(POLICY, crosses_workspace=True))
    await world.prompt("b", "wait for whatever comes")
    await b.asked()
    await a.does(write(b_id, "hello"))

    (told,) = await b.does(call("session_wait"))

    (change,) = cast("list[dict[str, str]]", data(told)["changes"])
    assert change["what"] == "mail"
    assert "reason" not in data(told)
    await b.says("read")
    await a.says("done")
    await world.rest()
    await world.check()


async def test_a_fork_works_where_the_agent_worked_whose_conversation_it_goes_on_with(worlds: Worlds) -> None:
    """DS-1, O-38: an agent that was made in a session of another directory does not get there by a fork."""
    world = branch_world(worlds)
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("b", "hello", cwd=directory(world, "two"))
    await b.says("hello")
    await world.quiesce()
    await world.prompt("a", "begin", cwd=directory(world, "one"))
    await a.does(branch_spawn("look", agent_id="b", start_from=f"{id_of(world, 'b')}:1"))
    await b.asked()
    await b.says("I have looked")

    fork = await world.room.fork(address(world, "b", 2))

    row = world.room.store.look(lambda tx: tx.session_by_public_id(fork.session_id))
    assert row is not None
    assert row.cwd == str(directory(world, "one"))
    await a.says("enough")
    await world.rest()
    await world.check()


@pytest.mark.parametrize("is_mutual", [True, False], ids=["both", "one way"])
async def test_nobody_is_told_to_answer_whom_it_may_not_write_to(worlds: Worlds, *, is_mutual: bool) -> None:
    """DS-6: whose settings open all directories is read where it may not be answered, so without the hint."""
    world, open_to_all = worlds(policy=POLICY), replace(POLICY, crosses_workspace=True)
    theirs = open_to_all if is_mutual else POLICY
    a, b, b_id = await apart(world, "one", "two", mine=open_to_all, theirs=theirs)
    await a.does(write(b_id, "hello"))

    read = (await b.asked()).items[-1].text

    assert ("to reply]" in read) is is_mutual
    (answer,) = await b.does(write(id_of(world, "a"), "hello yourself"))
    assert answer.is_error is not is_mutual
    await b.says("read")
    await a.says("done")
    await world.rest()
    await world.check()
