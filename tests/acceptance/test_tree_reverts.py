"""Revert on `tree`: what is taken back, what stays, what ends, and what is never done twice."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import ModelFault, NotFound, Refused
from postroom.observe import looks
from postroom.testing import invariants
from postroom.testing.script import Gate, call, say
from postroom.testing.world import World, texts, times
from postroom.tools.base import Caller, ToolResult, Work
from tests.acceptance.family import Worlds, accepted, delegate, idle_family, send


async def test_an_agent_made_in_a_part_taken_back_is_still_reachable_by_its_id(world: World) -> None:
    """CK-9: its task is cancelled, its session stays, and the person and its parent can write to it."""
    root, b = await idle_family(world, "b")
    b_id, root_id = world.view("b").session_id, world.view("r").session_id

    done = await world.room.revert(root_id, "1")
    await world.quiesce()
    await world.room.send(b_id, "still there?")
    asked = await b.asked()
    await world.room.prompt("write to it", session=root_id)
    (receipt,) = await root.does(send(b_id, "me too"))

    assert [task.agent for task in done.tasks] == [world.handle("b")]
    assert done.agents == (b_id,)
    ended = world.events("task.ended")[0].facts
    assert (ended["outcome"], ended["cause"], ended["message"]) == ("cancelled", "reverted", None)
    assert times("still there?", [asked]) == 1
    assert accepted(receipt).recipient_state == "running"
    await world.check()


async def test_a_kept_task_reports_to_the_agent_that_was_taken_back(world: World) -> None:
    root, b = await idle_family(world, "b")

    done = await world.room.revert(world.view("r").session_id, "1", keep_tasks=True)
    await b.says("the result")
    request = await root.asked()

    assert done.keeps_tasks
    assert len(done.tasks) == 1
    assert texts(request)[0] == "begin"
    assert len(request.items) == 2
    assert times("the result", [request]) == 1
    await world.check()


async def test_only_tasks_of_the_rounds_taken_back_are_cancelled(world: World) -> None:
    """A turn may be cut in the middle: what it gave before the place goes on."""
    root = world.puppet("r", delegates_to=("b", "c"))
    b, c = world.puppet("b"), world.puppet("c")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await root.does(delegate("c"))
    await root.says("waiting")
    await b.asked()
    await c.asked()
    await world.turn_end("r")

    done = await world.room.revert(world.view("r").session_id, "3")
    await world.turn_end("c")
    await b.says("b is done")
    request = await root.asked()

    assert [task.agent for task in done.tasks] == [world.handle("c")]
    assert times("b is done", [request]) == 1
    assert times("cancelled", [request]) == 0
    await world.check()


async def test_mail_is_not_undone_and_is_marked_where_it_was_read(world: World) -> None:
    """CK-38: what was read stays read, the log keeps every event, and nothing is read a second time."""
    root, b = await idle_family(world, "b")
    root_id = world.view("r").session_id
    (receipt,) = await b.does(send(root_id, "read me"))
    await root.says("read it")
    await world.turn_end("r", 2)
    before = [(e.pos, e.kind) for e in world.events()]

    done = await world.room.revert(root_id, "4", keep_tasks=True)
    view = world.room.store.look(looks.message, accepted(receipt).message_id)
    await world.room.prompt("go on", session=root_id)
    request = await root.asked()

    assert done.read == (accepted(receipt).message_id,)
    assert [(e.pos, e.kind) for e in world.events()][: len(before)] == before
    assert view is not None
    assert (view.state, view.reverted) == ("consumed", True)
    assert times("read me", [request]) == 0
    assert texts(request)[-1] == "go on"
    await world.check()


async def test_unread_mail_loses_its_node_and_is_read_once_more_at_the_next_boundary(world: World) -> None:
    """CK-38: a claim that was released stands on the path; when the path is left, it is appended again."""
    root, b = await idle_family(world, "b")
    root_id = world.view("r").session_id
    (receipt,) = await b.does(send(root_id, "unlucky"))
    await root.asked()
    await root.fails(ModelFault("no answer"))
    await world.turn_end("r", 2)
    unread, parked = world.view("r").unread, world.view("r").parked

    done = await world.room.revert(root_id, "4", keep_tasks=True)
    still = world.view("r").unread, world.view("r").parked
    await world.room.prompt("and now", session=root_id)
    request = await root.asked()

    assert done.unread == (accepted(receipt).message_id,)
    assert done.read == ()
    assert (unread, parked) == still == (1, 1)
    assert times("unlucky", [request]) == 1
    assert times("and now", [request]) == 1
    await world.check()


async def test_unread_mail_that_stays_on_the_path_keeps_its_node(world: World) -> None:
    root, b = await idle_family(world, "b")
    root_id = world.view("r").session_id
    await b.does(send(root_id, "unlucky"))
    await root.asked()
    await root.fails(ModelFault("no answer"))
    await world.turn_end("r", 2)

    done = await world.room.revert(root_id, "5", keep_tasks=True)
    await world.room.prompt("and now", session=root_id)
    request = await root.asked()

    assert (done.nodes_left, done.sealed_id, done.unread) == (0, "", ())
    assert times("unlucky", [request]) == 1
    await world.check()


async def test_a_revert_is_refused_while_a_turn_runs_waits_or_is_suspended(worlds: Worlds) -> None:
    world = worlds(policy=Policy(surface="tree", concurrency=1))
    gate = Gate()
    world.slow_tool("dig", gate)
    root = world.puppet("r", delegates_to=("b",), tools=("dig",))
    b = world.puppet("b")
    root_id = (await world.prompt("r", "begin")).session_id
    await root.asked()
    refused = [await _code(world, root_id)]
    await root.starts(delegate("b", background=False))
    await b.asked()
    refused.append(await _code(world, root_id))
    await world.room.prompt("more", session=root_id)
    await b.says("done")
    await root.says("one")
    refused.append(await _code(world, root_id))

    assert refused == ["not_idle"] * 3
    await world.check()


async def test_a_dry_run_says_the_same_and_changes_nothing(world: World) -> None:
    await idle_family(world, "b")
    root_id = world.view("r").session_id
    before = world.events()

    would = await world.room.revert(root_id, "1", dry_run=True)
    same = world.events() == before
    done = await world.room.revert(root_id, "1")

    assert same
    assert would == replace(done, dry_run=True, sealed_id="")
    await world.check()


async def test_an_earlier_turn_is_tried_again_by_a_revert_and_a_prompt(world: World) -> None:
    """The same agent goes on: its mailbox and its address stay where the person is."""
    model = world.agent("r", say("one"), say("two"), say("another two"), say("three"))
    root_id = (await world.prompt("r", "first")).session_id
    await world.quiesce()
    await world.room.prompt("second", session=root_id)
    await world.quiesce()

    await world.room.revert(root_id, "2")
    prompt = await world.room.prompt("second, again", session=root_id)
    end = await world.room.wait(prompt)
    await world.reopen()
    await world.room.prompt("third", session=root_id)
    await world.quiesce()

    assert end.ok
    assert [texts(request) for request in model.requests[2:]] == [
        ["first", "one", "second, again"],
        ["first", "one", "second, again", end.text, "third"],
    ]
    await world.check()


async def test_the_whole_conversation_can_be_taken_back(world: World) -> None:
    model = world.agent("r", say("one"), say("anew"))
    root_id = (await world.prompt("r", "first")).session_id
    await world.quiesce()

    done = await world.room.revert(root_id, "0")
    empty = await world.room.history(root_id)
    await world.room.prompt("the first, better", session=root_id)
    await world.quiesce()

    assert (done.place, done.nodes_left, empty) == ("0", 2, [])
    assert texts(model.requests[-1]) == ["the first, better"]
    await world.check()


async def test_places_are_named_by_number_turn_and_message(world: World) -> None:
    """An item inside a round is moved back to where every call has its result."""
    root, _ = await idle_family(world, "b")
    root_id = world.view("r").session_id
    places = await world.room.places(root_id)
    last = places[-1]

    by = [
        (await world.room.revert(root_id, to, dry_run=True)).place
        for to in ("0", "1", "2", "3", "4", last.turn_id, places[0].message_id)
    ]
    for nowhere in ("5", "-1", "", "b", last.turn_id[:8]):
        with pytest.raises(NotFound):
            await world.room.revert(root_id, nowhere, dry_run=True)

    assert [place.place for place in places] == ["1", "3", "4"]
    assert [place.role for place in places] == ["user", "tool", "assistant"]
    assert by == ["0", "1", "1", "3", "4", "4", "1"]
    assert not root.is_asked
    await world.check()


async def test_a_sealed_path_is_read_and_forked_and_nothing_else(world: World) -> None:
    """It is no agent: it is not listed, has no address and no mailbox, and its places can only be forked."""
    model = world.agent("r", say("one"), say("two"), say("from there"))
    root_id = (await world.prompt("r", "first")).session_id
    await world.quiesce()
    listed = len(world.views())

    done = await world.room.revert(root_id, "1")
    places = await world.room.places(root_id)
    with pytest.raises(NotFound):
        await world.room.send(done.sealed_id, "anybody?")
    with pytest.raises(NotFound):
        await world.room.revert(root_id, done.sealed_id)
    fork = await world.room.fork(root_id, done.sealed_id)
    await world.room.prompt("go on", session=fork.session_id)
    await world.quiesce()

    assert listed == 1
    assert [(p.place, p.sealed_id) for p in places] == [("1", ""), (f"{done.sealed_id}:2", done.sealed_id)]
    assert fork.place == f"{done.sealed_id}:2"
    assert texts(model.requests[-1]) == ["first", "one", "go on"]
    await world.check()


async def test_a_path_taken_back_twice_leaves_two_parts(world: World) -> None:
    """A revert of a revert: each part is kept, and what was read in each stays read."""
    model = world.agent("r", *[say(f"answer {n}") for n in range(8)])
    root_id = (await world.prompt("r", "p0")).session_id
    for n in range(1, 4):
        await world.quiesce()
        await world.room.prompt(f"p{n}", session=root_id)
    await world.quiesce()

    first = await world.room.revert(root_id, "6")
    second = await world.room.revert(root_id, "2")
    nothing = await world.room.revert(root_id, "2")
    await world.room.prompt("p4", session=root_id)
    await world.quiesce()
    again = [await world.room.fork(root_id, part.sealed_id) for part in (first, second)]

    assert [len(part.read) for part in (first, second, nothing)] == [1, 2, 0]
    assert nothing.sealed_id == ""
    assert [t for t in texts(model.requests[-1]) if t.startswith("p")] == ["p0", "p4"]
    assert [fork.nodes_shared for fork in again] == [8, 6]
    await world.check()


async def test_what_a_revert_leaves_holds_no_place_in_a_window(worlds: Worlds) -> None:
    """O-32, I7: a rewind changes no count; the extra send is accepted exactly when the recount allows it."""
    world = worlds(policy=Policy(surface="tree", mailbox_cap=3, pair_window=2))
    root, b = await idle_family(world, "b")
    root_id = world.view("r").session_id
    await b.does(send(root_id, "m1"))
    await root.asked()
    await root.fails(ModelFault("no answer"))
    await world.turn_end("r", 2)
    await world.room.stop(root_id)
    await world.room.send(world.handle("b"), "go on")

    await world.room.revert(root_id, "4", keep_tasks=True)
    counts = world.room.store.look(invariants.miscounts)
    second, third = await b.does(send(root_id, "m2"), send(root_id, "m3"))
    await world.room.prompt("read all", session=root_id)
    request = await root.asked()
    await root.says("read")
    await world.turn_end("r", 3)
    (fourth,) = await b.does(send(root_id, "m4"))

    assert counts == []
    accepted(second)
    assert "inflight_full" in third.text
    assert [times(m, [request]) for m in ("m1", "m2", "m3")] == [1, 1, 0]
    accepted(fourth)
    await world.check()


async def test_what_was_taken_back_is_found_and_exported_and_no_longer_read(world: World) -> None:
    world.agent("r", say("alpha"), say("omega"), say("gamma"))
    root_id = (await world.prompt("r", "first")).session_id
    await world.quiesce()
    await world.room.prompt("zebra", session=root_id)
    await world.quiesce()

    await world.room.revert(root_id, "2")
    hits = await world.room.search("zebra")
    fork = await world.room.fork(root_id)
    here = await world.room.history(root_id)

    assert [hit.where for hit in hits] == ["mail"]
    assert [item.text for item in here] == ["first", "alpha"]
    assert [item.text for item in await world.room.history(fork.session_id)] == ["first", "alpha"]
    await world.check()


async def test_work_in_the_background_goes_on_and_is_told(world: World) -> None:
    """A revert undoes a conversation, not what was begun in it; the report names what goes on."""
    begun: list[Work] = []

    async def dig(caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        begun.append(await caller.begin_work("digging"))
        return ToolResult(text="it digs")

    world.tool("dig", dig)
    root = world.puppet("r", tools=("dig",))
    root_id = (await world.prompt("r", "begin")).session_id
    await root.does(call("dig"))
    await root.says("it digs")
    await world.turn_end("r")

    done = await world.room.revert(root_id, "0")
    await begun[0].end("dug")
    request = await root.asked()

    assert done.work == ("digging",)
    assert len(request.items) == times("dug", [request]) == 1
    await world.check()


async def test_a_goal_and_a_timed_text_stay(world: World) -> None:
    root = world.puppet("r")
    root_id = (await world.prompt("r", "begin")).session_id
    await root.asked()
    await world.room.goal_set(root_id, "dig a hole")
    await world.room.goal_pause(root_id)
    await root.says("begun")
    await world.turn_end("r")
    timer = await world.room.send_at(root_id, "later", 4_900_000_000_000_000)

    done = await world.room.revert(root_id, "0")

    assert done.goal == "dig a hole"
    assert await world.room.goal_show(root_id) is not None
    assert [kept.timer_id for kept in await world.room.timers()] == [timer.timer_id]
    await world.check()


async def _code(world: World, session: str) -> str:
    with pytest.raises(Refused) as refused:
        await world.room.revert(session, "1")
    return refused.value.refusal_code
