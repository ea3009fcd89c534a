"""A scene of a team: an orchestrator that waits for its workers, is asked meanwhile, and waits on."""

import asyncio
import re

from postroom.domain.keys import BranchKey
from postroom.llm.port import ModelRequest, ResultItem
from postroom.llm.scripted import Play
from postroom.store.tx import Tx
from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import ScriptedAnswer, batch, call, say
from tests.fault.teams import agent, plays, team

_TASK = re.compile(r"t_[0-9a-f]{14}")
_LEAD = BranchKey(1)


def orchestrated(journal: Journal) -> Scenario:
    """Two workers in the background, one of which asks; both are waited for, then one gets another task."""
    asked = asyncio.Event()

    async def asks(_request: ModelRequest) -> ScriptedAnswer:
        await asked.wait()
        return call("send_message", to="${sender}", message="left or right?")

    lead = plays(
        batch(_make("asking"), _make("plain")),
        _wait_for_both(),
        call("send_message", to="${handle:asking}", message="right"),
        _wait_for_both(),
        call("agent", prompt="now polish it", to="${handle:plain}"),
        call("wait", timeout_s=1),
        *[say("Noted.")] * 20,
    )
    asking = plays(call("list_agents"), asks, *[say("Dug.")] * 20)

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Have it dug.")).session_id
        if journal.first:
            await _until_the_lead_waits(person)
        asked.set()
        await person.settle(root)
        await person.say("more", "Anything else?", to=root)
        await person.settle(root)

    members = team(agent("lead", "asking", "plain"), agent("asking"), agent("plain"), policy=TEAM_POLICY)
    models = {
        "scripted:lead": lead, "scripted:asking": asking, "scripted:plain": plays(*[say("Dug too.")] * 20),
    }  # fmt: skip
    return Scenario(team=members, models=models, drive=drive)


def _make(profile: str) -> ScriptedAnswer:
    return call("agent", prompt=f"Be {profile}.", profile=profile, description=profile, background=True)


def _wait_for_both() -> Play:
    """For the tasks that the conversation names; for whatever comes where a kill took them away."""

    async def play(request: ModelRequest) -> ScriptedAnswer:
        texts = "\n".join(item.text for item in request.items if isinstance(item, ResultItem))
        found = list(dict.fromkeys(_TASK.findall(texts)))[:2]
        return call("wait", **{"for": [*found]}, timeout_s=60) if found else call("wait", timeout_s=1)

    return play


async def _until_the_lead_waits(person: Person) -> None:
    store = person.room.store
    listener = store.doorbell.listen()
    try:
        while not await store.read(Tx.waits_of_branch, _LEAD):
            await listener.wait()
            listener.clear()
    finally:
        store.doorbell.leave(listener)
