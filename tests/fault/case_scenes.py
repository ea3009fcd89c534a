"""The scenes of the cases: what an agent does follows from the last thing it was told."""

import asyncio
import os
from dataclasses import replace

from postroom.domain.policy import Policy
from postroom.llm.port import ModelRequest
from postroom.llm.scripted import Play, ScriptedAnswer
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from postroom.tools.base import Caller, Tool, ToolResult
from tests.fault.scenes import send, spawn
from tests.fault.teams import LOOK, agent, plays, team


def life(journal: Journal) -> int:
    """Which life this is, from 1."""
    return len(journal.entries("life"))


def obedient(orders: dict[str, ScriptedAnswer]) -> Play:
    """Spawns its reader, then does what the last text orders; says a word when that orders nothing."""

    async def play(request: ModelRequest) -> ScriptedAnswer:
        if len(request.items) == 1:
            return spawn("reader", "get ready")
        last = request.items[-1].text
        return next((answer for word, answer in orders.items() if word in last), say("Noted."))

    return play


def mailed(journal: Journal) -> Scenario:
    """O-05: the reader is cold; in the second life it is written to, and in the third once more."""
    orders = {"tell m2": send("${handle:reader}", "m2"), "tell m": send("${handle:reader}", "m")}

    async def read(request: ModelRequest) -> ScriptedAnswer:
        if life(journal) == 2 and "\nm\n" in request.items[-1].text:
            journal.sign("asked")
            await asyncio.Event().wait()
        return say("Read.")

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Get your reader.")).session_id
        await person.settle(root)
        for step in ("m", "m2")[: life(journal) - 1]:
            await person.say(step, f"tell {step}", to=root)
            await person.settle(root)

    members = team(agent("lead", "reader"), agent("reader"))
    models = {"scripted:lead": plays(*[obedient(orders)] * 20), "scripted:reader": plays(*[read] * 20)}
    return Scenario(team=members, models=models, drive=drive)


def stubborn(journal: Journal) -> Scenario:
    """O-12: three lives end while the reader's model holds two messages; in the fourth it answers."""
    orders = {
        "tell two": batch(send("${handle:reader}", "m1"), send("${handle:reader}", "m2")),
        "tell more": batch(send("${handle:reader}", "m3"), send("${handle:reader}", "m4")),
    }

    async def read(request: ModelRequest) -> ScriptedAnswer:
        text = " ".join(item.text for item in request.items)
        if life(journal) < 4 and "\nm1\n" in text and "\nm2\n" in text:
            journal.sign("asked")
            await asyncio.Event().wait()
        return say("Read.")

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Get your reader.")).session_id
        await person.settle(root)
        for step in ("two", "more"):
            await person.say(step, f"tell {step}", to=root)
            await person.settle(root)

    members = team(
        agent("lead", "reader"),
        agent("reader"),
        policy=Policy(surface="tree", mailbox_cap=4, pair_window=2, concurrency=1),
    )
    models = {"scripted:lead": plays(*[obedient(orders)] * 20), "scripted:reader": plays(*[read] * 20)}
    return Scenario(team=members, models=models, drive=drive)


def staring(journal: Journal) -> Scenario:
    """O-11 b: the worker's tool never returns in the first life; mail and user text come meanwhile."""
    staring_at = asyncio.Event()

    async def stare(caller: Caller, arguments: object) -> ToolResult:
        if journal.first:
            staring_at.set()
            await asyncio.Event().wait()
        return ToolResult(text="saw it")

    async def work(request: ModelRequest) -> ScriptedAnswer:
        return call("stare") if len(request.items) == 1 else say("Stared.")

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Get your reader.")).session_id
        await person.reached_or_quiet(staring_at)
        [reader] = await person.agents(root, "reader")
        prompt = await person.say("steer", "tell s1", to=root)
        await person.room.wait(prompt)
        await person.write("u1", reader.session_id, "u1")
        journal.sign("written")
        await person.settle(root)

    tool = Tool(spec=replace(LOOK.spec, name="stare"), run=stare)
    orders = {"tell s1": send("${handle:reader}", "s1")}
    members = team(agent("lead", "reader"), agent("reader", tools=("stare",)))
    models = {"scripted:lead": plays(*[obedient(orders)] * 20), "scripted:reader": plays(*[work] * 20)}
    return Scenario(team=members, models=models, drive=drive, tools=(tool,))


def orphaned(journal: Journal) -> Scenario:
    """O-40: one child dies with the process while the lead waits for it, another in the background."""

    async def dig(request: ModelRequest) -> ScriptedAnswer:
        if journal.first:
            journal.sign("digging for me" if "for me" in request.items[0].text else "digging alone")
            await asyncio.Event().wait()
        return say("Dug.")

    lead = plays(
        spawn("reader", "dig alone"), spawn("reader", "dig for me", background=False), *[say("Noted.")] * 10
    )

    async def drive(person: Person) -> None:
        await person.settle((await person.say("start", "Dig.")).session_id)

    models = {"scripted:lead": lead, "scripted:reader": plays(*[dig] * 20)}
    return Scenario(team=team(agent("lead", "reader"), agent("reader")), models=models, drive=drive)


def guarded(journal: Journal) -> Scenario:
    """O-35: says that it owns the store, and keeps it until it is told to go on."""

    async def drive(person: Person) -> None:
        journal.sign("owns")
        await journal.wait_for_go()
        await person.settle((await person.say("start", "Think.")).session_id)

    return Scenario(
        team=team(agent("lead")), models={"scripted:lead": plays(*[say("Thought.")] * 20)}, drive=drive
    )


def hasty(journal: Journal) -> Scenario:
    """O-35: writes down when it has the store and when it lets it go; says one thing in between."""

    async def drive(person: Person) -> None:
        me = os.getpid()
        journal.note("took", pid=me)
        await person.settle((await person.say(f"from {me}", "Think.")).session_id)
        journal.note("left", pid=me)

    return Scenario(
        team=team(agent("lead")), models={"scripted:lead": plays(*[say("Thought.")] * 20)}, drive=drive
    )
