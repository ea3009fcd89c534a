"""What the person and hooks had to say stands in the view of the message, the call, the turn and the ask."""

from postroom.observe.asks import AskView
from postroom.observe.why import Why
from postroom.observe.why.parts import Asked
from postroom.observe.why.shapes import MessageWhy
from postroom.rules.permissions import Effect, Rule
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.family import Worlds, delegate, send
from tests.acceptance.why_graph import flaws

ASK_CHILDREN = (Rule(action="message", effect=Effect.ASK, pattern="child"),)


async def asking(world: World) -> Puppet:
    """A root that needs leave to write to its child, which has an open request."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    return root


async def the_ask(world: World, nth: int = 1) -> AskView:
    """The one ask that is open now, once the n-th was opened."""
    await world.event("ask.opened", nth)
    (ask,) = await world.room.asks()
    return ask


async def asked(world: World, reference: str) -> tuple[Asked, Why]:
    """The view of an ask."""
    found = await world.room.why(reference)
    assert found.what == "ask"
    assert found.ask is not None
    return found.ask, found


async def last_mail(world: World) -> MessageWhy:
    """The view of the message that the root sent last."""
    sent = world.events("message.sent", agent="r")[-1]
    found = (await world.room.why(sent.message_id)).message
    assert found is not None
    return found


async def end(world: World) -> None:
    """Everything holds, and the views agree with the tables."""
    await world.check()
    assert flaws(world.folder) == []


async def test_an_approval_leads_to_the_message_that_it_let_through_and_back(world: World) -> None:
    """O-13: a person approves one ask."""
    root = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)
    waiting = await asked(world, ask.ask_id)
    await world.room.approve(ask.ask_id)
    await world.rest()

    view, found = await asked(world, ask.ask_id)
    mail = await last_mail(world)

    assert waiting[1].call is not None
    assert (waiting[0].state, waiting[1].call.outcome) == ("open", "waits")
    assert (view.state, view.by, view.scope, view.grants) == ("approved", "person", "once", ())
    assert view.to is not None
    assert (view.agent.name, view.to.name, view.text) == ("r", world.handle("b"), "may I?")
    assert found.call is not None
    assert (found.call.outcome, found.call.message_id) == ("ok", mail.message_id)
    assert found.because[-1].sender.by == "person"
    assert [a.ask_id for a in mail.asks] == [ask.ask_id]
    assert mail.call_id == view.call_id
    assert (await asked(world, ask.ask_id[-8:]))[0] == view
    await end(world)


async def test_a_grant_for_the_tree_stands_with_every_message_that_it_covered(world: World) -> None:
    """product.md section 5: keyed by what is done, not by the text; a tightened overlay revokes it."""
    root = await asking(world)
    await root.starts(send(world.handle("b"), "first"))
    await world.room.approve((await the_ask(world)).ask_id, scope="tree")
    await root.does(send(world.handle("b"), "second"))
    second = await last_mail(world)
    await world.room.set_overlay(
        world.view("r").session_id, [Rule(action="message", effect=Effect.DENY, pattern="child")]
    )
    await root.does(send(world.handle("b"), "third"))
    await world.rest()

    after = (await world.room.why(second.message_id)).message
    turn = (await world.room.why(world.view("r").session_id)).because[-1]
    first = (await world.room.why(turn.message_id)).turn

    assert second.asks == ()
    assert [grant.revoked_us for grant in second.grants] == [None]
    assert after is not None
    assert [grant.grant for grant in after.grants] == [grant.grant for grant in second.grants]
    view, _ = await asked(world, second.grants[0].ask_id)
    assert (view.scope, [grant.revoked_us is None for grant in view.grants]) == ("tree", [False])
    assert first is not None
    assert [made.outcome for made in first.calls] == ["ok", "ok", "ok", "permission_denied"]
    await end(world)


async def test_a_denial_and_an_expiry_stand_at_their_calls(worlds: Worlds) -> None:
    """O-13: a person denies one; nobody decides the other. Neither leaves a message."""
    clock = FakeClock()
    world = worlds(clock=clock)
    root = await asking(world)
    await root.starts(send(world.handle("b"), "one"))
    denied = await the_ask(world)
    await world.room.deny(denied.ask_id, "not today")
    await root.starts(send(world.handle("b"), "two"))
    expired = await the_ask(world, 2)
    await clock.advance(31)
    await world.rest()

    no, no_why = await asked(world, denied.ask_id)
    late, late_why = await asked(world, expired.ask_id)

    assert (no.state, no.by, no.answer) == ("denied", "person", "not today")
    assert (late.state, late.by) == ("expired", "time")
    assert no_why.call is not None
    assert late_why.call is not None
    assert (no_why.call.outcome, no_why.call.message_id) == ("permission_denied", "")
    assert (late_why.call.outcome, late_why.call.message_id) == ("approval_expired", "")
    await end(world)


async def test_a_question_and_its_answer_stand_in_the_turn(world: World) -> None:
    root = world.puppet("r")
    await world.prompt("r", "begin")
    await root.starts(call("ask_user", question="red or blue?", options=["red", "blue"]))
    ask = await the_ask(world)
    await world.room.answer(ask.ask_id, "blue")
    await world.rest()

    view, _ = await asked(world, ask.ask_id)
    turn = (await world.room.why(view.turn_id)).turn

    assert (view.kind, view.state, view.options, view.answer) == (
        "question", "answered", ("red", "blue"), "blue",
    )  # fmt: skip
    assert turn is not None
    assert turn.asks == (view,)
    assert turn.calls[0].ask_ids == (ask.ask_id,)
    await end(world)


async def test_a_withdrawn_ask_says_that_its_turn_ended(world: World) -> None:
    root = await asking(world)
    await root.starts(send(world.handle("b"), "may I?"))
    ask = await the_ask(world)
    await world.room.stop(world.view("r").session_id)

    view, found = await asked(world, ask.ask_id)

    assert (view.state, view.by) == ("withdrawn", "system")
    assert found.call is not None
    assert found.call.outcome == "stopped"
    await end(world)


async def test_what_a_mode_decided_in_the_place_of_the_person_is_told_as_such(world: World) -> None:
    root = await asking(world)
    await world.room.set_mode(world.view("r").session_id, "yolo")
    await root.does(send(world.handle("b"), "no need to ask"))
    await world.rest()

    mail = await last_mail(world)

    assert [(ask.state, ask.by, ask.scope) for ask in mail.asks] == [("approved", "yolo", "once")]
    await end(world)


async def test_a_reverted_message_says_that_it_was_read_in_a_part_that_was_left(world: World) -> None:
    """product.md section 5: consumed stays consumed."""
    root = world.puppet("r")
    await world.prompt("r", "first")
    await root.says("one")
    await world.quiesce()
    second = await world.prompt("r", "second")
    await root.says("two")
    await world.quiesce()
    session = world.view("r").session_id
    await world.room.revert(session, (await world.room.places(session))[1].place)

    found = (await world.room.why(second.message_id)).message

    assert found is not None
    assert [step.what for step in found.life][-2:] == ["consumed", "reverted"]
    assert found.state == "consumed"
    await end(world)
