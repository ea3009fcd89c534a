"""A scene on a bus: agents that talk while they work, a person who types meanwhile, and one stop."""

import asyncio
from dataclasses import dataclass, field, replace

from postroom.llm.port import Model, ModelRequest
from postroom.llm.scripted import ScriptedAnswer
from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from tests.fault.teams import LOOK, agent, plays, team


def post(to: str, text: str) -> ScriptedAnswer:
    """A round with one message on the bus."""
    return call("send_message", to=to, text=text)


@dataclass(slots=True)
class _Signs:
    """What the person of the first life waits for, and what a worker waits for."""

    busy: asyncio.Event = field(default_factory=asyncio.Event)
    typed: asyncio.Event = field(default_factory=asyncio.Event)
    thinking: asyncio.Event = field(default_factory=asyncio.Event)


def talking(journal: Journal) -> Scenario:
    """A lead with two workers, mail in every direction, a text that is read and one that a stop ends."""
    signs = _Signs()
    members = team(
        agent("lead", "worker", tools=("messaging",)), agent("worker", tools=("messaging", "look")),
        policy=ROSTER_POLICY,
    )  # fmt: skip
    return Scenario(
        team=replace(members, surface="roster"), models=_models(journal, signs), tools=(LOOK,),
        drive=lambda person: _drive(person, signs),
    )  # fmt: skip


def _models(journal: Journal, signs: _Signs) -> dict[str, Model]:
    async def digs_on(_request: ModelRequest) -> ScriptedAnswer:
        if journal.first and not signs.typed.is_set():
            signs.busy.set()
            await signs.typed.wait()
        return say("Dug.")

    async def thinks(request: ModelRequest) -> ScriptedAnswer:
        if journal.first and request.items[-1].text == "Think." and not signs.thinking.is_set():
            signs.thinking.set()
            await asyncio.Event().wait()
        return say("Noted.")

    makes = [call("worker", task=f"dig {where}") for where in ("left", "right")]
    lead = plays(
        batch(post("everyone", "for whoever comes"), *makes),
        batch(post("worker", "too late for you"), post("lead", "a note to myself")),
        *[thinks] * 30,
    )
    worker = plays(batch(post("everyone", "listen"), call("look", what="down")), *[digs_on] * 20)
    return {"scripted:lead": lead, "scripted:worker": worker}


async def _drive(person: Person, signs: _Signs) -> None:
    root = (await person.say("start", "Dig.")).session_id
    await person.reached_or_quiet(signs.busy)
    await person.say("more", "And more?", to=root)
    signs.typed.set()
    await person.settle(root)
    await person.say("think", "Think.", to=root)
    await person.reached_or_quiet(signs.thinking)
    await person.say("lost", "Never mind.", to=root)
    await person.once("stop", lambda: person.room.stop(root))
    await person.say("end", "Enough.", to=root)
    await person.settle(root)
