"""A scene on a bus: agents that talk while they work, a person who types meanwhile, and one stop."""

import asyncio
from dataclasses import replace

from postroom.llm.port import ModelRequest
from postroom.llm.scripted import ScriptedAnswer
from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from tests.fault.teams import LOOK, agent, plays, team


def post(to: str, text: str) -> ScriptedAnswer:
    """A round with one message on the bus."""
    return call("send_message", to=to, text=text)


def talking(journal: Journal) -> Scenario:
    """A lead with two workers, mail in every direction, a text that is read and one that a stop ends."""
    busy, typed, thinking = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def digs_on(_request: ModelRequest) -> ScriptedAnswer:
        if journal.first and not typed.is_set():
            busy.set()
            await typed.wait()
        return say("Dug.")

    async def thinks(request: ModelRequest) -> ScriptedAnswer:
        if journal.first and request.items[-1].text == "Think." and not thinking.is_set():
            thinking.set()
            await asyncio.Event().wait()
        return say("Noted.")

    lead = plays(
        batch(
            post("everyone", "for whoever comes"), call("worker", task="dig left"),
            call("worker", task="dig right"),
        ),
        batch(post("worker", "too late for you"), post("lead", "a note to myself")),
        *[thinks] * 30,
    )  # fmt: skip
    worker = plays(batch(post("everyone", "listen"), call("look", what="down")), *[digs_on] * 20)

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Dig.")).session_id
        await person.reached_or_quiet(busy)
        await person.say("more", "And more?", to=root)
        typed.set()
        await person.settle(root)
        await person.say("think", "Think.", to=root)
        await person.reached_or_quiet(thinking)
        await person.say("lost", "Never mind.", to=root)
        await person.once("stop", lambda: person.room.stop(root))
        await person.say("end", "Enough.", to=root)
        await person.settle(root)

    members = team(
        agent("lead", "worker", tools=("messaging",)), agent("worker", tools=("messaging", "look")),
        policy=ROSTER_POLICY,
    )  # fmt: skip
    return Scenario(
        team=replace(members, surface="roster"), models={"scripted:lead": lead, "scripted:worker": worker},
        drive=drive, tools=(LOOK,),
    )  # fmt: skip
