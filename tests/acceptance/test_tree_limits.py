"""Every agent is bounded: chains, depth, slots, rounds, window and rendering."""

from postroom.domain.message import Mode
from postroom.domain.policy import Policy
from postroom.llm.port import ModelSettings
from postroom.testing.script import call
from postroom.testing.world import World, texts, times
from tests.acceptance.family import Worlds, accepted, code, delegate, family, send


async def test_a_turn_at_its_cap_is_flagged_and_waiting_steers_open_the_next(world: World) -> None:
    """A steer does not extend the capped turn; its open calls were not executed."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", max_rounds=1)
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.asked()
    await root.does(send(world.handle("b"), "m1"))

    await b.starts(call("nothing"))
    end = await world.turn_end("b")
    request = await b.asked()
    await root.says("noted")
    report = texts(await root.asked())[-1]

    assert end.facts["end_reason"] == "round_cap"
    assert "not executed" in texts(request)[2]
    assert times("m1", [request]) == 1
    assert 'status="round_cap"' in report
    assert "ERROR" in report
    await world.check()


async def test_a_spent_chain_refuses_and_wakes_nobody(worlds: Worlds) -> None:
    """The outer cap, 200 turns by default: two agents that answer each other end at it (O-31 c)."""
    world = worlds(policy=Policy(surface="tree", chain_turns_max=6))
    root, a, b = await family(world, "a", "b")
    to_a, to_b = world.handle("a"), world.handle("b")
    await b.says("free")
    await world.turn_end("b")
    for sender, to, receiver in ((a, to_b, b), (b, to_a, a), (a, to_b, b)):
        (result,) = await sender.does(send(to, "ball"))
        accepted(result)
        await sender.says("thrown")
        await receiver.asked()

    (refused,) = await b.does(send(to_a, "ball"))
    (no_child,) = await root.does(delegate("a"))
    await world.prompt("r", "a new chain")

    assert code(refused) == "chain_spent"
    assert "chain_spent" in no_child.text
    await world.check()
    assert world.requests("r")


async def test_mail_of_a_spent_chain_is_told_to_its_sender_and_read_later(worlds: Worlds) -> None:
    """It wakes nobody, and is read when its recipient next runs for another reason."""
    world = worlds(policy=Policy(surface="tree", chain_turns_max=3))
    root = world.puppet("r", may_message=("child",), delegates_to=("a", "b"))
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("a"))
    await a.asked()
    await root.does(send(world.handle("a"), "later", "queue"))
    await root.does(delegate("b"))
    await b.asked()
    await a.says("done")
    await world.event("message.released", agent="a")

    await root.does(call("nothing"))
    notice = [t for t in texts(await root.asked()) if "budget" in t]
    parked = world.view("a").parked
    await world.room.send(world.handle("a"), "another reason", mode=Mode.QUEUE)
    b.rests()
    request = await a.asked()

    assert len(notice) == 1
    assert parked == 1
    assert [times(t, [request]) for t in ("another reason", "later")] == [1, 1]
    await world.check()


async def test_a_tree_grows_only_so_deep(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", depth_max=1))
    root = world.puppet("r", delegates_to=("b",))
    b = world.puppet("b", delegates_to=("b",))
    await world.prompt("r", "begin")
    await root.does(delegate("b"))

    (refused,) = await b.does(delegate("b"))

    assert refused.is_error
    assert "delegation_too_deep" in refused.text
    assert len(world.views()) == 2
    await world.check()


async def test_only_so_many_turns_of_a_tree_wait(worlds: Worlds) -> None:
    """CK-40: what cannot be served is refused at once, and leaves no session behind."""
    world = worlds(policy=Policy(surface="tree", concurrency=1, waiting_max=2))
    root = world.puppet("r", delegates_to=("b",))
    world.puppet("b")
    await world.prompt("r", "begin")

    results = await root.does(*(delegate("b") for _ in range(4)))

    assert [r.is_error for r in results] == [False, False, True, True]
    assert "delegation_full" in results[3].text
    assert len(world.views()) == 3
    assert [e.facts["code"] for e in world.events("delegation.refused")] == ["delegation_full"] * 2
    await world.check()


async def test_what_does_not_fit_the_window_waits_and_is_read_in_order(world: World) -> None:
    """Window: a boundary claims as much as fits; the rest stays accepted, and the person is told."""
    small = ModelSettings(context_window=2_000, max_tokens=200)
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", settings=small)
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.asked()
    bodies = [f"{n}" * 1_900 for n in range(4)]
    await root.does(*(send(world.handle("b"), body) for body in bodies))

    await b.starts(call("nothing"))
    request = await world.request("b", 2)
    read = [times(body, [request]) for body in bodies]
    await b.says("read")
    await world.turn_end("b", 2)
    left = world.view("b")
    await world.close()
    wide = world.puppet("b")
    await world.open()
    later = await wide.asked()

    assert read == [1, 1, 1, 0]
    assert (left.unread, left.state) == (1, "failed")
    assert world.events("person.notified", agent="b")[0].facts["code"] == "context_too_long"
    assert times(bodies[3], [later]) == 1
    await world.check()


async def test_a_message_over_the_rendering_limit_shows_head_and_tail(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", rendered_chars_max=1_000))
    root, b = await family(world, "b")
    body = "HEAD" + "😀" * 3_000 + "TAIL"
    await root.does(send(world.handle("b"), body))

    await b.starts(call("nothing"))
    shown = texts(await world.request("b", 2))[-1]

    assert "HEAD" in shown
    assert "TAIL" in shown
    assert "2008 characters are left out" in shown
    assert len(shown) < 1_300
    await world.check()
