"""A scene with an outbox: mail for an agent that is not in memory and is not loaded, until it is opened."""

from postroom.domain.policy import Policy
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, say
from tests.fault.scenes import send, spawn, when
from tests.fault.teams import agent, plays, team

NAPPING = Policy(surface="tree", wakes_cold=False, keeps_outbox=True, resident_subagents_max=0)


def napping(journal: Journal) -> Scenario:
    """A worker that has left the memory, a writer beside it, and the person who opens the worker."""
    del journal
    lead = plays(
        spawn("worker", "dig"),
        when("Next.", then=spawn("writer", "tell ${handle:worker:1}")),
        *[say("Noted.")] * 20,
    )
    writer = plays(
        batch(send("${handle:worker:1}", "first"), send("${handle:worker:1}", "second")),
        *[say("Told.")] * 20,
    )

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Work.")).session_id
        await person.settle(root)
        await person.say("next", "Next.", to=root)
        await person.settle(root)
        (worker,) = await person.agents(root, "worker")
        await person.once("open", lambda: person.room.open_agent(worker.session_id))
        await person.settle(root)

    members = team(agent("lead", "worker", "writer"), agent("worker"), agent("writer"), policy=NAPPING)
    models = {"scripted:lead": lead, "scripted:worker": plays(*[say("Dug.")] * 20), "scripted:writer": writer}
    return Scenario(team=members, models=models, drive=drive)
