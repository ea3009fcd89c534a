"""A whole scenario file: who takes part, what happens, what must come of it."""

# ruff: noqa: RUF012 -- pydantic copies every default

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import model_validator

from postroom.profiles.team import SURFACES
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

KNOWN_POLICIES: Final = SURFACES
"""Presets that exist; a file may name others, which are reported as not available."""
NOT_BUILT: Final[frozenset[str]] = frozenset()
"""Verbs of the language whose feature this version does not have."""
PROCESS_VERBS: Final = frozenset(("kill9", "freeze", "thaw"))
"""Verbs that need a process which can be killed."""


class Scenario(Part):
    """A scenario: agents without a model, what people and the world do, and what must come of it."""

    case: Annotated[str, Field(pattern=r"^(O|CK|OP|KK|DS)-\d+$")] | None = None
    """The case or check that it shows."""
    part: str | None = None
    """Which part of the case, such as `a, b`; without it, all."""
    title: Name
    policies: Annotated[Names, Field(min_length=1)] | None = None
    """The presets that it must hold on; without it, the surface of the team folder, and `team` where that
    names none or there is no folder."""
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
            raise ValueError("who takes part? give it `agents`, or a `team` folder")
        return self


def missing(scenario: Scenario) -> list[str]:
    """What the file needs and this version does not have, in its own words; nothing if it can run."""
    return list(dict.fromkeys(f"verb {verb}" for verb in _verbs(scenario.steps) if verb in NOT_BUILT))


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
