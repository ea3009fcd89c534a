"""What is played and killed: small teams that together reach every transaction and every crash point.

Each scene is played from its start in every life. A script plays the round that the request asks for,
and the person says again what it has said, so that every life goes on where the last one was cut.
"""

import asyncio
from dataclasses import replace

from postroom.domain.message import Reason
from postroom.domain.policy import Policy
from postroom.errors import ModelAuth, ModelUnavailable
from postroom.llm.port import ModelRequest
from postroom.llm.scripted import Play, ScriptedAnswer
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from tests.fault.teams import DIG, LOOK, agent, plays, team

IN_A_CENTURY_US = 4_900_000_000_000_000
NEWEST = 1 << 60


def when(*texts: str, then: ScriptedAnswer) -> ScriptedAnswer:
    """Play this round only after these texts were read; say a word until then."""
    return ScriptedAnswer(text=then.text, calls=then.calls, when=texts)


def send(to: str, body: str, mode: str = "steer") -> ScriptedAnswer:
    """A round with one send."""
    return call("send_message", to=to, body=body, mode=mode)


def spawn(profile: str, prompt: str, *, background: bool = True) -> ScriptedAnswer:
    """A round with one delegation."""
    return call(
        "delegate_subagent", description=prompt, prompt=prompt, agent_type=profile, background=background
    )


def mail(journal: Journal) -> Scenario:
    """Two workers in the background; steers and queued mail to both, between both, and back to the lead."""
    lead = plays(
        batch(spawn("worker", "dig here"), spawn("worker", "dig there")),
        batch(
            send("${handle:worker:1}", "steer one, your sibling is ${handle:worker:2}"),
            send("${handle:worker:2}", "queue one, your sibling is ${handle:worker:1}", "queue"),
            send("${handle:worker:1}", "queue two", "queue"),
        ),
        say("Waiting for both."),
        say("Noted one."),
        say("Noted two."),
    )
    worker = plays(
        batch(call("look", what="left"), call("look", what="right")),
        say("Dug."),
        when("agent_message", then=batch(send("${sender}", "my report"), send("${handle:worker}", "psst"))),
        say("Reported."),
    )

    async def drive(person: Person) -> None:
        prompt = await person.say("start", "Dig.")
        await person.settle(prompt.session_id)
        await person.say("more", "Anything else?", to=prompt.session_id)
        await person.settle(prompt.session_id)

    members = team(agent("lead", "worker"), agent("worker", tools=("look",)))
    models = {"scripted:lead": lead, "scripted:worker": worker}
    return Scenario(team=members, models=models, drive=drive, tools=(LOOK,))


def crowded(journal: Journal) -> Scenario:
    """The same, with one slot for all: turns wait in line wherever it is cut."""
    wide = mail(journal)
    return replace(wide, team=replace(wide.team, policy=Policy(surface="tree", concurrency=1)))


def leaving(journal: Journal) -> Scenario:
    """The person closes the room while a turn runs: it ends as interrupted and goes on in the next life."""
    thinking = asyncio.Event()
    lead = plays(*[held(journal, thinking, "Think.")] * 20)

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Think.")).session_id
        await person.reached_or_quiet(thinking)
        if journal.first:
            await person.room.close()
        else:
            await person.settle(root)

    return Scenario(team=team(agent("lead")), models={"scripted:lead": lead}, drive=drive)


def tasks(journal: Journal) -> Scenario:
    """Every way to use a task: foreground, background, fetched, awaited, cancelled, fetched again."""
    never = asyncio.Event()

    async def endless(request: ModelRequest) -> ScriptedAnswer:
        if journal.first:
            await never.wait()
        return say("Not endless after all.")

    lead = plays(
        spawn("quick", "be quick", background=False),
        spawn("slow", "take your time"),
        call("get_subagent_result", session_id="${handle:slow}"),
        call("get_subagent_result", session_id="${handle:slow}", wait=True),
        spawn("endless", "never end"),
        batch(
            call("cancel_subagent", session_id="${handle:endless}", reason="enough"), call("look", what="sky")
        ),
        call("cancel_subagent", session_id="${handle:endless}"),
        call("get_subagent_result", session_id="${handle:quick}", wait=True),
        say("All done."),
        say("Noted."),
    )
    slow = plays(*(call("look", what=f"page {n}") for n in range(3)), say("Read."))

    async def drive(person: Person) -> None:
        prompt = await person.say("start", "Use tasks.")
        await person.settle(prompt.session_id)

    members = team(
        agent("lead", "quick", "slow", "endless", tools=("look",)),
        agent("quick"),
        agent("slow", tools=("look",)),
        agent("endless"),
    )
    models = {
        "scripted:lead": lead, "scripted:quick": plays(say("Quick.")), "scripted:slow": slow,
        "scripted:endless": plays(endless),
    }  # fmt: skip
    return Scenario(team=members, models=models, drive=drive, tools=(LOOK,))


