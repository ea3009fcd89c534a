"""Addresses, envelopes and receipts: what the tests of `tree` beside this one leave open."""

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing

import pytest

from postroom.domain.policy import Policy
from postroom.errors import ModelFault, NotFound
from postroom.rules.permissions import Effect, Rule
from postroom.store.connect import DATABASE_NAME
from postroom.testing.ids import ChosenTokens
from postroom.testing.puppet import Puppet
from postroom.testing.script import call, call_raw
from postroom.testing.world import World, texts
from tests.acceptance.asking import question
from tests.acceptance.family import EVERYBODY, Worlds, accepted, code, delegate, family, send

HINT = "to reply]"
NO_WAY_UP = (Rule(action="message", effect=Effect.DENY, pattern="parent"),)


async def _is_idle_after(world: World, b: Puppet, how: str) -> None:
    match how:
        case "finished":
            await b.says("done")
        case "failed":
            await b.fails(ModelFault("broken"))
        case "cancelled":
            await world.room.cancel(world.view("b").session_id)
        case _:
            await world.room.stop(world.view("b").session_id)
    await world.turn_end("b")


@pytest.mark.parametrize(
    ("how", "state"),
    [
        ("finished", "waking_finished"),
        ("failed", "waking_finished"),
        ("cancelled", "waking_finished"),
        ("stopped", "queued"),
    ],
)
async def test_however_its_last_turn_ended_a_recipient_is_woken_unless_it_was_stopped(
    world: World, how: str, state: str
) -> None:
    """CK-10, CK-7: completed, failed and cancelled wake; a stop stays until the person speaks (G11)."""
    root, b = await family(world, "b")
    asked = len(world.requests("b"))
    await _is_idle_after(world, b, how)

    (receipt,) = await root.does(send(world.handle("b"), "hello"))
    if state == "waking_finished":
        await b.asked()

    assert accepted(receipt).recipient_state == state
    assert (len(world.requests("b")) > asked) == (state == "waking_finished")
    await world.check()


async def test_an_interrupted_recipient_is_woken_and_says_so_in_the_receipt(world: World) -> None:
    """CK-10, CK-7: its last turn died with the process."""
    root, b = await family(world, "b")
    await world.crash()
    await world.open()
    await world.prompt("r", "go on")

    (receipt,) = await root.does(send(world.handle("b"), "hello"))
    request = await b.asked()

    assert world.events("turn.ended", agent="b")[0].facts["state"] == "interrupted"
    assert accepted(receipt).recipient_state == "waking_finished"
    assert "hello" in texts(request)[-1]
    await world.check()


