"""A whole scenario file: who takes part, what happens, what must come of it."""

# ruff: noqa: RUF012 -- pydantic copies every default

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, get_args, get_type_hints

from pydantic import ValidationError, model_validator

from postroom.domain.policy import Policy
from postroom.llm.port import Purpose
from postroom.llm.script import Script
from postroom.llm.script_file import read_rounds
from postroom.testing.scenario.document import Document, Place, read_document
from postroom.testing.scenario.models import fault_classes
from postroom.testing.scenario.parts.part import Field, Name, Names, Part
from postroom.testing.scenario.parts.team import (
    AgentPart,
    GatePart,
    Invariants,
    Settings,
    ToolPart,
    TroublePart,
)
from postroom.testing.scenario.steps import Step

KNOWN_POLICIES: Final = ("tree",)
"""Presets that exist; a file may name others, which are reported as not available."""
NOT_BUILT: Final = frozenset(("approve", "deny", "answer", "archive", "delete", "fork", "revert", "compact"))
"""Verbs of the language whose feature this version does not have."""
PROCESS_VERBS: Final = frozenset(("kill9", "freeze", "thaw"))
"""Verbs that need a process which can be killed."""


class Scenario(Part):
    """A scenario: agents without a model, what people and the world do, and what must come of it."""

    case: Annotated[str, Field(pattern=r"^(O|CK)-\d+$")] | None = None
    """The case or check that it shows."""
    part: str | None = None
    """Which part of the case, such as `a, b`; without it, all."""
    title: Name
    policies: Names = ["tree"]
    """The presets that it must hold on."""
    policy: dict[str, bool | int | None] = {}
    """Single values of the preset, overridden, as under `[policy]` of a team folder. Null is no limit."""
    settings: Settings = Field(default_factory=Settings)
    clock: Literal["fake", "real"] = "fake"
    """A fake clock stands still but for `advance` and `quiesce`."""
    team: Name | None = None
    """A team folder, seen from this file: its agents take part, with their models replaced by scripts."""
    workspace: Name | None = None
    """A folder, seen from this file; the agents work in a copy of it. Without it, in an empty folder."""
    agents: dict[str, AgentPart] = {}
    """By name. With `team`: what is given replaces the script of that agent."""
    tools: dict[str, ToolPart] = {}
    gates: dict[str, GatePart] = {}
    troubles: list[TroublePart] = []
    steps: list[Step] = Field(min_length=1)
    invariants: Invariants = Field(default_factory=Invariants)

    @model_validator(mode="after")
    def _has_agents(self) -> "Scenario":
        if not self.agents and self.team is None:
            msg = "who takes part? give it `agents`, or a `team` folder"
            raise ValueError(msg)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A scenario file that was read: what it says, and where it says it."""

    scenario: Scenario
    document: Document

    @property
    def path(self) -> Path:
        """The file."""
        return self.document.path

    def script(self, agent: str, purpose: str) -> Script | None:
        """The script of an agent for a purpose. Raises `ConfigFault` that names the line."""
        nodes, place = self.document.nodes, ("agents", agent, "script")
        if not any(purpose == given for given in self.scenario.agents[agent].script):
            return None
        return read_rounds(self.path, nodes.get((*place, purpose)) or nodes[place])


def read_file(path: Path) -> Read:
    """Read a scenario file. Raises `ConfigFault` that names file, line and what would be right."""
    document = read_document(path)
    try:
        scenario = Scenario.model_validate(document.value)
    except ValidationError as error:
        raise document.explain(error) from error
    read = Read(scenario=scenario, document=document)
    for place, problem, remedy in _loose_ends(read):
        raise document.fault(place, problem, remedy)
    for agent, part in scenario.agents.items():
        for purpose in part.script:
            read.script(agent, purpose)
    return read


def _loose_ends(read: Read) -> Iterator[tuple[Place, str, str]]:
    """Names that lead nowhere, and settings of the policy that do not fit."""
    scenario = read.scenario
    if scenario.workspace is not None and not (read.path.parent / scenario.workspace).is_dir():
        yield ("workspace",), f"there is no folder `{scenario.workspace}` beside this file", ""
    yield from _loose_policy(scenario)
    yield from _loose_gates(scenario)
    yield from _loose_troubles(scenario)
    yield from _loose_steps(scenario, scenario.steps, ("steps",))


def _loose_policy(scenario: Scenario) -> Iterator[tuple[Place, str, str]]:
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


def _loose_gates(scenario: Scenario) -> Iterator[tuple[Place, str, str]]:
    for name, gate in scenario.gates.items():
        if gate.model is not None and scenario.team is None and gate.model not in scenario.agents:
            yield ("gates", name, "model"), f"there is no agent `{gate.model}`", _one_of(scenario.agents)
        if gate.tool is not None and gate.tool not in scenario.tools:
            yield ("gates", name, "tool"), f"there is no tool `{gate.tool}`", _one_of(scenario.tools)
        if gate.work is not None and (
            gate.work not in scenario.tools or not scenario.tools[gate.work].goes_on
        ):
            yield ("gates", name, "work"), f"there is no tool `{gate.work}` whose work `goes_on`", ""


def _loose_troubles(scenario: Scenario) -> Iterator[tuple[Place, str, str]]:
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


def _loose_steps(scenario: Scenario, steps: list[Step], place: Place) -> Iterator[tuple[Place, str, str]]:
    for number, step in enumerate(steps):
        for verb, names in (("open", step.open), ("shut", step.shut)):
            for name in names or ():
                if name not in scenario.gates:
                    yield (*place, number, verb), f"there is no gate `{name}`", _one_of(scenario.gates)
        for verb, inner in (("repeat", step.repeat), ("together", step.together)):
            if inner is not None:
                yield from _loose_steps(scenario, inner.steps, (*place, number, verb, "steps"))


def _one_of(names: Collection[str]) -> str:
    return f"one of {', '.join(names)}" if names else "the file names none"


def missing(scenario: Scenario) -> list[str]:
    """What the file needs and this version does not have, in its own words; nothing if it can run."""
    found = [f"verb {verb}" for verb in _verbs(scenario.steps) if verb in NOT_BUILT]
    found += [
        "expectation asks"
        for step in _all(scenario.steps)
        if any(e.asks is not None for e in (step.expect, step.wait_for) if e)
    ]
    purposes = {purpose for part in scenario.agents.values() for purpose in part.script}
    found += [f"purpose {purpose}" for purpose in sorted(purposes) if purpose not in set(Purpose)]
    for part in scenario.agents.values():
        effects = {effect for patterns in part.permissions.values() for effect in patterns.values()}
        found += ["permission ask"] if "ask" in effects else []
    return list(dict.fromkeys(found))


def _all(steps: list[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        for inner in (step.repeat, step.together):
            if inner is not None:
                yield from _all(inner.steps)


def _verbs(steps: list[Step]) -> list[str]:
    return [step.verb for step in _all(steps)]


def needs_process(scenario: Scenario) -> bool:
    """Whether the room must run in a process of its own."""
    return bool(PROCESS_VERBS.intersection(_verbs(scenario.steps)))
