"""Names in a scenario file that lead nowhere, and values that do not fit: what its types cannot say."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, TypeAlias, get_args, get_type_hints

from postroom import faults
from postroom.domain.policy import Policy
from postroom.testing.scenario.document import Place
from postroom.testing.scenario.file import Scenario
from postroom.testing.scenario.models import fault_classes
from postroom.testing.scenario.steps import Step

Loose: TypeAlias = tuple[Place, str, str]
"""Where it is, what is wrong, and what would be right."""
_SIDES: Final = "write TRANSACTION.before or .after, see docs/reference/crash-points.md"


def loose_ends(scenario: Scenario, folder: Path) -> Iterator[Loose]:
    """Names that lead nowhere, and settings of the policy that do not fit."""
    if scenario.workspace is not None and not (folder / scenario.workspace).is_dir():
        yield ("workspace",), f"there is no folder `{scenario.workspace}` beside this file", ""
    yield from _loose_policy(scenario)
    yield from _loose_gates(scenario)
    yield from _loose_troubles(scenario)
    yield from _loose_steps(scenario, scenario.steps, ("steps",))


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


def _loose_gates(scenario: Scenario) -> Iterator[Loose]:
    for name, gate in scenario.gates.items():
        if gate.model is not None and scenario.team is None and gate.model not in scenario.agents:
            yield ("gates", name, "model"), f"there is no agent `{gate.model}`", _one_of(scenario.agents)
        if gate.tool is not None and gate.tool not in scenario.tools:
            yield ("gates", name, "tool"), f"there is no tool `{gate.tool}`", _one_of(scenario.tools)
        if gate.commit is not None and not _is_point(gate.commit):
            yield ("gates", name, "commit"), f"`{gate.commit}` is no side of a commit", _SIDES
        if gate.work is not None and (
            gate.work not in scenario.tools or not scenario.tools[gate.work].goes_on
        ):
            yield ("gates", name, "work"), f"there is no tool `{gate.work}` whose work `goes_on`", ""


def _is_point(name: str, declared: Collection[str] = ()) -> bool:
    """Whether a crash point can be called so; which transactions there are only running them shows."""
    return name in declared or name.rpartition(".")[2] in {"before", "after"}


def _loose_troubles(scenario: Scenario) -> Iterator[Loose]:
    for number, trouble in enumerate(scenario.troubles):
        if trouble.fails not in fault_classes():
            yield (
                ("troubles", number, "fails"),
                f"no fault is called `{trouble.fails}`",
                _one_of(fault_classes()),
            )
        if trouble.until is not None and trouble.until not in scenario.gates:
            yield (
                ("troubles", number, "until"),
                f"there is no gate `{trouble.until}`",
                _one_of(scenario.gates),
            )


def _loose_steps(scenario: Scenario, steps: list[Step], place: Place) -> Iterator[Loose]:
    for number, step in enumerate(steps):
        for verb, names in (("open", step.open), ("shut", step.shut)):
            for name in names or ():
                if name not in scenario.gates:
                    yield (*place, number, verb), f"there is no gate `{name}`", _one_of(scenario.gates)
        if step.kill9 and step.kill9.at and not _is_point(step.kill9.at, faults.POINTS):
            yield (*place, number, "kill9", "at"), f"there is no crash point `{step.kill9.at}`", _SIDES
        for verb, inner in (("repeat", step.repeat), ("together", step.together)):
            if inner is not None:
                yield from _loose_steps(scenario, inner.steps, (*place, number, verb, "steps"))


def _one_of(names: Collection[str]) -> str:
    return f"one of {', '.join(names)}" if names else "the file names none"