async def test_a_recipient_that_waits_for_its_child_runs_and_one_that_waits_for_the_person_does_not(
    world: World,
) -> None:
    """CK-10: a wait in a call is a running turn; an open ask or question is one that waits."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b", "c", "d"))
    b = world.puppet("b", delegates_to=("k",))
    c = world.puppet("c")
    d = world.puppet("d", rules=(Rule(action="message", effect=Effect.ASK),))
    k = world.puppet("k")
    up = (await world.prompt("r", "begin")).session_id
    await root.does(delegate("b"), delegate("c"), delegate("d"))
    await b.starts(delegate("k", background=False))
    await k.asked()
    await c.starts(question("which one?"))
    await d.starts(send(up, "may I?"))
    await world.event("ask.opened", 2)

    results = await root.does(*(send(world.handle(name), "hello") for name in ("b", "c", "d")))

    assert [accepted(r).recipient_state for r in results] == ["running", "queued", "queued"]
    for ask in await world.room.asks():
        await (world.room.answer(ask.ask_id, "x") if ask.kind == "question" else world.room.deny(ask.ask_id))
    k.rests()
    await world.check()


async def test_a_receipt_names_the_mode_that_counts_also_where_none_was_given(world: World) -> None:
    """CK-10: the effective mode; steer is what is meant without a word."""
    root, _ = await family(world, "b")
    to = world.handle("b")

    results = await root.does(send(to, "1"), send(to, "2", "steer"), send(to, "3", "queue"))

    assert [accepted(r).mode for r in results] == ["steer", "steer", "queue"]
    modes = {e.message_id: e.facts["mode"] for e in world.events("message.accepted", agent="b")}
    assert [modes[accepted(r).message_id] for r in results] == ["steer", "steer", "queue"]
    await world.check()


def _forget_handles(world: World, profile: str) -> None:
    """The sessions of a profile as a store has them that was made before there were handles."""
    with closing(sqlite3.connect(world.folder / DATABASE_NAME, isolation_level=None)) as connection:
        done = connection.execute(
            "UPDATE session SET handle = NULL WHERE id IN (SELECT session_id FROM branch WHERE profile = ?)",
            (profile,),
        )
        assert done.rowcount == 1


async def _with_an_old_child(world: World) -> tuple[Puppet, Puppet, Puppet]:
    """A root and two children; the first, `old`, has no handle."""
    root, old, b = await family(world, "old", "b")
    for child in (old, b):
        await child.says("my result")
    await world.event("task.ended", 2)
    for _ in range(2):  # both results join the turn, which reads them in a second request
        await root.says("noted")
    await world.quiesce()
    await world.close()
    _forget_handles(world, "old")
    await world.open()
    return root, old, b


async def test_an_older_agent_without_a_handle_is_known_by_its_id(world: World) -> None:
    """CK-23, CK-22, CK-24: listed with its id once, reached by it, and named by it where it writes."""
    root, old, b = await _with_an_old_child(world)
    old_id, to_b = world.view("old").session_id, world.handle("b")
    assert not world.view("old").handle

    await world.prompt("r", "write")
    unknown, sent, by_handle = await root.does(
        send("old_00000000", "x"), send(old_id, "wake up"), send(to_b, "you too")
    )
    request = await old.asked()
    (answer,) = await old.does(send(to_b, "from the old one"))
    await b.asked()
    await b.does(call("nothing"))
    shown = next(t for t in texts(await b.asked()) if "from the old one" in t)

    assert unknown.text.count(old_id) == 1
    assert (
        f"{old_id} — the old — completed" in unknown.text or f"{old_id} — the old — finished" in unknown.text
    )
    assert accepted(sent).recipient_state == "waking_finished"
    assert "wake up" in texts(request)[-1]
    accepted(answer)
    accepted(by_handle)
    assert shown.startswith(f'<agent_message from="{old_id}">\n')
    assert f'send_message(to="{old_id}", ...)' in shown
    await world.check()


async def test_an_older_child_without_a_handle_is_delegated_to_by_its_id(world: World) -> None:
    """CK-23, CK-40: its result, its end and a further task are reached by its id, and the texts name that."""
    root, old, _ = await _with_an_old_child(world)
    old_id = world.view("old").session_id
    await world.prompt("r", "go on")

    fetched, started = await root.does(
        call("get_subagent_result", session_id=old_id),
        call(
            "delegate_subagent", description="again", prompt="more", agent_type="old", background=True,
            resume_session_id=old_id,
        ),
    )  # fmt: skip
    await old.asked()
    await old.says("the newer result")
    await world.event("task.ended", 3)
    await root.does(call("nothing"))
    notice = next(t for t in texts(await root.asked()) if "the newer result" in t)
    (ended,) = await root.does(call("cancel_subagent", session_id=old_id))

    assert "my result" in fetched.text
    assert fetched.text.startswith(old_id)
    assert old_id in started.text
    assert notice.startswith("<subagent_notification")
    assert old_id in notice
    assert "already_ended" in ended.text
    await world.check()


async def _with_one_way_up(world: World) -> tuple[Puppet, Puppet, str]:
    """A root and a running child that may write to its parent only; and the id of the tree."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b", may_message=("parent",))
    tree = (await world.prompt("r", "begin")).session_id
    await root.does(delegate("b"))
    await b.asked()
    return root, b, tree


async def test_a_hint_goes_with_the_tools_of_a_turn_that_has_the_tool(world: World) -> None:
    """CK-24: what it was given when it started decides, whatever the person takes away meanwhile."""
    root, b, tree = await _with_one_way_up(world)
    await world.room.set_overlay(tree, NO_WAY_UP)

    await root.does(send(world.handle("b"), "while its turn has the tool"))
    await b.does(call("nothing"))
    with_tool = texts(await b.asked())[-1]
    await b.says("done")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "once it is hidden"))
    hidden = await b.asked()

    assert HINT in with_tool
    assert "send_message" not in {t.name for t in hidden.tools}
    assert "once it is hidden" in texts(hidden)[-1]
    assert HINT not in texts(hidden)[-1]
    await world.check()


async def test_a_hint_stays_away_from_a_turn_that_has_no_tool(world: World) -> None:
    """CK-24: what the person gives back counts from the next turn on."""
    root, b, tree = await _with_one_way_up(world)
    await world.room.set_overlay(tree, NO_WAY_UP)
    await b.says("done")
    await world.turn_end("b")
    await root.does(send(world.handle("b"), "opens a turn"))
    await b.asked()

    await world.room.set_overlay(tree, [])
    await root.does(send(world.handle("b"), "while its turn has no tool"))
    await b.does(call("nothing"))
    without = texts(await b.asked())[-1]
    await b.says("done")
    await world.turn_end("b", 2)
    await root.does(send(world.handle("b"), "once it is shown again"))
    shown = await b.asked()

    assert "while its turn has no tool" in without
    assert HINT not in without
    assert "send_message" in {t.name for t in shown.tools}
    assert HINT in texts(shown)[-1]
    await world.check()


async def test_a_hint_stays_with_the_tools_of_a_turn_that_outlives_its_process(world: World) -> None:
    """CK-24, CK-3: a turn that waits for the person over a restart keeps its tools, and its mail the hint."""
    root, b, tree = await _with_one_way_up(world)
    await b.starts(question("which one?"))
    await world.event("ask.opened")
    await root.does(send(world.handle("b"), "meanwhile"))
    await world.room.set_overlay(tree, NO_WAY_UP)

    await world.crash()
    await world.open()
    (ask,) = await world.room.asks()
    await world.room.answer(ask.ask_id, "this one")
    request = await b.asked()

    assert "send_message" in {t.name for t in request.tools}
    assert "meanwhile" in texts(request)[-1]
    assert HINT in texts(request)[-1]
    await world.check()


