"""Who did that? From the log alone, and the same in the view that people ask for."""

from dataclasses import dataclass

from postroom.domain.policy import Policy
from postroom.domain.turn import call_id
from postroom.observe.why.shapes import MessageWhy
from postroom.rules.permissions import Effect, Rule
from postroom.store.tx import Tx
from postroom.testing.script import call
from postroom.testing.world import World
from tests.acceptance.audit import Audit, Deed, audit
from tests.acceptance.family import Worlds, delegate, send
from tests.acceptance.why_graph import flaws

ASKS = (Rule(action="message", effect=Effect.ASK, pattern="child"),)
FORBIDDEN = (Rule(action="message", effect=Effect.DENY, pattern="parent"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A deed without the keys of its turn and its call, which a test cannot know before."""

    actor: str
    what: str
    target: str
    code: str
    cause: str
    by_call: bool


DEEDS = [
    Told(actor="a", what="message.sent", target="k", code="accepted", cause="", by_call=True),
    Told(actor="a", what="message.refused", target="", code="inflight_full", cause="", by_call=True),
    Told(actor="a", what="message.refused", target="", code="permission_denied", cause="", by_call=True),
    Told(actor="k", what="message.sent", target="a", code="accepted", cause="", by_call=True),
    Told(actor="person", what="ask.ended", target="r", code="approved", cause="", by_call=True),
    Told(actor="r", what="message.sent", target="k", code="accepted", cause="", by_call=True),
    Told(actor="person", what="ask.ended", target="r", code="denied", cause="", by_call=True),
    Told(actor="r", what="message.refused", target="", code="permission_denied", cause="", by_call=True),
    Told(actor="a", what="message.sent", target="k", code="accepted", cause="", by_call=True),
    Told(actor="person", what="ask.ended", target="r", code="approved", cause="", by_call=True),
    Told(actor="r", what="message.sent", target="k", code="accepted", cause="", by_call=True),
    Told(actor="person", what="branch.archived", target="k", code="archived", cause="enough", by_call=False),
    Told(actor="system", what="message.discarded", target="k", code="archived", cause="", by_call=False),
    Told(actor="r", what="branch.cancelled", target="a", code="cancelled", cause="enough", by_call=True),
    Told(actor="person", what="branch.paused", target="r", code="paused", cause="r", by_call=False),
    Told(actor="person", what="branch.paused", target="a", code="paused", cause="r", by_call=False),
    Told(actor="person", what="branch.paused", target="k", code="paused", cause="r", by_call=False),
]  # fmt: skip


async def seven_deeds(worlds: Worlds) -> World:
    """A sends to K, to a forbidden peer and past a guard; R asks twice and cancels A; the person archives K
    with mail pending, and stops R.
    """
    world = worlds(policy=Policy(surface="tree", pair_window=1))
    root = world.puppet("r", delegates_to=("a", "k"), rules=ASKS)
    a = world.puppet("a", may_message=("sibling",), rules=FORBIDDEN)
    k = world.puppet("k", may_message=("sibling",))
    await world.prompt("r", "begin")
    await root.does(delegate("a"), delegate("k"))
    await a.asked()
    await k.says("ready")
    await world.turn_end("k")
    await a.does(send(world.handle("k"), "wake up"))
    await k.asked()
    await a.does(send(world.handle("k"), "too soon"))
    await a.does(send(world.view("r").session_id, "not allowed"))
    await k.does(send(world.handle("a"), "awake"))
    await k.says("done")
    await world.turn_end("k", 2)
    await the_person_decides(world)
    await the_person_archives(world)
    await root.does(call("cancel_subagent", session_id=world.handle("a"), reason="enough"))
    await world.room.stop(world.view("r").session_id)
    return world


async def the_person_decides(world: World) -> None:
    """One ask of R is approved, another one denied."""
    root, k = world.puppets["r"], world.puppets["k"]
    await root.starts(send(world.handle("k"), "please"))
    await world.event("ask.opened")
    await world.room.approve((await world.room.asks())[0].ask_id)
    await root.asked()
    await k.says("as you wish")
    await world.turn_end("k", 3)
    await root.starts(send(world.handle("k"), "and again"))
    await world.event("ask.opened", 2)
    await world.room.deny((await world.room.asks())[0].ask_id, "no")
    await root.asked()


async def the_person_archives(world: World) -> None:
    """K runs for A, and mail of R lies there unread."""
    root, a, k = (world.puppets[name] for name in ("r", "a", "k"))
    await a.does(send(world.handle("k"), "one thing more"))
    await k.asked()
    await root.starts(send(world.handle("k"), "left over"))
    await world.event("ask.opened", 3)
    await world.room.approve((await world.room.asks())[0].ask_id)
    await root.asked()
    await world.room.archive(world.handle("k"), reason="enough")
    await k.says("my last words")
    await world.turn_end("k", 4)


def told(deed: Deed) -> Told:
    """What a test knows of a deed."""
    return Told(
        actor=deed.actor, what=deed.what, target=deed.target, code=deed.code, cause=deed.cause,
        by_call=deed.call is not None and deed.turn is not None,
    )  # fmt: skip


def read(world: World) -> Audit:
    """The audit of the log as it stands."""
    return world.room.store.look(audit)


async def test_the_log_alone_says_who_did_what_to_whom(worlds: Worlds) -> None:
    """O-13, G12: actor, target, cause and code of each deed; a refused send is delivered nowhere."""
    world = await seven_deeds(worlds)

    found = read(world)

    assert [told(deed) for deed in found.deeds] == DEEDS
    mail = [deed for deed in found.deeds if deed.what == "message.sent"]
    bodies = world.room.store.look(_mail_bodies, sorted(found.delivered))
    assert len(mail) == 5
    assert bodies == ["wake up", "awake", "please", "one thing more", "left over"]
    await world.check()
    assert flaws(world.folder) == []


async def test_a_message_leads_to_the_turn_that_it_started_and_to_the_reply(worlds: Worlds) -> None:
    """O-13: message -> consumption -> turn -> reply, by the log, and the same by the view."""
    world = await seven_deeds(worlds)
    found = read(world)
    wake_up, awake = (key for key, _ in world.room.store.look(_mails, sorted(found.delivered))[:2])

    way = found.ways[wake_up]
    view = await world.room.why(world.room.store.look(Tx.message_id, wake_up))

    deed = found.deeds[0]
    assert (way.started, way.sent_in, way.replies) == (True, deed.turn, (awake,))
    assert view.message is not None
    assert view.turn is not None
    consumed = view.message.life[-1]
    assert (consumed.what, consumed.round) == ("consumed", way.round)
    origin = world.room.store.look(Tx.turn_origin, way.read_in)
    assert origin is not None
    assert consumed.turn_id == view.turn.turn_id == origin.public_id
    assert view.turn.read[0].message_id == view.message.message_id
    assert [sent.message_id for sent in view.turn.sent] == [world.room.store.look(Tx.message_id, awake)]
    assert view.message.call_id == _call_id(world, deed)
    await world.check()


async def test_the_view_agrees_with_the_log_on_every_deed(worlds: Worlds) -> None:
    """O-13: refused sends too."""
    world = await seven_deeds(worlds)

    for deed in read(world).deeds:
        if deed.call is None or deed.what in {"ask.ended", "branch.cancelled"}:
            continue
        view = await world.room.why(_call_id(world, deed))
        assert view.call is not None
        outcome = "ok" if deed.code == "accepted" else deed.code
        assert view.call.outcome == outcome
        assert bool(view.call.message_id) is (deed.code == "accepted")
        if view.call.message_id:
            message = (await world.room.why(view.call.message_id)).message
            assert message is not None
            assert parties(message) == (deed.actor, deed.target)
    await world.check()


async def test_rebuilding_twice_and_after_a_restart_adds_nothing(worlds: Worlds) -> None:
    """O-13"""
    world = await seven_deeds(worlds)
    await world.quiesce()
    first, count = read(world), len(world.events())
    ids = [world.room.store.look(Tx.message_id, key) for key in first.delivered]
    views = [await world.room.why(i) for i in ids]

    assert read(world) == first
    assert [await world.room.why(i) for i in ids] == views
    assert len(world.events()) == count
    await world.reopen()

    assert read(world) == first
    assert [await world.room.why(i) for i in ids] == views
    await world.check()


def parties(message: MessageWhy) -> tuple[str, str]:
    """The profiles of sender and recipient."""
    return message.sender.name.partition("_")[0], message.to.name.partition("_")[0]


def _call_id(world: World, deed: Deed) -> str:
    made = world.room.store.look(Tx.call_made, deed.call or 0)
    assert made is not None
    return call_id(made.turn, made.round, made.position)


def _mails(tx: Tx, keys: list[int]) -> list[tuple[int, str]]:
    written = [tx.written(key) for key in keys]
    return [(row.key, row.body) for row in written if row is not None and row.kind == "mail"]


def _mail_bodies(tx: Tx, keys: list[int]) -> list[str]:
    return [body for _, body in _mails(tx, keys)]
