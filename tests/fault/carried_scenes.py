"""Scenes of turns that go on in the next life, of one that its cap ends, and of calls that are reviewed."""

from dataclasses import replace

from postroom.domain.policy import Policy
from postroom.llm.port import ModelRequest
from postroom.llm.scripted import ScriptedAnswer
from postroom.rules.permissions import Effect, Rule
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from tests.fault.scenes import send, spawn
from tests.fault.teams import LOOK, agent, plays, team

RESUME = Policy(surface="tree", host_death="resume", at_cap="answers", reviews=True)


def carried(journal: Journal) -> Scenario:
    """Sends, a child that is waited for, a foreign tool, a wait for what began earlier, and a cap."""
    lead = plays(
        batch(spawn("slow", "take your time"), call("look", what="left")),
        spawn("quick", "be quick", background=False),
        batch(
            send("${handle:slow}", "are you there?"), call("look", what="right"),
            spawn("quick", "be quick again", background=False),
        ),
        call("get_subagent_result", session_id="${handle:slow}", wait=True),
        *[say("Done.")] * 20,
    )  # fmt: skip
    slow = plays(*[call("look", what="a page")] * 3, *[say("Read so far.")] * 20)

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Go.")).session_id
        await person.settle(root)
        await person.say("more", "Anything else?", to=root)
        await person.settle(root)

    members = team(
        agent("lead", "quick", "slow", tools=("look",)), agent("quick"),
        replace(agent("slow", tools=("look",)), max_rounds=2), policy=RESUME,
    )  # fmt: skip
    models = {
        "scripted:lead": lead, "scripted:quick": plays(*[say("Quick.")] * 20), "scripted:slow": slow,
    }  # fmt: skip
    return Scenario(team=members, models=models, drive=drive, tools=(LOOK,))


async def _verdict(request: ModelRequest) -> ScriptedAnswer:
    fine = "true" if "fine" in request.items[-1].text.splitlines()[-1] else "false"
    said = f'{{"in_scope": {fine}, "reversible": true, "injection_suspected": false, "reason": "so it says"}}'
    return say(said)


def reviewed(journal: Journal) -> Scenario:
    """Reviewers let two calls through, and one not: nobody is there in time, so it is not made."""
    lead = plays(
        call("look", what="fine"), batch(call("look", what="fine too"), call("look", what="odd")),
        *[say("Noted.")] * 20,
    )  # fmt: skip

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Look at what is fine.")).session_id
        await person.settle(root)

    looking = replace(LOOK, action="read")
    careful = agent("lead", tools=("look",))
    asks = Rule(action="read", effect=Effect.ASK)
    careful = replace(careful, permissions=(*careful.permissions, asks))
    members = team(careful, policy=replace(RESUME, ask_s=0))
    members = replace(members, reviewers=("scripted:reviewer", "scripted:other"))
    models = {
        "scripted:lead": lead, "scripted:reviewer": plays(*[_verdict] * 20),
        "scripted:other": plays(*[_verdict] * 20),
    }  # fmt: skip
    return Scenario(team=members, models=models, drive=drive, tools=(looking,))
