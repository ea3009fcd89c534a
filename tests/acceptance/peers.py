"""Sessions side by side, each in the test's hand: where most scenarios of the `peer` surface begin."""

import json
from collections.abc import Mapping
from typing import cast

import jsonschema

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.llm.port import ResultItem
from postroom.surfaces.peer.preset import PEER_POLICY
from postroom.surfaces.peer.surface import PEER
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet, results_of
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World
from tests.acceptance.family import Worlds

POLICY: Policy = PEER_POLICY
NOWHERE = "00000000-0000-7000-8000-000000000000"
"""An id that no session has."""


async def beside(worlds: Worlds, *names: str, policy: Policy = POLICY) -> tuple[World, Puppet]:
    """`a` with an open turn, and a session of each name beside it whose first turn is over."""
    world = worlds(policy=policy)
    a, others = world.puppet("a"), [world.puppet(name) for name in names]
    for name, other in zip(names, others, strict=True):
        await world.prompt(name, f"the task of {name}")
        await other.says(f"{name} is ready")
    if names:
        await world.quiesce()
    await world.prompt("a", "the task of a")
    await a.asked()
    return world, a


async def two(worlds: Worlds, policy: Policy = POLICY) -> tuple[World, Puppet, Puppet, str]:
    """The same with `b` alone, and the id of its session."""
    world, a = await beside(worlds, "b", policy=policy)
    return world, a, world.puppets["b"], id_of(world, "b")


def id_of(world: World, profile: str, nth: int = 1) -> str:
    """The id of the n-th session of a profile."""
    return world.view(profile, nth).session_id


def write(to: str, text: str) -> ScriptedAnswer:
    """A call of `session_send`."""
    return call("session_send", target_id=to, message=text)


def spawn(prompt: str = "work", *, background: bool = True) -> ScriptedAnswer:
    """A call of `spawn_subagent`."""
    return call("spawn_subagent", description="a task", prompt=prompt, background=background)


def data(result: ResultItem) -> dict[str, Json]:
    """What a call returned."""
    assert not result.is_error, result.text
    return cast("dict[str, Json]", json.loads(result.text))


def code(result: ResultItem) -> str:
    """The code of a refusal."""
    assert result.is_error, result.text
    return result.text.split(":")[1]


async def listed(puppet: Puppet, **arguments: Json) -> list[dict[str, str]]:
    """The rows of `session_list`."""
    (result,) = await puppet.does(call("session_list", **arguments))
    return cast("list[dict[str, str]]", data(result)["sessions"])


async def waits(world: World, puppet: Puppet, nth: int = 1, **arguments: Json) -> None:
    """Begin a `session_wait`, the n-th wait of this world; it is on record on return."""
    await puppet.starts(call("session_wait", **arguments))
    await world.event("call.waiting", nth)


async def waited(puppet: Puppet) -> dict[str, Json]:
    """What a wait has returned, as soon as it has."""
    (result,) = results_of(await puppet.asked())
    return data(result)


async def changes(puppet: Puppet) -> list[dict[str, str]]:
    """What has changed when the wait returned."""
    found = await waited(puppet)
    assert found["timedOut"] is False
    return cast("list[dict[str, str]]", found["changes"])


async def times_out(world: World, puppet: Puppet) -> dict[str, Json]:
    """Let time pass until a wait has returned."""
    assert isinstance(world.clock, FakeClock)
    await world.clock.passes_until(puppet.asked())
    return await waited(puppet)


async def answered(world: World, nth: int, profile: str = "a", agent: int = 1) -> ResultItem:
    """The result of the call in the nth round of an agent that shares its profile with others."""
    while len(found := world.requests(profile, agent)) <= nth:
        await world.models[profile].nth_request(len(world.requests(profile)) + 1)
    return results_of(found[nth])[0]


def fits(tool: str, result: ResultItem | Mapping[str, Json]) -> None:
    """A result is what its tool says that it returns, and no blank longer than it must be."""
    returns = next(one.spec.returns for one in PEER.tools if one.spec.name == tool)
    assert returns is not None
    value = data(result) if isinstance(result, ResultItem) else result
    jsonschema.validate(value, returns)
    if isinstance(result, ResultItem):
        assert result.text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
