"""A scene of a team: one message to several, one that goes out of date, one that is taken back."""

import re

from postroom.llm.port import ModelRequest, ResultItem
from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import ScriptedAnswer, batch, call, say
from tests.fault.teams import agent, plays, team

_ID = re.compile(r"\[message accepted\] id=(\S+)")
_WORKERS = ["${handle:worker:1}", "${handle:worker:2}"]


def letters(journal: Journal) -> Scenario:
    """The lead writes to both of its workers at once and takes back what nobody has read by then."""
    del journal
    lead = plays(
        batch(_spawn("dig here"), _spawn("dig there")),
        batch(
            call("send_message", to=[*_WORKERS], message="to both of you"),
            call("send_message", to=[*_WORKERS], message="never mind", mode="queue"),
            call("send_message", to=_WORKERS[0], message="only now", mode="queue", expires_in_s=1),
        ),
        _take_back,
        *[say("Noted.")] * 20,
    )
    worker = plays(*[say("Dug.")] * 20)

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Work.")).session_id
        await person.settle(root)

    members = team(agent("lead", "worker"), agent("worker"), policy=TEAM_POLICY)
    return Scenario(
        team=members, models={"scripted:lead": lead, "scripted:worker": worker}, drive=drive
    )  # fmt: skip


def _spawn(prompt: str) -> ScriptedAnswer:
    return call("agent", prompt=prompt, profile="worker", description=prompt, background=True)


async def _take_back(request: ModelRequest) -> ScriptedAnswer:
    """What was sent second; every life finds the same receipts."""
    texts = [item.text for item in request.items if isinstance(item, ResultItem)]
    found = [match[1] for text in texts for match in _ID.finditer(text)]
    return batch(call("recall_message", id=found[1]), call("message_status", id=found[0]))
