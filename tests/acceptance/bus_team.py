"""An assistant and its workers on `roster`: each run of a worker plays the rounds of its own task."""

from collections.abc import Mapping, Sequence

from postroom.domain.plain import Json
from postroom.llm.port import AssistantItem, ModelRequest, ResultItem
from postroom.surfaces.roster.preset import ROSTER_POLICY
from postroom.testing.puppet import Puppet
from postroom.testing.script import Play, Round, ScriptedAnswer, call
from postroom.testing.world import World, texts
from tests.acceptance.family import Worlds

ROUNDS = 100
"""More than any run of a test makes."""


def roster_world(worlds: Worlds) -> World:
    """A world in which agents talk on the bus of a turn."""
    return worlds(policy=ROSTER_POLICY)


def assistant(world: World, *workers: str, messaging: bool = True) -> Puppet:
    """The agent that the person speaks to, in the test's hand."""
    return world.puppet("assistant", delegates_to=workers, tools=("messaging",) if messaging else ())


def workers(
    world: World,
    tasks: Mapping[str, Sequence[Round]],
    name: str = "researcher",
    *,
    messaging: bool = True,
    delegates_to: Sequence[str] = (),
) -> None:
    """A profile of which each run plays the rounds of the task that it was given."""
    tools = ("messaging",) if messaging else ()
    world.agent(name, *[_by_task(tasks)] * ROUNDS, tools=tools, delegates_to=delegates_to)


def _by_task(tasks: Mapping[str, Sequence[Round]]) -> Play:
    async def play(request: ModelRequest) -> ScriptedAnswer:
        task = next(text for text in texts(request) if text in tasks)
        said = sum(isinstance(item, AssistantItem) for item in request.items)
        current = tasks[task][said]
        answer = current if isinstance(current, ScriptedAnswer) else await current(request)
        assert isinstance(answer, ScriptedAnswer)
        return answer

    return play


def after(world: World, n: int, then: Round, name: str = "researcher") -> Play:
    """A round that waits until so many requests of a profile have come in."""

    async def play(request: ModelRequest) -> ScriptedAnswer:
        await world.models[name].nth_request(n)
        answer = then if isinstance(then, ScriptedAnswer) else await then(request)
        assert isinstance(answer, ScriptedAnswer)
        return answer

    return play


def after_event(world: World, kind: str, then: ScriptedAnswer, nth: int = 1) -> Play:
    """A round that waits until so many events of a kind are in the log."""

    async def play(_request: ModelRequest) -> ScriptedAnswer:
        await world.event(kind, nth)
        return then

    return play


def make(profile: str, task: Json) -> ScriptedAnswer:
    """A call of the tool that makes an agent of this profile."""
    return call(profile, task=task)


def post(to: Json, text: Json) -> ScriptedAnswer:
    """A call of `send_message`."""
    return call("send_message", to=to, text=text)


def look() -> ScriptedAnswer:
    """A call of `list_agents`."""
    return call("list_agents")


def results(request: ModelRequest) -> list[str]:
    """The results of calls in a request, oldest first."""
    return [item.text for item in request.items if isinstance(item, ResultItem)]
