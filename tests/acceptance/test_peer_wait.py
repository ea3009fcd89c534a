"""`session_wait`: it ends with what changes after it began, with mail, with its time, and with its turn."""

import asyncio
from dataclasses import replace

import pytest

from postroom.domain.plain import Json
from postroom.testing.puppet import results_of
from postroom.testing.script import call
from tests.acceptance.family import Worlds
from tests.acceptance.peers import (
    NOWHERE,
    POLICY,
    answered,
    beside,
    changes,
    code,
    data,
    id_of,
    spawn,
    times_out,
    two,
    waited,
    waits,
    write,
)


async def test_a_wait_ends_with_what_another_session_does_next(worlds: Worlds) -> None:
    """DS-33: the change names the session, how it stood, how it stands and when."""
    world, a, b, b_id = await two(worlds)

    await waits(world, a)
    await world.prompt("b", "go on")
    (change,) = await changes(a)

    assert (change["id"], change["what"], change["from"]) == (b_id, "status", "finished")
    assert change["to"] in ("waiting", "running")
    assert change["at"].startswith("2026-11-30T")
    await b.says("done")
    await world.check()


async def test_what_was_before_a_wait_does_not_end_it(worlds: Worlds) -> None:
    """DS-33: only what the log says behind the place where the wait began; then its time is up."""
    world, a, b, b_id = await two(worlds)
    await world.prompt("b", "go on")
    await b.asked()

    await waits(world, a, target_ids=[b_id], timeout_ms=10_000)
    result = await times_out(world, a)

    assert result == {"timedOut": True, "changes": []}
    await world.check()


async def test_a_wait_for_some_sessions_is_not_ended_by_others(worlds: Worlds) -> None:
    """DS-33: where sessions are named, only theirs are changes."""
    world, a = await beside(worlds, "b", "c")

    await waits(world, a, target_ids=[id_of(world, "b")])
    await world.prompt("c", "go on")
    await world.puppets["c"].says("done")
    await world.turn_end("c", 2)
    assert not a.is_asked
    await world.prompt("b", "go on")
    (change,) = await changes(a)

    assert change["id"] == id_of(world, "b")
    await world.check()


async def test_a_session_out_of_reach_ends_no_wait_and_is_told_of_nothing(worlds: Worlds) -> None:
    """DS-32, DS-33: an agent of another directory works and ends, and who waits here hears nothing."""
    world, a = await beside(worlds, "b")
    elsewhere = world.folder / "elsewhere"
    elsewhere.mkdir()
    far = await world.prompt_new("b", "far away", policy=POLICY, cwd=elsewhere)
    await world.puppets["b"].asked()

    await waits(world, a, timeout_ms=10_000)
    await world.puppets["b"].says("done far away")
    await world.turn_end("b", 2)
    result = await times_out(world, a)

    assert result == {"timedOut": True, "changes": []}
    (named,) = await a.does(call("session_wait", target_ids=[far.session_id]))
    assert code(named) == "not_found"
    await world.check()


async def test_mail_ends_a_wait_and_is_read_at_the_next_boundary(worlds: Worlds) -> None:
    """DS-33, G13: own mail is a change; the text itself comes as mail, once."""
    world, a, b, b_id = await two(worlds)
    a_id = id_of(world, "a")
    await world.prompt("b", "go on")
    await b.asked()

    await waits(world, a, target_ids=[b_id])
    await b.does(write(a_id, "the answer is 42"))
    (change,) = await changes(a)

    assert (change["id"], change["what"], change["from"], change["to"]) == (a_id, "mail", b_id, a_id)
    request = await a.asked()
    assert "the answer is 42" in request.items[-1].text
    await world.check()


async def test_mail_that_waits_already_is_not_waited_past(worlds: Worlds) -> None:
    """DS-33, G13: what came while the model was asked could not be read yet, so the wait returns at once."""
    world, a, b, _ = await two(worlds)
    await world.prompt("b", "go on")
    await b.does(write(id_of(world, "a"), "before you wait"))

    (result,) = await a.does(call("session_wait"))

    assert [one["what"] for one in _changes(data(result))] == ["mail"]
    await world.check()


async def test_the_persons_own_text_ends_a_wait(worlds: Worlds) -> None:
    """DS-33: a person who speaks to a waiting agent need not wait for it."""
    world, a, _, _ = await two(worlds)

    await waits(world, a)
    await world.room.send(id_of(world, "a"), "leave it")
    (change,) = await changes(a)

    assert (change["what"], change["from"]) == ("mail", "")
    assert "leave it" in (await a.asked()).items[-1].text
    await world.check()


async def test_a_new_session_in_reach_is_a_change(worlds: Worlds) -> None:
    """DS-33: a wait for anybody hears of those that come."""
    world, a, b, _ = await two(worlds)

    await waits(world, a)
    new = await world.prompt_new("b", "one more")
    (change,) = await changes(a)

    assert (change["id"], change["what"], change["from"]) == (new.session_id, "created", "")
    assert change["to"] in ("waiting", "running")
    await b.asked()
    await world.check()


