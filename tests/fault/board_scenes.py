"""A scene on `branch` in which an agent plans on the board of its session."""

from dataclasses import replace

from postroom.surfaces.branch.preset import BRANCH_POLICY
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from tests.fault.teams import agent, plays, team


def planned(_journal: Journal) -> Scenario:
    """Two entries, of which one is taken up and done; a fork goes on with the board."""
    lead = plays(
        batch(call("todo_create", subject="dig"), call("todo_create", subject="fill")),
        call("todo_update", id="1", status="in_progress"),
        call("todo_update", id="1", status="completed"),
        *[say("Noted.")] * 20,
    )

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Plan it.")).session_id
        await person.settle(root)
        await person.once("fork", lambda: room.fork(root))

    members = replace(team(agent("lead"), policy=BRANCH_POLICY), surface="branch")
    return Scenario(team=members, models={"scripted:lead": lead}, drive=drive)
