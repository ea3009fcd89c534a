"""A scene with a plugin: it changes and denies calls, writes mail, and takes some of it back."""

from collections.abc import Mapping

from pluggy import HookimplMarker

from postroom.domain.plain import Json
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, call, say
from postroom.tools.hooks.gate import GatedCall
from postroom.tools.hooks.hook import Event
from tests.fault.teams import LOOK, agent, plays, team

hookimpl = HookimplMarker("postroom")


class Guide:
    """Shows something else than what is asked for, and keeps what is forbidden from being seen."""

    name = "guide"

    @hookimpl
    def postroom_before_call(self, call: GatedCall) -> str | Mapping[str, Json] | None:
        """What it says follows from the arguments alone, so every life says the same."""
        what = str(call.arguments.get("what"))
        if what.startswith("change"):
            return {"what": what.removeprefix("change ")}
        return "nobody sees it" if what.startswith("deny") else None


def plugins(journal: Journal) -> Scenario:
    """Calls that are changed, denied and let through; mail of a plugin, some of it taken back."""
    lead = plays(
        batch(call("look", what="change left"), call("look", what="deny right"), call("look", what="up")),
        batch(call("look", what="deny below"), call("look", what="change back")),
        *[say("Noted.")] * 20,
    )

    async def drive(person: Person) -> None:
        room = person.room
        root = (await person.say("start", "Look around.")).session_id
        await person.settle(root)
        await room.plugin_send("guide", root, "The museum opens.", key="opens")
        await person.settle(root)
        await person.once("stop", lambda: room.stop(root))
        late = await room.plugin_send("guide", root, "The museum closes.", key="closes")
        await room.plugin_send("guide", root, "Mind the step.", key="step", mode="queue")
        await person.once("recall", lambda: room.plugin_recall("guide", late.message_id))
        await person.once("resume", lambda: room.resume(root))
        await person.settle(root)

    members = team(agent("lead", tools=("look",)))
    return Scenario(
        team=members, models={"scripted:lead": lead}, drive=drive, tools=(LOOK,), plugins=(Guide(),)
    )


class Stays:
    """Lets no turn end before the agent has looked twice; what it says follows from the answer alone."""

    name = "stays"

    @hookimpl
    def postroom_before_stop(self, event: Event) -> str | None:
        """Not even a life that was cut in between says something else."""
        payload = event["payload"]
        assert isinstance(payload, dict)
        return None if "twice" in str(payload["last_text"]) else "Look once more."


def kept(journal: Journal) -> Scenario:
    """Turns that a gate keeps from ending, with calls and without, once or as often as it may."""
    lead = plays(
        say("Looked."), say("Looked twice."), call("look", what="left"), say("Looked, too."),
        say("Looked twice again."), *[say("Looked.")] * 20,
    )  # fmt: skip

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Look around.")).session_id
        await person.settle(root)
        await person.say("more", "And again.", to=root)
        await person.settle(root)
        await person.say("last", "For ever.", to=root)
        await person.settle(root)

    members = team(agent("lead", tools=("look",)))
    return Scenario(
        team=members, models={"scripted:lead": lead}, drive=drive, tools=(LOOK,), plugins=(Stays(),)
    )
