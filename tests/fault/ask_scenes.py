"""Scenes in which the person is asked: leave for messages and delegations, questions, rights of the tree."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from postroom.observe.asks import AskView
from postroom.rules.permissions import Effect, Rule
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from tests.fault.scenes import send, spawn
from tests.fault.teams import agent, plays, team

ASK = (
    Rule(action="delegate", effect=Effect.ASK, pattern="worker"),
    Rule(action="message", effect=Effect.ASK, pattern="child"),
)


def asking(journal: Journal) -> Scenario:
    """Every way in which an ask ends by a decision, with the rights of the tree changed meanwhile."""
    lead = plays(
        batch(spawn("worker", "yes, dig"), spawn("worker", "no, do not")),
        batch(
            send("${handle:worker:1}", "yes please"), send("${handle:worker:1}", "no thanks"),
            send("${handle:worker:1}", "yes always"), send("${handle:worker:1}", "yes again"),
        ),
        batch(call("ask_user", question="which?", options=["a", "b"]), call("ask_user", question="and?")),
        *[say("Noted.")] * 20,
    )  # fmt: skip

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Ask me.")).session_id
        await _until_quiet(person, root, lambda ask: _decide(person, ask))
        strict = Rule(action="message", effect=Effect.DENY, pattern="child")
        await person.once("overlay", lambda: room.set_overlay(root, [strict]))
        await person.once("mode", lambda: room.set_mode(root, "yolo"))
        await person.say("more", "Anything else?", to=root)
        await _until_quiet(person, root, lambda ask: _decide(person, ask))

    lead_profile = replace(agent("lead", "worker"), permissions=(*agent("lead", "worker").permissions, *ASK))
    models = {"scripted:lead": lead, "scripted:worker": plays(*[say("Dug.")] * 20)}
    return Scenario(team=team(lead_profile, agent("worker")), models=models, drive=drive)


def absent(journal: Journal) -> Scenario:
    """An agent asks two questions, and the person says that nobody is there."""
    lead = plays(
        batch(call("ask_user", question="where?"), call("ask_user", question="how deep?")),
        *[say("Noted.")] * 20,
    )  # fmt: skip

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Ask me.")).session_id

        async def leave(_: AskView) -> None:
            if len(await room.asks(root)) > 1:
                await person.once("leave", lambda: room.set_attended(root, attended=False))

        await _until_quiet(person, root, leave)

    models = {"scripted:lead": lead}
    return Scenario(team=team(agent("lead")), models=models, drive=drive)


async def _decide(person: Person, ask: AskView) -> None:
    """What the person says follows from the ask alone, so every life says the same."""
    room = person.room
    if ask.kind == "question":
        await person.once(ask.ask_id, lambda: room.answer(ask.ask_id, f"as you like: {ask.text}"))
    elif ask.text.startswith("yes"):
        scope = "tree" if "always" in ask.text else "once"
        await person.once(ask.ask_id, lambda: room.approve(ask.ask_id, scope))
    else:
        await person.once(ask.ask_id, lambda: room.deny(ask.ask_id, "no means no"))


async def _until_quiet(person: Person, root: str, decide: Callable[[AskView], Awaitable[None]]) -> None:
    """Decide whatever is asked until nothing runs and nothing is asked any more."""
    listener = person.room.store.doorbell.listen()
    quiet = asyncio.ensure_future(person.settle(root))
    try:
        while not quiet.done():
            listener.clear()
            for ask in await person.room.asks(root):
                await decide(ask)
            bell = asyncio.ensure_future(listener.wait())
            await asyncio.wait((quiet, bell), return_when=asyncio.FIRST_COMPLETED)
            bell.cancel()
        await quiet
    finally:
        person.room.store.doorbell.leave(listener)
        quiet.cancel()
