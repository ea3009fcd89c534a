"""Sessions in directories of their own, each in the test's hand; and what the store says of them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

from postroom.domain.event import Event
from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.testing.puppet import Puppet
from postroom.testing.world import World
from tests.acceptance.family import Worlds
from tests.acceptance.peers import POLICY, id_of


def directory(world: World, name: str) -> Path:
    """A directory of this name, made if need be."""
    path = world.folder / "places" / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def listing(*entries: str | Path, policy: Policy = POLICY) -> Policy:
    """The policy with an allow list."""
    return replace(policy, allow_list=tuple(map(str, entries)))


async def apart(
    world: World, own: str, other: str, *, mine: Policy = POLICY, theirs: Policy = POLICY
) -> tuple[Puppet, Puppet, str]:
    """`a` with an open turn in one directory, `b` whose first turn is over in another; and the id of `b`."""
    a, b = world.puppet("a"), world.puppet("b")
    await world.prompt("b", "the task of b", policy=theirs, cwd=directory(world, other))
    await b.says("b is ready")
    await world.quiesce()
    await world.prompt("a", "the task of a", policy=mine, cwd=directory(world, own))
    await a.asked()
    return a, b, id_of(world, "b")


async def in_one_place(worlds: Worlds, **policies: Policy) -> tuple[World, Puppet, Puppet, str]:
    """The same in one directory, with the world that they are in."""
    world = worlds(policy=POLICY)
    return world, *await apart(world, "one", "one", **policies)


def log_of(world: World, profile: str) -> list[Event]:
    """The log of the first session of a profile."""
    session = world.room.store.look(lambda tx: tx.session_by_public_id(id_of(world, profile)))
    assert session is not None
    return world.room.store.look(lambda tx: tx.events_of_session(session.key, 0, 100_000))


def kinds(events: list[Event], *wanted: str) -> list[str]:
    """The kinds of these events that are wanted, in their order."""
    return [event.kind for event in events if event.kind in wanted]


def facts(event: Event) -> dict[str, Json]:
    """The payload of an event."""
    return cast("dict[str, Json]", json.loads(event.payload))


def true_reasons(world: World, profile: str) -> list[str]:
    """What masked refusals do not say, as the operator's log has it."""
    return [str(facts(e)["why"]) for e in log_of(world, profile) if e.kind == "message.masked"]
