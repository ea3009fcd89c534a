"""A scene whose lead's window is small: it is summed up at boundaries, by hand, and once without success."""

from contextlib import suppress
from dataclasses import replace

from postroom.errors import SummaryFailed
from postroom.llm.port import ModelRequest, ModelSettings
from postroom.llm.scripted import ScriptedAnswer
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from tests.fault.scenes import spawn
from tests.fault.teams import LOOK, agent, plays, team

PROMPT_CHARS = 2_500
SMALL = ModelSettings(context_window=5_000, max_tokens=500)


def summed_up(journal: Journal) -> Scenario:
    """Long prompts, and between them rounds with long results; a worker reports while it is summed up."""
    look = batch(call("look", what="l" * 700), call("look", what="r" * 700))
    failures = iter([" "])

    async def record(_request: ModelRequest) -> ScriptedAnswer:
        """In each life the first one says nothing."""
        return say(next(failures, "The record of what was said."))

    async def by_hand(person: Person, root: str) -> None:
        with suppress(SummaryFailed):
            await person.room.compact(root)

    lead = plays(spawn("worker", "dig"), say("Waiting."), *[look, look, look, say("Noted.")] * 30)

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Dig.")).session_id
        for number in range(8):
            await person.say(f"p{number}", f"prompt {number} ".ljust(PROMPT_CHARS, "x"), to=root)
            await person.settle(root)
        await person.once("by hand", lambda: by_hand(person, root))
        await person.say("end", "Anything else?", to=root)
        await person.settle(root)

    boss = replace(agent("lead", "worker", tools=("look",)), settings=SMALL)
    members = replace(team(boss, agent("worker")), side_calls={"summary": "scripted:scribe"})
    models = {
        "scripted:lead": lead, "scripted:worker": plays(*[say("Dug.")] * 20),
        "scripted:scribe": plays(*[record] * 20),
    }  # fmt: skip
    return Scenario(team=members, models=models, drive=drive, tools=(LOOK,))
