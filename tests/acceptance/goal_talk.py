"""A root agent with a goal, and how its goal reads: what tests of goals share."""

from postroom.domain.plain import Json
from postroom.llm.port import ModelRequest
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World

TOOLS = {"goal_get", "goal_update"}


def update(*items: tuple[str, bool]) -> ScriptedAnswer:
    """A call of `goal_update`."""
    listed: list[Json] = [{"text": text, "done": done} for text, done in items]
    return call("goal_update", items=listed)


def reminders(request: ModelRequest) -> list[str]:
    """The reminders in a request, oldest first."""
    return [item.text for item in request.items if item.text.startswith("<goal_reminder")]


def goal_tools(request: ModelRequest) -> set[str]:
    """Which of the goal's tools a request offers."""
    return {tool.name for tool in request.tools} & TOOLS


def root_id(world: World) -> str:
    """The session of the root `r`."""
    return world.view("r").session_id


async def goal_of(world: World) -> tuple[str, int]:
    """How the goal of `r` stands, and of how many reminders its list is the same."""
    found = await world.room.goal_show(root_id(world))
    return ("", 0) if found is None else (found.state, found.reminders)


async def busy_root(world: World, root: Puppet) -> None:
    """The root `r` in its first turn, with a goal that it does not know of yet."""
    await world.prompt("r", "hello")
    await root.asked()
    await world.room.goal_set(root_id(world), "dig a well")


async def idle_root(world: World, root: Puppet) -> None:
    """The root `r` after its first turn."""
    await world.prompt("r", "hello")
    await root.says("hello")
    await world.turn_end("r")


async def told_root(world: World, root: Puppet) -> ModelRequest:
    """The root `r`, which was idle and is now asked to begin with its goal."""
    await idle_root(world, root)
    await world.room.goal_set(root_id(world), "dig a well")
    return await root.asked()


def notices(world: World) -> list[object]:
    """The codes of what the person was told."""
    return [event.facts["code"] for event in world.events("person.notified")]


def chains(world: World) -> list[object]:
    """The chains of the turns of `r`, in order."""
    return [event.facts["chain"] for event in world.events("turn.started", agent="r")]
