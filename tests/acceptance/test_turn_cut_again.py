"""A turn that is cut again and again comes to an end, and has its slot as long as it goes on."""

from dataclasses import replace

from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.family import Worlds, delegate, send
from tests.acceptance.test_turn_carried_on import RESUME, Counter, again, ends, resumes


async def test_a_turn_that_only_waits_is_not_cut(worlds: Worlds) -> None:
    """It was at work on nothing, so no number of deaths ends it; its waiting is taken up each time."""
    world = worlds(policy=RESUME)
    root = world.puppet("r", delegates_to=("b",))
    world.puppet("b")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False))
    await world.event("turn.suspended")
    await world.request("b", 1)

    for n in range(RESUME.resumes_max):
        await again(world)
        await world.request("b", n + 2)
    await world.rest()

    assert ends(world, "r") == ["answered"]
    assert ends(world, "b") == ["answered"]
    await world.check()


async def poisoned(world: World) -> Puppet:
    """`b`, who has been at rest and reads what will kill its process."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.says("free")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "poison"))
    await root.says("sent")
    await world.turn_end("r")
    await b.asked()
    return b


async def test_without_progress_a_turn_ends_at_the_sixth_death(worlds: Worlds) -> None:
    """It went on five times; then it is interrupted as on `tree`, and what it read counts one attempt."""
    world = worlds(policy=RESUME)
    b = await poisoned(world)

    for n in range(6):
        asked = len(world.requests("b"))
        await again(world)
        await world.request("b", asked + 1)
        assert n == 5 or not world.events("turn.ended", agent="b")[1:]
    await b.says("read")
    await world.rest()

    assert resumes(world) == [1, 2, 3, 4, 5]
    assert ends(world, "b") == ["answered", "the process ended", "answered"]
    (released,) = world.events("message.released")
    claims = [e.facts["delivery"] for e in world.events("message.claimed")]
    assert claims.count(released.facts["delivery"]) == 2
    await world.check()


async def test_a_message_that_kills_every_process_is_quarantined_at_last(worlds: Worlds) -> None:
    """O-12: five attempts of five cuts each, and one more death to end each; then it is set aside."""
    world = worlds(policy=replace(RESUME, resumes_max=1))
    await poisoned(world)

    for n in range(10):
        asked = len(world.requests("b"))
        await again(world)
        if n < 9:
            await world.request("b", asked + 1)
    await world.rest()

    assert [e.facts["reason"] for e in world.events("message.discarded")] == ["quarantined"]
    assert ends(world, "b")[1:] == ["the process ended"] * 5
    await world.check()


async def test_an_answer_is_progress(worlds: Worlds) -> None:
    world = worlds(policy=RESUME)
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.asked()
    await again(world)
    await world.request("r", 2)
    await again(world)
    await world.request("r", 3)
    await root.does(call("nothing"))
    await again(world)
    await world.request("r", 5)
    await root.says("done")
    await world.turn_end("r")

    assert resumes(world) == [1, 2, 1]
    await world.check()


async def test_a_turn_at_work_has_its_slot_before_what_is_woken(worlds: Worlds) -> None:
    world = worlds(policy=replace(RESUME, concurrency=1))
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))

    await again(world)
    await world.request("r", 3)
    assert not b.is_asked
    await world.rest()

    assert ends(world, "b") == ["answered"]
    await world.check()


async def test_a_stop_of_a_turn_that_stands_in_line_again_ends_it(worlds: Worlds) -> None:
    """G11: it was carried on and waits for a slot; the person stops it there."""
    world = worlds(policy=replace(RESUME, concurrency=1))
    root = world.puppet("r", delegates_to=("b", "c"))
    b, c = world.puppet("b"), world.puppet("c")
    await world.prompt("r", "begin")
    await root.starts(delegate("b", background=False), delegate("c"))
    await b.asked()
    await b.says("b is done")
    await c.asked()
    await world.event("call.ended", 2)

    await again(world)
    await world.request("r", 2)
    await world.room.stop(world.view("c").session_id)
    await world.turn_end("c")
    await world.rest()

    assert world.events("turn.ended", agent="c")[0].facts["state"] == "stopped"
    assert len(world.requests("c")) == 1
    await world.check()


async def test_a_stopped_turn_whose_process_ends_before_its_tools_do_stays_stopped(worlds: Worlds) -> None:
    """G11: the person stopped it, and its tools still had their time when the process died."""
    world = worlds(policy=RESUME)
    tool = Counter()
    world.tool("ship", tool)
    root = world.puppet("r", tools=("ship",))
    await world.prompt("r", "begin")
    await root.starts(call("ship"))
    await tool.gate.reached.wait()
    await world.room.stop(world.view("r").session_id)

    await again(world)
    await world.turn_end("r")
    await world.quiesce()

    assert len(world.requests("r")) == 1
    assert not resumes(world)
    await world.check()
