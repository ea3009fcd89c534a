"""Work in a team: calls of `agent`, `wait` and the like, and what their results say."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.llm.port import ModelRequest, ResultItem
from postroom.observe.views import AgentView
from postroom.surfaces.team.preset import TEAM_POLICY
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet, results_of
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import PATIENCE_S, World
from tests.acceptance.family import Worlds

_TASK = re.compile(r"t_[0-9a-f]{14}")
_AGENT = re.compile(r"agent=(\S+)")


def world_of(worlds: Worlds, policy: Policy = TEAM_POLICY) -> World:
    """A world whose sessions are of the `team` surface."""
    return worlds(policy=policy)


def spawn(prompt: str = "work", *, background: bool = True, **more: Json) -> ScriptedAnswer:
    """A call of `agent` that makes an agent."""
    given: Mapping[str, Json] = {"prompt": prompt, "background": background, **more}
    return call("agent", **given)


def dispatch(to: str, prompt: str = "a task", *, background: bool = True, **more: Json) -> ScriptedAnswer:
    """A call of `agent` that gives a task to an agent that exists."""
    return call("agent", prompt=prompt, to=to, background=background, **more)


def wait(*targets: str, **more: Json) -> ScriptedAnswer:
    """A call of `wait`, for these or for whatever comes first."""
    given: dict[str, Json] = {"for": list(targets), **more} if targets else {**more}
    return call("wait", **given)


def output(task_id: str, **more: Json) -> ScriptedAnswer:
    """A call of `task_output`."""
    return call("task_output", task_id=task_id, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """What a wait has returned: its first line, and the text behind it."""

    reason: str
    done: tuple[str, ...]
    still_running: tuple[str, ...]
    mail_waiting: int
    text: str


def waited(result: ResultItem | ModelRequest) -> Waited:
    """The result of a wait, or the last result of a request; its first line has the keys that it promises."""
    if isinstance(result, ModelRequest):
        result = results_of(result)[-1]
    head, _, text = result.text.partition("\n")
    found = json.loads(head)
    assert set(found) == {"reason", "done", "still_running", "mail_waiting"}, result.text
    return Waited(
        reason=found["reason"], done=tuple(found["done"]), still_running=tuple(found["still_running"]),
        mail_waiting=found["mail_waiting"], text=text,
    )  # fmt: skip


def code(result: ResultItem) -> str:
    """The code of a refusal; fails when it is a success."""
    assert result.is_error, result.text
    found = re.search(r"\((\w+)\)$", result.text.splitlines()[0])
    assert found is not None, result.text
    return found[1]


def task_in(result: ResultItem) -> str:
    """The id of the task that a call has given."""
    found = _TASK.search(result.text)
    assert found is not None, result.text
    return found[0]


def agent_in(result: ResultItem) -> str:
    """How the agent is addressed that a call has made."""
    found = _AGENT.search(result.text)
    assert found is not None, result.text
    return found[1]


async def passes(world: World, seconds: float) -> None:
    """Let time pass."""
    assert isinstance(world.clock, FakeClock)
    await world.clock.advance(seconds)


async def begins(world: World, puppet: Puppet, profile: str, order: ScriptedAnswer) -> None:
    """An agent begins to wait for so long: its time runs on return."""
    assert isinstance(world.clock, FakeClock)
    before = world.clock.sleepers
    await puppet.starts(order)
    await world.event("turn.suspended", agent=profile)
    async with asyncio.timeout(PATIENCE_S):
        await world.clock.sleeping(before + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """A root `a` with an open request, and the agents that it has made in the background."""

    a: Puppet
    others: tuple[Puppet, ...]
    tasks: tuple[str, ...]
    addresses: tuple[str, ...]


async def crew(world: World, *names: str) -> Crew:
    """`a` and one background agent of each name below it, all of them with an open request."""
    a = world.puppet("a", delegates_to=names)
    others = tuple(world.puppet(name, delegates_to=names) for name in names)
    await world.prompt("a", "begin")
    await a.asked()
    made = await a.does(*(spawn(f"work as {name}", profile=name, description=name) for name in names))
    for other in others:
        await other.asked()
    return Crew(a=a, others=others, tasks=tuple(map(task_in, made)), addresses=tuple(map(agent_in, made)))


def root(world: World, profile: str = "a") -> str:
    """How the agent that the person has opened is addressed by everybody."""
    return world.view(profile).session_id


def view_of(world: World, address: str) -> AgentView:
    """The agent of an address."""
    return next(v for v in world.views() if address in (v.handle, v.session_id))


async def waits(world: World, team: Crew, *targets: str, **more: Json) -> None:
    """The root begins to wait."""
    await begins(world, team.a, "a", wait(*targets, **more))
