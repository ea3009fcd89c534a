"""Scenes in which agents retire, get names, and sessions are deleted and pruned."""

from contextlib import suppress
from dataclasses import replace

from postroom.errors import NotFound, Refused
from postroom.surfaces.branch.preset import BRANCH_POLICY
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import ScriptedAnswer, batch, call, say
from tests.fault.teams import agent, plays, team


def make(name: str, *, once: bool) -> ScriptedAnswer:
    """A call that makes an agent in the background, to be retired `once` its task has ended or not."""
    return call(
        "agent", prompt="Dig.", description=name, agent_id="worker", run_in_background=True,
        archive_when_done=once,
    )  # fmt: skip


def shelf(journal: Journal) -> Scenario:
    """One agent retires with its task, one is retired by another, one by the person; a model names them."""
    lead = plays(
        batch(make("digger", once=True), make("keeper", once=False)),
        call("archive_agent", to="keeper", reason="enough"),
        *[say("Noted.")] * 20,
    )

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Dig.")).session_id
        await person.settle(root)
        await person.once("rename", lambda: room.rename(root, "the dig"))
        await person.once("retitle", lambda: room.retitle(root, "the dig in the garden"))
        await person.say("more", "Anything else?", to=root)
        await person.settle(root)
        await person.once("archive", lambda: room.archive(root, reason="all is dug"))
        await _come_and_go(person)

    members = replace(
        team(agent("lead", "worker"), agent("worker"), policy=BRANCH_POLICY),
        surface="branch", side_calls={"title": "scripted:namer"},
    )  # fmt: skip
    models = {
        "scripted:lead": lead, "scripted:worker": plays(*[say("Dug.")] * 20),
        "scripted:namer": plays(*[say("A Good Name")] * 20),
    }  # fmt: skip
    return Scenario(team=members, models=models, drive=drive)


async def _come_and_go(person: Person) -> None:
    """Begin a conversation and delete it. A life before this one may have: then its first text is gone."""
    with suppress(NotFound, Refused):
        other = (await person.say("other", "Hello.")).session_id
        await person.room.quiesce()
        await person.room.delete(other)


def forgotten(_journal: Journal) -> Scenario:
    """A conversation is over, and its texts are pruned. A life before this one may have done so."""

    async def drive(person: Person) -> None:
        with suppress(Refused):  # its first text is gone: nothing is left to compare it with
            await person.say("start", "Hello.")
        await person.room.quiesce()
        await person.room.prune(0)

    members = team(agent("lead"))
    return Scenario(team=members, models={"scripted:lead": plays(*[say("Hello.")] * 20)}, drive=drive)
