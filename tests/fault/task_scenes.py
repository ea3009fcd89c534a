"""A scene on `branch` in which tasks are waited for, looked at, stopped, and ended by the person."""

import asyncio
import re
from dataclasses import replace

from postroom.app import Postroom
from postroom.domain.keys import BranchKey
from postroom.llm.port import ModelRequest, ResultItem
from postroom.llm.scripted import Play
from postroom.service.task_list import list_tasks
from postroom.store.tx import Tx
from postroom.surfaces.branch.preset import BRANCH_POLICY
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import ScriptedAnswer, batch, call, say
from tests.fault.scenes import held
from tests.fault.teams import agent, plays, team

_TASK = re.compile(r"t_[0-9a-f]{14}")
_LEAD = BranchKey(1)
_NOBODY = "t_00000000000000"


def handed(journal: Journal) -> Scenario:
    """Three agents in the background: one is waited for, one is stopped, the third is ended by the person."""
    endless, stray, awaited = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow(_request: ModelRequest) -> ScriptedAnswer:
        await awaited.wait()
        return say("Read.")

    lead = plays(
        batch(_make("slow"), _make("endless"), _make("stray")),
        _about(0, "task_output"),
        _about(0, "task_output", block=False),
        _about(1, "task_stop"),
        _about(1, "task_stop"),
        *[say("Noted.")] * 20,
    )

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Hand it out.")).session_id
        if journal.first:
            await _until_the_lead_waits(room)
        awaited.set()
        await person.reached_or_quiet(stray)
        for line in await room.store.read(list_tasks, _LEAD):
            if line.subject == "stray":
                await person.once("end", lambda task=line.task_id: room.office.end_any_task(task))
        await person.settle(root)

    members = team(agent("lead"), agent("slow"), agent("endless"), agent("stray"), policy=BRANCH_POLICY)
    models = {
        "scripted:lead": lead, "scripted:slow": plays(*[slow] * 20),
        "scripted:endless": plays(*[held(journal, endless, "endless")] * 20),
        "scripted:stray": plays(*[held(journal, stray, "stray")] * 20),
    }  # fmt: skip
    return Scenario(team=replace(members, surface="branch"), models=models, drive=drive)


async def _until_the_lead_waits(room: Postroom) -> None:
    listener = room.store.doorbell.listen()
    try:
        while not await room.store.read(Tx.waits_of_branch, _LEAD):
            await listener.wait()
            listener.clear()
    finally:
        room.store.doorbell.leave(listener)


def _make(name: str) -> ScriptedAnswer:
    return call("agent", prompt=f"Be {name}.", description=name, agent_id=name, run_in_background=True)


def _about(nth: int, tool: str, **more: bool) -> Play:
    """A call about the n-th task that the conversation names; about none where a kill took it away."""

    async def play(request: ModelRequest) -> ScriptedAnswer:
        texts = "\n".join(item.text for item in request.items if isinstance(item, ResultItem))
        found = list(dict.fromkeys(_TASK.findall(texts)))
        return call(tool, task_id=found[nth] if nth < len(found) else _NOBODY, **more)

    return play