def errands(journal: Journal) -> Scenario:
    """Work in the background, texts for later, and one that is taken back."""
    lead = plays(
        batch(call("dig", where="left"), call("dig", where="right")),
        call("dig", where="below"),
        *[say("Noted.")] * 20,
    )

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Dig.")).session_id
        await person.settle(root)
        for key in ("at once", "at once too"):
            await person.later(key, root, f"said {key}", 1)
        never = await person.later("never", root, "never said", IN_A_CENTURY_US, never=True)
        await person.once("take back", lambda: room.cancel_timer(never))
        await person.no_timers()
        await person.settle(root)

    members = team(agent("lead", tools=("dig",)))
    return Scenario(team=members, models={"scripted:lead": lead}, drive=drive, tools=(DIG,))


def deep(journal: Journal) -> Scenario:
    """Three generations: a cancelled one in the middle, ends of every kind, refusals of every step."""
    digging = asyncio.Event()
    lead = plays(
        batch(spawn("mid", "dig deep"), spawn("mute", "say nothing"), spawn("wordy", "go on and on")),
        batch(send("nobody_00000000", "hello?"), send("${handle:mid}", " "), spawn("stranger", "come in")),
        when("gave up", then=call("cancel_subagent", session_id="${handle:mid}", reason="too deep")),
        spawn("mid", "dig again", background=False),
        *[say("Noted.")] * 20,
    )
    mid = plays(
        batch(spawn("leaf", "dig left"), spawn("leaf", "dig right")),
        send("${handle:leaf:1}", "are you there?"),
        call("get_subagent_result", session_id="${handle:leaf:2}", wait=True),
        *[say("Deep enough.")] * 20,
    )
    leaf = plays(*[held(journal, digging, "dig right")] * 20)

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Dig deep.")).session_id
        await person.reached_or_quiet(digging)
        await person.write("news", root, "mid gave up")
        await person.settle(root)
        await person.say("end", "Enough.", to=root)
        await person.settle(root)

    wordy = replace(agent("wordy", tools=("look",)), max_rounds=2)
    members = team(
        agent("lead", "mid", "mute", "wordy"), agent("mid", "leaf"), agent("leaf"), agent("mute"), wordy
    )
    models = {
        "scripted:lead": lead, "scripted:mid": mid, "scripted:leaf": leaf, "scripted:mute": plays(say("")),
        "scripted:wordy": plays(*[call("look", what="more")] * 20),
    }  # fmt: skip
    return Scenario(team=members, models=models, drive=drive, tools=(LOOK,))


def held(journal: Journal, sign: asyncio.Event, word: str) -> Play:
    """A round that, asked with this word last, gives its sign and stays open: once, in the first life."""

    async def play(request: ModelRequest) -> ScriptedAnswer:
        if journal.first and word in request.items[-1].text and not sign.is_set():
            sign.set()
            journal.sign("held")
            await asyncio.Event().wait()
        return say("Yes.")

    return play


def person(journal: Journal) -> Scenario:
    """A person who prompts, steers, stops, resumes and cancels a team at work."""
    busy, thinking = asyncio.Event(), asyncio.Event()
    lead = plays(spawn("worker", "dig"), *[held(journal, thinking, "Think.")] * 20)
    worker = plays(*[held(journal, busy, "dig")] * 20)

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Dig.")).session_id
        await person.reached_or_quiet(busy)
        await person.once("stop", lambda: person.room.stop(root))
        workers = await person.agents(root, "worker")
        if workers:
            await person.write("steer", workers[0].session_id, "still there?")
        await person.room.quiesce()
        await person.once("resume", lambda: person.room.resume(root))
        await person.room.quiesce()
        await person.say("think", "Think.", to=root)
        await person.reached_or_quiet(thinking)
        await person.once("cancel", lambda: person.room.cancel(root))
        await person.write("queue", root, "And now?", mode="queue")
        await person.settle(root)

    members = team(agent("lead", "worker"), agent("worker"))
    return Scenario(team=members, models={"scripted:lead": lead, "scripted:worker": worker}, drive=drive)


