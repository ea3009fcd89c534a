"""Names in a scenario file that lead nowhere, and values that do not fit: what its types cannot say."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, TypeAlias, get_args, get_type_hints

from postroom import faults
from postroom.domain.policy import Policy
from postroom.profiles.team import load_team
from postroom.rules.naming import RELATIONS
from postroom.rules.permissions import flaw
from postroom.testing.scenario.document import Place
from postroom.testing.scenario.file import Scenario
from postroom.testing.scenario.models import fault_classes
from postroom.testing.scenario.parts.team import Permissions
from postroom.testing.scenario.steps import Step

Loose: TypeAlias = tuple[Place, str, str]
"""Where it is, what is wrong, and what would be right."""
_SIDES: Final = "write TRANSACTION.before or .after, see docs/reference/crash-points.md"


def loose_ends(scenario: Scenario, folder: Path) -> Iterator[Loose]:
    """Names that lead nowhere, and settings of the policy that do not fit."""
    if scenario.workspace is not None and not (folder / scenario.workspace).is_dir():
        yield ("workspace",), f"there is no folder `{scenario.workspace}` beside this file", ""
    yield from _loose_policy(scenario)
    agents = _agents_of(scenario, folder)
    yield from _loose_agents(scenario, agents)
    yield from _loose_gates(scenario, agents)
    yield from _loose_troubles(scenario, agents)
    yield from _loose_steps(scenario, scenario.steps, ("steps",))


def _agents_of(scenario: Scenario, folder: Path) -> Collection[str]:
    """Everybody who may take part. Raises `ConfigFault` for a team folder that cannot be read."""
    if scenario.team is None:
        return scenario.agents
    return load_team((folder / scenario.team).absolute()).profiles


def _loose_agents(scenario: Scenario, agents: Collection[str]) -> Iterator[Loose]:
    for name, part in scenario.agents.items():
        if name not in agents:
            yield ("agents", name), f"there is no agent `{name}` in the team", _one_of(agents)
        for other in part.delegates_to:
            if "*" not in other:
                yield from _unknown(("agents", name, "delegates_to"), "agent", other, agents)
        place = ("agents", name, "permissions")
        yield from _loose_rules(part.permissions, place)
        for pattern in part.permissions.get("delegate", {}):
            if pattern and "*" not in pattern:
                yield from _unknown((*place, "delegate", pattern), "agent", pattern, agents)


def _loose_rules(rules: Permissions, place: Place) -> Iterator[Loose]:
    """Rules that could never hold for anything."""
    for action, patterns in rules.items():
        for pattern in patterns:
            if why := flaw(action, pattern):
                yield (*place, action, pattern), why, _one_of(RELATIONS) if pattern else ""


def _loose_policy(scenario: Scenario) -> Iterator[Loose]:
    """Values that the preset does not have, or has as something else."""
    kinds = {name: kind for name, kind in get_type_hints(Policy).items() if name != "surface"}
    for key, value in scenario.policy.items():
        if key not in kinds:
            yield ("policy", key), f"the policy has no `{key}`", f"known: {', '.join(sorted(kinds))}"
        elif type(value) not in (get_args(kinds[key]) or (kinds[key],)):
            shown = getattr(kinds[key], "__name__", str(kinds[key]))
            yield ("policy", key), f"`{key}` must be {shown}, not {value!r}", ""
        elif type(value) is int and value < 0:
            yield ("policy", key), f"`{key}` is below 0", "null is no limit"


def _loose_gates(scenario: Scenario, agents: Collection[str]) -> Iterator[Loose]:
    for name, gate in scenario.gates.items():
        yield from _unknown(("gates", name, "model"), "agent", gate.model, agents)
        yield from _unknown(("gates", name, "tool"), "tool", gate.tool, scenario.tools)
        if gate.commit is not None and not _is_point(gate.commit):
            yield ("gates", name, "commit"), f"`{gate.commit}` is no side of a commit", _SIDES
        if gate.work is not None and (
            gate.work not in scenario.tools or not scenario.tools[gate.work].goes_on
        ):
            yield ("gates", name, "work"), f"there is no tool `{gate.work}` whose work `goes_on`", ""


def _is_point(name: str, declared: Collection[str] = ()) -> bool:
    """Whether a crash point can be called so; which transactions there are only running them shows."""
    return name in declared or name.rpartition(".")[2] in {"before", "after"}


def _loose_troubles(scenario: Scenario, agents: Collection[str]) -> Iterator[Loose]:
    for number, trouble in enumerate(scenario.troubles):
        yield from _unknown(("troubles", number, "model"), "agent", trouble.model, agents)
        if trouble.fails not in fault_classes():
            yield (
                ("troubles", number, "fails"),
                f"no fault is called `{trouble.fails}`",
                _one_of(fault_classes()),
            )
        yield from _unknown(("troubles", number, "until"), "gate", trouble.until, scenario.gates)


def _loose_steps(scenario: Scenario, steps: list[Step], place: Place) -> Iterator[Loose]:
    for number, step in enumerate(steps):
        for where, name in _gates_named(step):
            yield from _unknown((*place, number, *where), "gate", name, scenario.gates)
        if step.kill9 and step.kill9.at and not _is_point(step.kill9.at, faults.POINTS):
            yield (*place, number, "kill9", "at"), f"there is no crash point `{step.kill9.at}`", _SIDES
        if step.overlay is not None:
            yield from _loose_rules(step.overlay.rules, (*place, number, "overlay", "rules"))
        for verb, inner in (("repeat", step.repeat), ("together", step.together)):
            if inner is not None:
                yield from _loose_steps(scenario, inner.steps, (*place, number, verb, "steps"))


def _gates_named(step: Step) -> Iterator[tuple[Place, str]]:
    for verb, names in (("open", step.open), ("shut", step.shut)):
        yield from (((verb,), name) for name in names or ())
    for verb, part in (("expect", step.expect), ("wait_for", step.wait_for)):
        if part is not None and part.gate is not None:
            yield (verb, "gate"), part.gate.name


def _unknown(place: Place, kind: str, name: str | None, known: Collection[str]) -> Iterator[Loose]:
    if name is not None and name not in known:
        yield place, f"there is no {kind} `{name}`", _one_of(known)


def _one_of(names: Collection[str]) -> str:
    return f"one of {', '.join(names)}" if names else "the file names none"