async def test_where_messaging_is_off_there_is_neither_tool_nor_hint(worlds: Worlds) -> None:
    """CK-20, CK-24: mail from before the switch is read without a way to answer it."""
    world = worlds()
    root, b = await family(world, "b")
    await b.says("idle")
    await world.turn_end("b")
    await world.room.stop(world.view("b").session_id)
    await root.does(send(world.handle("b"), "from before"))
    await world.close()
    world.policy = Policy(surface="tree", messaging_enabled=False)
    await world.open()

    await world.room.resume(world.handle("b"))
    request = await b.asked()

    assert "send_message" not in {t.name for t in request.tools}
    assert "from before" in texts(request)[-1]
    assert HINT not in texts(request)[-1]
    await world.check()


@pytest.mark.parametrize(
    "arguments",
    [
        '{"to": "%s", "body": "x", "mode": null}',
        '{"to": "%s", "body": "x", "mode": ""}',
        '{"to": "%s", "body": "x", "mode": "STEER"}',
        '{"to": "%s", "body": "x", "mode": ["steer"]}',
        '{"to": "%s", "body": null}',
        '{"to": null, "body": "x"}',
        '{"to": ["%s"], "body": "x"}',
        '{"To": "%s", "body": "x"}',
        '{"to": "%s", "message": "x"}',
        '{"recipient_session_id": "%s", "to": "%s", "body": "x"}',
        '{"to": "%s", "body": "x", "sender": "r"}',
        "null",
        "7",
        "",
    ],
)
async def test_nothing_but_the_three_arguments_is_taken_and_none_is_guessed(
    world: World, arguments: str
) -> None:
    """CK-21, CK-34: the address is one that would be accepted, so only the form can be the reason."""
    root, _ = await family(world, "b")

    (refused,) = await root.does(call_raw("send_message", arguments.replace("%s", world.handle("b"))))

    assert code(refused) == "invalid_arguments"
    assert [e.facts["code"] for e in world.events("message.refused")] == ["invalid_arguments"]
    await world.check()


@pytest.mark.parametrize("end", ["finished", "failed", "running", "waiting"])
async def test_candidates_are_shown_with_what_they_do_now(worlds: Worlds, end: str) -> None:
    """CK-22: handle, description, status and id, one line for each, sorted."""
    world = worlds(policy=Policy(surface="tree", concurrency=1 if end == "waiting" else 4))
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "finished": lambda: b.says("x"), "failed": lambda: b.fails(ModelFault("no")), "running": b.asked,
    }  # fmt: skip
    if end in ways:
        await ways[end]()
    if end in ("finished", "failed"):
        await world.turn_end("b")

    (refused,) = await root.does(send("nobody_00000000", "x"))

    child = world.view("b")
    line = f"{child.handle} — the b — {end} (session_id {child.session_id})"
    assert refused.text.splitlines()[1:] == [line]
    await world.check()


async def test_a_tool_that_no_rule_shows_is_in_no_list_and_no_hint(world: World) -> None:
    """CK-3, CK-24: and what a child's parent may do is no right of the child."""
    root = world.puppet("r", may_message=EVERYBODY, delegates_to=("b",))
    b = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await b.asked()

    await root.does(send(world.handle("b"), "hello"))
    await b.does(call("nothing"))
    request = await b.asked()

    assert "send_message" not in {t.name for t in request.tools}
    assert "send_message" not in "".join(texts(request)[2:])
    await world.check()


async def test_a_handle_means_an_agent_of_the_senders_tree_and_of_no_other(worlds: Worlds) -> None:
    """CK-22, CK-23, O-07: two trees may have the same one; the person is asked which of them is meant."""
    world = worlds(ids=ChosenTokens(["aaaaaaaa"] * 2))
    roots = [world.puppet(name, may_message=("child",), delegates_to=("b",)) for name in ("r", "q")]
    b = world.puppet("b")
    for name, root in zip(("r", "q"), roots, strict=True):
        await world.prompt(name, "begin")
        await root.does(delegate("b"))
    results = [(await root.does(send("b_aaaaaaaa", "mine")))[0] for root in roots]
    with pytest.raises(NotFound, match="2 agents are called"):
        await world.room.send("b_aaaaaaaa", "which one?")
    b.rests()
    await world.rest()

    assert [view.handle for view in world.views() if view.profile == "b"] == ["b_aaaaaaaa"] * 2
    ids = [accepted(result).message_id for result in results]
    taken = [e for e in world.events("message.accepted", agent="b") if e.message_id in ids]
    assert len({e.facts["branch"] for e in taken}) == len(taken) == 2
    for nth, name in ((1, "r"), (2, "q")):
        envelope = f'from="{world.view(name).session_id}"'
        assert sum(envelope in t and "mine" in t for t in texts(world.requests("b", nth)[-1])) == 1
    await world.check()
