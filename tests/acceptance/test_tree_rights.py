"""Grants, overlays and modes: what the person allows a whole tree, and how it ends."""

import pytest

from postroom.rules.permissions import Effect, Rule
from postroom.testing.puppet import results_of
from postroom.testing.world import World
from tests.acceptance.asking import ASK_CHILDREN, NOBODY, asking, the_ask
from tests.acceptance.family import accepted, code, delegate, send


async def test_leave_for_the_tree_holds_for_the_key_and_not_for_the_text(world: World) -> None:
    """product.md section 5: action, label, recipient and tool; another recipient is asked for again."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b", "c"))
    b, c = world.puppet("b"), world.puppet("c")
    await world.prompt("r", "begin")
    await root.does(delegate("b"), delegate("c"))
    await b.asked()
    await c.asked()

    await root.starts(send(world.handle("b"), "one"))
    await world.room.approve((await the_ask(world)).ask_id, "tree")
    await root.asked()
    (again,) = await root.does(send(world.handle("b"), "quite another text"))
    accepted(again)
    await root.starts(send(world.handle("c"), "one"))
    await world.room.deny((await the_ask(world, 2)).ask_id)
    (grant,) = (await world.room.rights(world.view("r").session_id)).grants
    assert (grant.action, grant.resource, grant.to) == ("message", "child", world.handle("b"))
    await world.check()


async def test_a_tightened_overlay_ends_the_grants_it_touches(world: World) -> None:
    """Rights and grants: it dies with a tightened overlay; loosening it again brings nothing back."""
    root, _ = await asking(world)
    session = world.view("r").session_id
    await root.starts(send(world.handle("b"), "one"))
    await world.room.approve((await the_ask(world)).ask_id, "tree")
    await root.asked()

    await world.room.set_overlay(session, [Rule(action="message", effect=Effect.DENY, pattern="child")])
    (refused,) = await root.does(send(world.handle("b"), "two"))
    assert code(refused) == "permission_denied"
    await world.room.set_overlay(session, [])
    assert (await world.room.rights(session)).grants == []
    await root.starts(send(world.handle("b"), "three"))
    await world.room.approve((await the_ask(world, 2)).ask_id)
    accepted(results_of(await root.asked())[0])
    await world.check()


async def test_an_overlay_narrows_in_the_middle_of_a_turn_and_never_widens(world: World) -> None:
    """Rights and grants: the list of tools stays that of the turn, what a call may do is of this moment."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    session = world.view("r").session_id

    await world.room.set_overlay(session, [Rule(action="message", effect=Effect.ASK)])
    await root.starts(send(world.handle("b"), "may I?"))
    await world.room.approve((await the_ask(world)).ask_id)
    await root.asked()
    await world.room.set_overlay(session, [Rule(action="message", effect=Effect.ALLOW)])
    (free,) = await root.does(send(world.handle("b"), "free"))
    accepted(free)
    (shown,) = await child.does(send(session, "no rule of mine"))
    assert code(shown) == "permission_denied"
    await world.check()


async def test_what_the_overlay_denies_whole_is_not_shown_in_the_next_turn(world: World) -> None:
    """CK-3 with an overlay: visibility is fixed when a turn starts."""
    root = world.puppet("r", may_message=("child",), delegates_to=("b",))
    prompt = await world.prompt("r", "begin")
    assert "send_message" in {t.name for t in (await root.asked()).tools}
    await world.room.set_overlay(prompt.session_id, [Rule(action="message", effect=Effect.DENY)])
    await root.says("done")
    await world.quiesce()

    await world.prompt("r", "again")

    assert "send_message" not in {t.name for t in (await root.asked()).tools}
    (refused,) = await root.does(send(NOBODY, "hello"))
    assert code(refused) == "permission_denied"
    await world.check()


async def test_in_yolo_nobody_is_asked_and_a_deny_still_denies(world: World) -> None:
    """systems.md 3.5: approved at once and on record; hard denies come first."""
    root, _ = await asking(world)
    await world.room.set_mode(world.view("r").session_id, "yolo")

    (result,) = await root.does(send(world.handle("b"), "at once"))

    accepted(result)
    (ended,) = world.events("ask.ended")
    assert (ended.facts["state"], ended.facts["by"]) == ("approved", "yolo")
    await world.room.set_overlay(
        world.view("r").session_id, [Rule(action="message", effect=Effect.DENY, pattern="child")]
    )
    (refused,) = await root.does(send(world.handle("b"), "never"))
    assert code(refused) == "permission_denied"
    await world.check()


async def test_a_changed_mode_leaves_open_asks_to_the_person(world: World) -> None:
    """Issue 4, point 2."""
    root, _ = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)

    await world.room.set_mode(world.view("r").session_id, "yolo")

    assert [one.ask_id for one in await world.room.asks()] == [ask.ask_id]
    await world.room.deny(ask.ask_id)
    assert code(results_of(await root.asked())[0]) == "permission_denied"
    await world.check()


@pytest.mark.parametrize("mode", ["auto_approve", "auto_approve_n", "auto_approve_y"])
async def test_without_a_classifier_every_automatic_mode_asks(world: World, mode: str) -> None:
    """Issue 4, point 2: each failure of the classifier asks the person, in whatever mode."""
    root, _ = await asking(world)
    await world.room.set_mode(world.view("r").session_id, mode)

    await root.starts(send(world.handle("b"), "may I?"))

    await world.room.approve((await the_ask(world)).ask_id)
    accepted(results_of(await root.asked())[0])
    await world.check()
