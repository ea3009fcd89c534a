"""Two conversations of two surfaces in one store, and the words in which each speaks of the other."""

import asyncio
from dataclasses import dataclass, replace
from typing import Final

from postroom.domain.policy import Policy
from postroom.llm.port import ResultItem
from postroom.rules.naming import printed
from postroom.surfaces.presets import PRESETS
from postroom.testing.puppet import Puppet
from postroom.testing.reading import Reading, read
from postroom.testing.reading_bus import read_bus
from postroom.testing.reading_team import read_batch
from postroom.testing.script import ScriptedAnswer, call
from postroom.testing.world import PATIENCE_S, World
from tests.acceptance.branches import message, spawn
from tests.acceptance.family import EVERYBODY, Worlds, delegate, send

NOBODY: Final = "00000000-0000-7000-8000-000000000000"
SMALL: Final = {"mailbox_cap": 1, "pair_window": None, "pair_cap": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a profile has to say so that its agent may speak on a surface."""

    may_message: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


NEEDS: Final = {"tree": Needs(may_message=EVERYBODY), "roster": Needs(tools=("messaging",))}
"""By surface; the others need nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """`a` at work, and `b`, who has spoken once and rests."""

    world: World
    a: Puppet
    b: Puppet
    sender: str
    recipient: str

    def address(self, profile: str, surface: str) -> str:
        """How the agents of a surface call somebody who is not of their tree."""
        view = self.world.view(profile)
        return printed(PRESETS[surface].addressing, view.session_id, None, view.branch_id)


def policy_of(surface: str, *, is_small: bool = False) -> Policy:
    """The preset; with a mailbox for one letter."""
    preset = PRESETS[surface]
    if not is_small:
        return preset
    caps = {name: most for name, most in SMALL.items() if getattr(preset, name) is not None}
    return replace(preset, duplicate_s=0, **caps)


def puppet_of(world: World, name: str, surface: str) -> Puppet:
    """An agent with every right that it needs to speak on its surface."""
    needs = NEEDS.get(surface, Needs())
    return world.puppet(name, may_message=needs.may_message, tools=needs.tools)


async def meet(
    worlds: Worlds, sender: str, recipient: str, *, beside: bool = True, is_small: bool = False
) -> Scene:
    """Both have been spoken to, in one directory or in two."""
    world = worlds(policy=PRESETS["roster"])  # its team knows the tools of every surface
    a, b = puppet_of(world, "a", sender), puppet_of(world, "b", recipient)
    world.puppet("c")
    await world.open()
    place = world.cwd if beside else world.folder / "elsewhere"
    place.mkdir(exist_ok=True)
    await world.prompt("b", "beta", policy=policy_of(recipient, is_small=is_small), cwd=place)
    await b.says("hello")
    await world.quiesce()
    await world.prompt("a", "alpha", policy=policy_of(sender), cwd=world.cwd)
    await a.asked()
    return Scene(world=world, a=a, b=b, sender=sender, recipient=recipient)


def writes(surface: str, to: str, text: str) -> ScriptedAnswer:
    """The send of a surface, without a mode."""
    match surface:
        case "tree":
            return send(to, text)
        case "branch":
            return message(to, text)
        case "peer":
            return call("session_send", target_id=to, message=text)
        case "team":
            return call("send_message", to=to, message=text)
        case _:
            return call("send_message", to=to, text=text)


async def tries(puppet: Puppet, order: ScriptedAnswer) -> ResultItem:
    """The result of one call."""
    (result,) = await puppet.does(order)
    return result


async def open_ask(world: World) -> str:
    """The one ask that is open, as soon as there is one."""
    async with asyncio.timeout(PATIENCE_S):
        while not (asks := await world.room.asks()):  # noqa: ASYNC110 -- an ask rings no bell that a test hears
            await asyncio.sleep(0)
    assert len(asks) == 1
    return asks[0].ask_id


def reading_of(text: str) -> Reading:
    """The one envelope in an item."""
    found = read(text)
    assert found is not None, text
    return found


async def make(worlds: Worlds, surface: str) -> Scene:
    """`a` has made `b`, and both are at work; on `roster` `a` waits for it."""
    world = worlds(policy=PRESETS["roster"])
    needs = NEEDS.get(surface, Needs())
    a = world.puppet("a", may_message=needs.may_message, delegates_to=("b",), tools=needs.tools)
    b = puppet_of(world, "b", surface)
    await world.prompt("a", "alpha", policy=policy_of(surface))
    await a.starts(_made(surface))
    await b.asked()
    return Scene(world=world, a=a, b=b, sender=surface, recipient=surface)


def _made(surface: str) -> ScriptedAnswer:
    match surface:
        case "tree":
            return delegate("b")
        case "branch":
            return spawn(agent_id="b", description="b")
        case "team":
            return call("agent", prompt="work", description="b", profile="b", background=True)
        case _:
            return call("b", task="work")


def parent_of(scene: Scene) -> str:
    """How `b` calls who made it."""
    return "a" if scene.sender == "roster" else scene.address("a", scene.sender)


def child_of(scene: Scene) -> str:
    """How `a` calls whom it has made."""
    view = scene.world.views()[1]
    match scene.sender:
        case "tree" | "team":
            return view.handle
        case "branch":
            return f"{view.session_id}:{view.branch_id}"
        case _:
            return "b#1"


def readings_in(surface: str, text: str) -> tuple[Reading, ...]:
    """Every envelope of one item, as the agents of a surface read it."""
    return _READERS.get(surface, _read_one)(text)


def _read_one(text: str) -> tuple[Reading, ...]:
    one = read(text)
    return (one,) if one else ()


def _read_batch(text: str) -> tuple[Reading, ...]:
    batch = read_batch(text)
    return batch.readings if batch else ()


def _read_bus(text: str) -> tuple[Reading, ...]:
    return read_bus(text) or ()


_READERS: Final = {"roster": _read_bus, "team": _read_batch}
"""By surface: where several texts share an item."""
