"""What several files of tests about asks begin with."""

from postroom.observe.asks import AskView
from postroom.rules.permissions import Effect, Rule
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World
from tests.acceptance.family import delegate

ASK_CHILDREN = (Rule(action="message", effect=Effect.ASK, pattern="child"),)
ASK_PARENT = (Rule(action="message", effect=Effect.ASK, pattern="parent"),)
NOBODY = "00000000-0000-7000-8000-000000000000"


async def asking(world: World) -> tuple[Puppet, Puppet]:
    """A root that needs leave to write to its child, and the child; both have an open request."""
    root = world.puppet("r", rules=ASK_CHILDREN, delegates_to=("b",))
    child = world.puppet("b")
    await world.prompt("r", "begin")
    await root.does(delegate("b"))
    await child.asked()
    return root, child


async def the_ask(world: World, nth: int = 1) -> AskView:
    """The one ask that is open now, once the n-th was opened."""
    await world.event("ask.opened", nth)
    (ask,) = await world.room.asks()
    return ask


def question(text: str, *options: str) -> ScriptedAnswer:
    """A call of `ask_user`."""
    return (
        call("ask_user", question=text, options=list(options)) if options else call("ask_user", question=text)
    )
