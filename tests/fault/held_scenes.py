"""A scene in which nobody attends: what agents send is held, let go, refused, taken back."""

from postroom.domain.policy import Policy
from postroom.observe.asks import AskView
from postroom.testing.crash import Journal, Person, Scenario
from postroom.testing.script import batch, say
from tests.fault.scenes import send, spawn
from tests.fault.teams import agent, plays, team

HOLD = Policy(surface="tree", unattended_sends="hold")


def holding(journal: Journal) -> Scenario:
    """Six sends of one agent to another, decided last first where the first of them still waits.

    The first goes by the leave that is given for the tree with the second.
    """
    del journal
    lead = plays(
        batch(spawn("worker", "dig")),
        batch(
            send("${handle:worker:1}", "and so on"), send("${handle:worker:1}", "yes, always"),
            send("${handle:worker:1}", "never"), send("${handle:worker:1}", "take it back"),
            send("${handle:worker:1}", "yes, please"), send("${handle:worker:1}", "yes, too", "queue"),
        ),
        *[say("Noted.")] * 20,
    )  # fmt: skip

    async def drive(person: Person) -> None:
        root = (await person.say("start", "Work.", attended=False)).session_id
        await person.settle(root)
        await person.once("again", person.room.office.try_held)
        while asks := await person.room.asks(root):
            for ask in reversed(asks):
                await _decide(person, ask)
            await person.settle(root)

    models = {"scripted:lead": lead, "scripted:worker": plays(*[say("Dug.")] * 20)}
    return Scenario(
        team=team(agent("lead", "worker"), agent("worker"), policy=HOLD), models=models, drive=drive
    )


async def _decide(person: Person, ask: AskView) -> None:
    """What the person says follows from the text alone, so every life says the same."""
    room = person.room
    if ask.text == "take it back":
        await person.once(ask.ask_id, lambda: room.recall(ask.message_id))
    elif ask.text.startswith("yes"):
        scope = "tree" if "always" in ask.text else "once"
        await person.once(ask.ask_id, lambda: room.approve(ask.ask_id, scope))
    else:
        await person.once(ask.ask_id, lambda: room.deny(ask.ask_id, "I said so"))
