"""Who takes part in a mix of surfaces, how each writes to each other, and whom each may reach."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from postroom.domain.policy import Policy
from postroom.profiles.rights import Rights
from postroom.surfaces.presets import PRESETS
from postroom.testing.puppet import Puppet
from postroom.testing.script import ScriptedAnswer, ScriptedModel, call, say
from postroom.testing.world import World
from tests.acceptance.branches import message, spawn
from tests.acceptance.family import EVERYBODY, delegate, send

TREES: Final[Mapping[str, Sequence[Sequence[str]]]] = {
    "tree": (("tr", "ta", "tb"),),
    "branch": (("br", "ba", "bb"),),
    "peer": (("pa",), ("pb",)),
    "team": (("mr", "ma"), ("mo",)),
}
"""By surface: the agents of each tree, its root first. All work in one directory."""
SURFACE: Final = {name: surface for surface, trees in TREES.items() for tree in trees for name in tree}
ROOT: Final = {name: tree[0] for trees in TREES.values() for tree in trees for name in tree}
SMALL: Final = {"chain_turns_max": None, "rounds_max": 500, "resumes_max": 1_000, "messages_max": None,
    "generations_max": None, "fan_out_max": None, "concurrency": 32}  # fmt: skip
POLICIES: Final[Mapping[str, Policy]] = {
    "tree": replace(PRESETS["tree"], **SMALL, mailbox_cap=3, pair_window=2),
    "branch": replace(PRESETS["branch"], **SMALL, mailbox_cap=3),
    "peer": replace(PRESETS["peer"], **SMALL, pair_cap=2),
    "team": replace(PRESETS["team"], **SMALL, mailbox_cap=3, pair_window=2),
}
"""The presets with bounds so small that they are met."""
_ACROSS: Final[Mapping[tuple[str, str], str]] = {
    ("branch", "branch"): "yes",
    ("branch", "peer"): "yes",
    ("branch", "team"): "waits",
    ("peer", "branch"): "yes",
    ("peer", "peer"): "yes",
    ("peer", "team"): "asks",
    ("team", "branch"): "asks",
    ("team", "peer"): "asks",
    ("team", "team"): "asks",
}
"""Between two trees of one directory; what is not here is absent. `asks`: it is held until the person
decides. `waits`: the call waits for that.
"""


def reach(sender: str, to: str) -> str:
    """`yes`, `asks`, `waits` or `absent`, from product.md section 5."""
    if sender == to:
        return "absent"
    if ROOT[sender] == ROOT[to]:
        return "yes"
    if SURFACE[sender] == "peer" and ROOT[to] != to:
        return "absent"  # the rules of a workspace: somebody else's child, or no session of its own
    return _ACROSS.get((SURFACE[sender], SURFACE[to]), "absent")


def below(agent: str) -> list[str]:
    """The agent and everybody below it."""
    return [name for name, root in ROOT.items() if agent in (name, root)]


def person_address(world: World, agent: str) -> str:
    """How the person calls it."""
    return world.view(agent).address


def letter_call(world: World, sender: str, names: Sequence[str], body: str, mode: str) -> ScriptedAnswer:
    """The send of one to others in the words of the sender's surface; only a team's takes several."""
    to, view = names[0], world.view(names[0])
    address = view.handle if view.handle and ROOT[sender] == ROOT[to] else view.session_id
    match SURFACE[sender]:
        case "tree":
            return send(address, body, mode)
        case "branch":
            return message(_whole(world, to), body)
        case "peer":
            is_inside = SURFACE[to] == "branch" and ROOT[to] != to
            return call("session_send", target_id=_whole(world, to) if is_inside else address, message=body)
        case _:
            given = [_whole(world, one) for one in names]
            return call("send_message", to=[*given] if len(given) > 1 else given[0], message=body, mode=mode)


def _whole(world: World, agent: str) -> str:
    view = world.view(agent)
    return f"{view.session_id}:{view.branch_id}"


def mode_of(sender: str, to: str, mode: str) -> str:
    """The mode that counts: what the sender's tool can say, and what the recipient's mailbox does with it."""
    if SURFACE[to] == "branch":
        return "queue"
    return (
        mode if SURFACE[sender] in ("tree", "team") else "queue" if SURFACE[sender] == "branch" else "steer"
    )


def cast(world: World, surfaces: Sequence[str]) -> dict[str, Puppet]:
    """A puppet for every agent of these surfaces, and somebody who sums up."""
    world.rights = Rights(side_calls={"summary": "scripted:scribe"})
    world.models["scribe"] = ScriptedModel(*([say("a record")] * 500), clock=world.clock)
    agents = [name for surface in surfaces for tree in TREES[surface] for name in tree]
    return {
        name: world.puppet(
            name,
            may_message=EVERYBODY if SURFACE[name] == "tree" else (),
            delegates_to=[other for other in below(name) if other != name],
        )
        for name in agents
    }


async def begin(world: World, puppets: Mapping[str, Puppet]) -> None:
    """Every root has been spoken to and has made who is below it; all of them ask."""
    for name, puppet in puppets.items():
        if ROOT[name] == name:
            await world.prompt(name, "begin", policy=POLICIES[SURFACE[name]])
            await puppet.asked()
            children = [other for other in below(name) if other != name]
            if children:
                await puppet.does(*(_made(SURFACE[name], child) for child in children))


def _made(surface: str, child: str) -> ScriptedAnswer:
    match surface:
        case "tree":
            return delegate(child)
        case "branch":
            return spawn(agent_id=child, description=child)
        case _:
            return call("agent", prompt="work", description=child, profile=child, background=True)
