"""Agents on branches, each in the test's hand: where most scenarios of the `branch` surface begin."""

from collections.abc import Mapping

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.rules.naming import printed
from postroom.store.rows import RecipientRow
from postroom.store.tx import Tx
from postroom.surfaces.branch.preset import BRANCH_POLICY
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import World
from tests.acceptance.family import Worlds

POLICY: Policy = BRANCH_POLICY


def branch_world(worlds: Worlds, policy: Policy = POLICY) -> World:
    """A world whose sessions are of the `branch` surface."""
    return worlds(policy=policy)


def message(to: str, text: str, **more: Json) -> ScriptedAnswer:
    """A call of `send_message`."""
    return call("send_message", message=text, to=to, **more)


def spawn(prompt: str = "work", *, background: bool = True, **more: Json) -> ScriptedAnswer:
    """A call of `agent` that makes an agent."""
    given: Mapping[str, Json] = {"prompt": prompt, "run_in_background": background, **more}
    return call("agent", **given)


def dispatch(to: str, prompt: str = "a task", **more: Json) -> ScriptedAnswer:
    """A call of `agent` that gives a task to an agent that exists."""
    return call("agent", prompt=prompt, to=to, **more)


def branches(world: World) -> list[RecipientRow]:
    """Every branch of every session, in the order in which they were made."""
    return world.room.store.look(_branches)


def address(world: World, profile: str, nth: int = 1) -> str:
    """The printed address of the n-th branch of a profile, counted from 1."""
    row = [b for b in branches(world) if b.profile == profile][nth - 1]
    return printed("branch", row.public_id, row.handle, row.branch_id)


def _branches(tx: Tx) -> list[RecipientRow]:
    found: list[RecipientRow] = []
    key = 1
    while tx.branch_public_id(key):
        found.append(tx.recipient_by_branch(None, key))
        key += 1
    return found


async def pair(world: World) -> tuple[Puppet, Puppet]:
    """`a` with an open turn, and `b`, another session whose first turn is over."""
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("b", "hello")
    await b.says("hello")
    await world.quiesce()
    await world.prompt("a", "begin")
    await a.asked()
    return a, b


async def crew(world: World, *names: str) -> list[Puppet]:
    """`a` and one background agent of each name beside it, all of them with an open request."""
    a = world.puppet("a")
    others = [world.puppet(name) for name in names]
    await world.prompt("a", "begin")
    await a.does(*(spawn(f"work as {name}", agent_id=name, description=name) for name in names))
    for other in others:
        await other.asked()
    return [a, *others]
