"""A scene in which a model decides in the person's place: it approves two calls, and one it does not."""

from dataclasses import replace

from postroom.domain.ask import ApprovalMode
from postroom.llm.port import ModelRequest
from postroom.llm.scripted import ScriptedAnswer
from postroom.rules.permissions import Effect, Rule
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, say
from tests.fault.scenes import send, spawn
from tests.fault.teams import agent, plays, team

ASK = Rule(action="message", effect=Effect.ASK, pattern="child")


async def _opinion(request: ModelRequest) -> ScriptedAnswer:
    decision = "approve" if "yes" in request.items[-1].text else "escalate"
    return say(f'{{"decision": "{decision}", "reason": "it says so"}}')


def judged(journal: Journal) -> Scenario:
    """What the classifier escalates is denied, so nobody is waited for."""
    lead = plays(
        spawn("worker", "get ready"),
        batch(
            send("${handle:worker}", "yes, dig"),
            send("${handle:worker}", "no, do not"),
            send("${handle:worker}", "yes, dig on"),
        ),
        *[say("Noted.")] * 20,
    )

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Dig.")).session_id
        await person.settle(root)
        await person.say("more", "Anything else?", to=root)
        await person.settle(root)

    careful = agent("lead", "worker")
    careful = replace(careful, permissions=(*careful.permissions, ASK))
    members = replace(
        team(careful, agent("worker")),
        mode=ApprovalMode.AUTO_APPROVE_N, side_calls={"classification": "scripted:judge"},
    )  # fmt: skip
    models = {
        "scripted:lead": lead, "scripted:worker": plays(*[say("Dug.")] * 20),
        "scripted:judge": plays(*[_opinion] * 20),
    }  # fmt: skip
    return Scenario(team=members, models=models, drive=drive)
