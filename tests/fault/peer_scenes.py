"""A scene of sessions side by side: one looks for another that is not there, and waits for one that is."""

import asyncio

from postroom.app import Postroom
from postroom.domain.keys import BranchKey
from postroom.store.tx import Tx
from postroom.surfaces.peer.preset import PEER_POLICY
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from tests.fault.teams import agent, plays, team

_NOWHERE = "00000000-0000-7000-8000-000000000000"
_LEAD = BranchKey(2)


def beside(journal: Journal) -> Scenario:
    """The other session is nudged while the lead waits, which ends the wait."""
    del journal  # each life does the same
    lead = plays(
        batch(call("session_list"), call("session_inspect", session_id=_NOWHERE)),
        call("session_wait", timeout_ms=10_000),
        *[say("Noted.")] * 20,
    )

    async def drive(person: Person) -> None:
        other = (await person.say("other", "Be ready.", profile="other")).session_id
        root = (await person.say("start", "Wait for it.", profile="lead")).session_id
        settles = asyncio.ensure_future(person.settle(root))
        waits = asyncio.ensure_future(_until_the_lead_waits(person.room))
        await asyncio.wait([settles, waits], return_when=asyncio.FIRST_COMPLETED)
        waits.cancel()
        await person.write("nudge", other, "Do something.")
        await settles
        await person.settle(other)

    members = team(agent("lead"), agent("other"), policy=PEER_POLICY)
    models = {"scripted:lead": lead, "scripted:other": plays(*[say("Done.")] * 20)}
    return Scenario(team=members, models=models, drive=drive)


async def _until_the_lead_waits(room: Postroom) -> None:
    listener = room.store.doorbell.listen()
    try:
        while not await room.store.read(Tx.waits_of_branch, _LEAD):
            await listener.wait()
            listener.clear()
    finally:
        room.store.doorbell.leave(listener)