@pytest.mark.parametrize("timeout_ms", [9_999, 3_600_001, 0, -1])
async def test_a_time_out_of_bounds_is_refused(worlds: Worlds, timeout_ms: int) -> None:
    """DS-33: from ten seconds to one hour."""
    world, a, _, _ = await two(worlds)

    (result,) = await a.does(call("session_wait", timeout_ms=timeout_ms))

    assert code(result) == "invalid_timeout"
    assert world.events("call.waiting") == []
    await world.check()


@pytest.mark.parametrize("timeout_ms", [10_000, 3_600_000])
async def test_the_bounds_themselves_are_taken(worlds: Worlds, timeout_ms: int) -> None:
    """DS-33: the shortest and the longest wait."""
    world, a, _, _ = await two(worlds)

    await waits(world, a, timeout_ms=timeout_ms)
    await world.prompt("b", "go on")

    assert len(await changes(a)) == 1
    await world.check()


@pytest.mark.parametrize(
    "arguments",
    [
        {"target_ids": []}, {"target_ids": "x"}, {"target_ids": [1]}, {"timeout_ms": "soon"},
        {"timeout_ms": True}, {"target_ids": ["x"] * 65}, {"until": "noon"},
    ],
)  # fmt: skip
async def test_arguments_are_strict(worlds: Worlds, arguments: dict[str, Json]) -> None:
    """DS-33: nothing is guessed."""
    world, a, _, _ = await two(worlds)

    (result,) = await a.does(call("session_wait", **arguments))

    assert code(result) == "invalid_arguments"
    await world.check()


async def test_without_anybody_in_reach_there_is_nothing_to_wait_for(worlds: Worlds) -> None:
    """DS-33: it answers at once and says why."""
    world, a = await beside(worlds)

    (result,) = await a.does(call("session_wait"))

    found = data(result)
    assert (found["timedOut"], found["changes"]) == (False, [])
    assert "no other session" in str(found["reason"])
    await world.check()


async def test_what_may_not_be_reached_reads_like_what_is_not_there(worlds: Worlds) -> None:
    """DS-2, DS-3, DS-33: absent, oneself and another's child, byte for byte; the log alone knows why."""
    world, a, b, b_id = await two(worlds)
    await world.prompt("b", "go on")
    await b.does(spawn("a grandchild"))
    child = id_of(world, "b", 2)

    results = await a.does(
        *(call("session_wait", target_ids=[one]) for one in (NOWHERE, "b", id_of(world, "a"), child)),
        call("session_wait", target_ids=[b_id, NOWHERE]),
    )

    assert {r.text for r in results} == {
        "session_wait:not_found: there is no such session, or none that you may reach"
    }
    assert world.events("call.waiting") == []
    await world.check()


async def test_two_that_wait_for_each_other_wake_each_other(worlds: Worlds) -> None:
    """DS-33: that the other begins to wait is a change too, so there is no cycle to refuse."""
    world, a, b, b_id = await two(worlds)
    await world.prompt("b", "go on")
    await b.asked()

    await waits(world, a, target_ids=[b_id])
    await b.starts(call("session_wait", target_ids=[id_of(world, "a")]))
    (change,) = await changes(a)

    assert (change["from"], change["to"]) == ("running", "suspended")
    assert (await changes(b))[0]["to"] == "running"
    await world.check()


async def test_a_wait_holds_no_slot(worlds: Worlds) -> None:
    """DS-33, G13: with one slot in the tree a child runs while its maker waits."""
    world, a, _, _ = await two(worlds, replace(POLICY, concurrency=1))
    await a.starts(spawn())
    child = await answered(world, 1)
    child_id = str(data(child)["sessionId"])

    await a.starts(call("session_wait", target_ids=[child_id]))
    await a.says("the child has had the slot")
    found = data(await answered(world, 2))

    assert child_id in [one["id"] for one in _changes(found)]
    await world.check()


async def test_nobody_reads_the_log_while_nobody_waits(worlds: Worlds) -> None:
    """DS-33: there is no polling; the one reader comes with the first wait and goes with the last."""
    world, a, _, _ = await two(worlds)
    doorbell = world.room.store.doorbell
    before = doorbell.n_listeners

    await waits(world, a)
    while doorbell.n_listeners == before:  # noqa: ASYNC110 -- it comes after the commit, without a sign
        await asyncio.sleep(0)
    during = doorbell.n_listeners
    await world.prompt("b", "go on")
    await waited(a)

    assert (during, doorbell.n_listeners) == (before + 1, before)
    await world.check()


async def test_a_wait_whose_turn_is_cancelled_says_that_it_was_aborted(worlds: Worlds) -> None:
    """DS-33: the call has its one result, and its code."""
    world, a, _, _ = await two(worlds)

    await waits(world, a)
    await world.room.stop(id_of(world, "a"))
    await world.room.send(id_of(world, "a"), "again")

    (result,) = results_of(await a.asked())
    assert code(result) == "wait_aborted"
    await world.check()


async def test_a_wait_that_the_process_cuts_says_that_it_was_shut_down(worlds: Worlds) -> None:
    """DS-33, DS-26: after the next start the agent reads it with what wakes it."""
    world, a, b, _ = await two(worlds)

    await waits(world, a)
    await world.reopen()
    await world.prompt("a", "again")

    (result,) = results_of(await a.asked())
    assert code(result) == "engine_shutdown"
    del b
    await world.check()


def _changes(found: dict[str, Json]) -> list[dict[str, Json]]:
    rows = found["changes"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]
