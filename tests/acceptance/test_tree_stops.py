"""What a person's stop, cancel and resume do, and what stays as it was."""

import asyncio

import pytest

from postroom.errors import Refused
from postroom.llm.port import ResultItem
from postroom.store.tx import Tx
from postroom.store.tx_sessions import NewSession
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, call, say
from postroom.testing.world import World, texts, times
from tests.acceptance.family import accepted, delegate, family, send
from tests.acceptance.statements import statements


async def test_a_result_for_a_cancelled_parent_is_a_notice_that_wakes_nobody(world: World) -> None:
    """A late child never restarts a cancelled parent."""
    root, b = await family(world, "b")
    await world.room.cancel(world.view("r").session_id)
    await world.turn_end("r")
    asked = len(world.requests("r"))

    await b.says("too late")
    await world.turn_end("b")
    await world.quiesce()
    quiet = len(world.requests("r"))
    await world.prompt("r", "what now?")
    request = await root.asked()

    assert quiet == asked
    assert times("too late", [request]) == 1
    await world.check()


async def test_a_stop_stays_until_the_person_speaks(world: World) -> None:
    """O-17, G11: nothing below runs, mail is kept, and a second stop changes nothing."""
    gate = Gate()
    root, b = await _stoppable(world, gate)
    to = world.handle("b")
    await root.does(send(to, "m1.", "queue"), send(to, "m2.", "steer"))

    stopped, again = await world.room.stop(to), await world.room.stop(to)
    (receipt,) = await root.does(send(to, "m3.", "steer"))
    calls = [len(world.requests(p)) for p in ("b", "k")]
    gate.open()
    root.rests()
    await world.quiesce()
    quiet = [len(world.requests(p)) for p in ("b", "k")]
    await world.room.send(to, "continue", mode="queue")
    shown = "".join(texts(await b.asked()))

    assert (stopped, again) == (2, 0)
    assert accepted(receipt).recipient_state == "queued"
    assert calls == quiet
    places = [shown.index(m) for m in ("continue", "m1.", "m2.", "m3.")]
    assert places == sorted(places)
    assert [shown.count(m) for m in ("continue", "m1.", "m2.", "m3.")] == [1, 1, 1, 1]
    outcomes = {e.agent[0]: (e.facts["outcome"], e.facts["cause"]) for e in world.events("task.ended")}
    assert outcomes == {"b": ("cancelled", "cancel.user"), "k": ("cancelled", "cancel.user")}
    await world.check()


async def _stoppable(world: World, gate: Gate) -> tuple[Puppet, Puppet]:
    """The root, and a `b` in a slow tool with a running child `k`."""
    world.slow_tool("slow", gate)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", tools=("slow",), delegates_to=("k",))
    k = world.puppet("k")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.does(delegate("k"))
    await k.asked()
    await b.starts(call("slow"))
    await gate.reached.wait()
    return root, b


async def test_a_pause_survives_a_restart_and_is_lifted_by_resume(world: World) -> None:
    """G11: never by agents, restart or time."""
    root, b = await family(world, "b")
    await world.room.stop(world.handle("b"))
    await root.does(send(world.handle("b"), "m1"))
    asked = len(world.requests("b"))

    await world.reopen()
    root.rests()
    await world.quiesce()
    paused = world.view("b").state
    await world.room.resume(world.handle("b"))
    request = await b.asked()

    assert paused == "paused"
    assert len(world.requests("b")) == asked + 1
    assert times("m1", [request]) == 1
    await world.check()


async def test_a_stop_ends_the_wait_of_a_parent(world: World) -> None:
    """A blocking call on a stopped child returns instead of waiting for ever."""
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    waiting = asyncio.ensure_future(root.does(delegate("b", background=False)))
    await b.asked()

    await world.room.stop(world.handle("b"))
    (result,) = await waiting

    assert result.is_error
    assert "cancel.user" in result.text
    await world.check()


async def test_a_cancel_parks_what_it_releases(world: World) -> None:
    """Cancel ends one turn and pauses nothing: new mail wakes, and brings the parked mail along."""
    root, b = await family(world, "b")
    await b.says("free")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "m1"))
    await b.asked()

    await world.room.cancel(world.handle("b"))
    end = await world.turn_end("b", 2)
    parked = world.view("b").parked
    with pytest.raises(Refused, match="already_ended"):
        await world.room.cancel(world.handle("b"))
    await root.does(send(world.handle("b"), "m2"))
    request = await b.asked()

    assert end.facts["state"] == "cancelled"
    assert parked == 1
    assert [times(m, [request]) for m in ("m1", "m2")] == [1, 1]
    await world.check()


async def test_resume_goes_on_from_a_turn_that_a_closing_room_cut(world: World) -> None:
    """Nothing waits, so nothing wakes by itself; the person may let it go on."""
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.does(call("nothing"))

    await world.reopen()
    await world.quiesce()
    state = world.view("r").state
    await world.room.resume(world.view("r").session_id)
    request = await root.asked()

    assert state == "interrupted"
    assert times("begin", [request]) == 1
    await world.check()


@pytest.mark.parametrize("in_time", [True, False])
async def test_tools_of_a_stopped_turn_have_half_a_minute(world: World, *, in_time: bool) -> None:
    """Stop: a tool that ends in its time keeps its result, no model is asked, every call has one result."""
    gate = Gate()
    _, b = await _stoppable(world, gate)
    assert isinstance(world.clock, FakeClock)
    await world.room.stop(world.handle("b"))
    before = len(world.requests("b"))

    await world.clock.advance(29.0)
    if in_time:
        gate.open()
    else:
        await world.clock.advance(2.0)
    end = await world.turn_end("b")
    gate.open()
    await world.room.send(world.handle("b"), "continue", mode="queue")
    request = await b.asked()

    assert end.facts["state"] == "stopped"
    assert len(world.requests("b")) == before + 1
    (result,) = [i for i in request.items if isinstance(i, ResultItem) and i.tool == "slow"]
    assert ("stopped" in result.text, result.text == "done") == (not in_time, in_time)
    await world.check()


async def test_a_stop_of_many_that_rest_asks_little_of_the_store_for_each(world: World) -> None:
    """G11: ten thousand agents are stopped in one transaction, and the others wait for it."""
    world.agent("r", say("ready"))
    prompt = await world.prompt("r", "begin")
    await world.quiesce()
    await world.room.store.write(_make_agents, prompt.branch, 200)

    with statements(world) as heard:
        stopped = await world.room.stop(prompt.session_id)

    assert stopped == 201
    assert len(heard) < 7 * stopped
    assert len(world.events("branch.paused")) == 201
    await world.check()


def _make_agents(tx: Tx, parent: int, number: int) -> None:
    """Agents that have nothing to do, below another one."""
    root = tx.session_row(tx.branch_row(parent).session)
    for n in range(number):
        tx.insert_session(NewSession(
            root=root.key, parent=root.key, parent_turn=None, parent_branch=parent, made_by_call=None,
            origin="delegation", handle=f"r_{n:08}", title="", cwd=root.cwd, team=root.team,
            policy=root.policy, depth=1, profile="r",
        ))  # fmt: skip