def paths(journal: Journal) -> Scenario:
    """A person who takes a team back while a worker works, forks what was left, and goes on with both."""
    busy = asyncio.Event()
    lead = plays(spawn("worker", "dig"), *[say("Yes.")] * 20)
    worker = plays(*[held(journal, busy, "dig")] * 20)

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Dig.")).session_id
        await person.reached_or_quiet(busy)
        await room.wait(await person.say("then", "And then?", to=root))
        await person.once("revert", lambda: room.revert(root, "1"))
        await person.settle(root)
        await person.once("fork", lambda: room.fork(root))
        forks = [a.session_id for a in await room.agents_view() if a.title.endswith("(fork)")]
        await person.say("other", "Dig elsewhere.", to=forks[0])
        await person.say("more", "Dig on.", to=root)
        await person.settle(forks[0])
        await person.settle(root)

    members = team(agent("lead", "worker"), agent("worker"))
    return Scenario(team=members, models={"scripted:lead": lead, "scripted:worker": worker}, drive=drive)


def poison(journal: Journal) -> Scenario:
    """Mail that no turn survives is set aside after five attempts, then tried again when it can be read."""

    async def brittle(request: ModelRequest) -> ScriptedAnswer:
        if "poison" in request.items[-1].text and not journal.has("done", step="mend"):
            raise ModelAuth("the provider wants no poison")
        return say("Swallowed.")

    lead = plays(
        spawn("brittle", "get ready"),
        when("subagent_notification", then=send("${handle:brittle}", "poison")),
        say("Sent."),
        say("Noted."),
    )
    members = team(agent("lead", "brittle"), agent("brittle"))
    models = {"scripted:lead": lead, "scripted:brittle": plays(*[brittle] * 20)}
    return Scenario(team=members, models=models, drive=_poison)


async def _poison(person: Person) -> None:
    root = (await person.say("start", "Try it.")).session_id
    await person.settle(root)
    for one in await person.agents(root, "brittle"):
        while any(m.state == "accepted" and m.parked for m in await person.mail_of(one.session_id)):
            await person.room.resume(one.session_id)
            await person.room.quiesce()
        await person.once("mend", _nothing)
        for bad in await person.mail_of(one.session_id):
            if bad.reason == Reason.QUARANTINED:
                await person.once(bad.message_id, lambda id_=bad.message_id: person.room.retry(id_))
    await person.settle(root)
    await person.once("see", lambda: person.room.see_notices((), through=NEWEST))


async def _nothing() -> None:
    """A step that only has to be in the journal."""


def outage(journal: Journal) -> Scenario:
    """A provider that is away: the turn fails, its mail waits, and new mail brings it in."""

    async def flaky(request: ModelRequest) -> ScriptedAnswer:
        if not journal.has("done", step="mend"):
            raise ModelUnavailable("the provider is away")
        return say("Back again.")

    async def drive(person: Person) -> None:
        root = (await person.say("one", "Hello?")).session_id
        await person.room.quiesce()
        await person.once("mend", _nothing)
        await person.write("two", root, "Are you there?")
        await person.settle(root)

    return Scenario(team=team(agent("lead")), models={"scripted:lead": plays(*[flaky] * 20)}, drive=drive)


def goals(journal: Journal) -> Scenario:
    """A goal that is worked off, and one that is paused, resumed, left undone and given up."""
    lead = plays(
        say("Hello."),
        call("goal_update", items=[{"text": "dig", "done": False}]),
        say("So far."),
        call("goal_update", items=[{"text": "dig", "done": True}]),
        *[say("Noted.")] * 30,
    )

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Hello!")).session_id
        await person.settle(root)
        await person.once("set", lambda: room.goal_set(root, "a well"))
        await person.settle(root)
        await person.once("set another", lambda: room.goal_set(root, "a house"))
        await person.once("pause", lambda: room.goal_pause(root))
        await person.settle(root)
        await person.once("resume", lambda: room.goal_resume(root))
        await person.settle(root)
        await person.once("cancel", lambda: room.goal_cancel(root))
        await person.settle(root)

    return Scenario(team=team(agent("lead")), models={"scripted:lead": lead}, drive=drive)


def hello(journal: Journal) -> Scenario:
    """One agent, one question, one answer."""

    async def drive(person: Person) -> None:
        await person.settle((await person.say("hello", "Hello!")).session_id)

    return Scenario(team=team(agent("lead")), models={"scripted:lead": plays(say("Hello."))}, drive=drive)
