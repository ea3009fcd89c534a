"""Reads a scenario file strictly, before anything of it runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from postroom.llm.script import Script
from postroom.llm.script_file import read_rounds
from postroom.profiles.team import SURFACES, load_team
from postroom.testing.scenario.deeds import ARGUMENTS, DEEDS, deeds_in, flaw
from postroom.testing.scenario.document import Document, read_document
from postroom.testing.scenario.file import Scenario
from postroom.testing.scenario.loose_ends import loose_ends

_DEEDS: Final = "see docs/how-to/scenario-files.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A scenario file that was read: what it says, and where it says it."""

    scenario: Scenario
    document: Document
    policies: Sequence[str]
    """The presets that it must hold on: those that it names, else what its team folder is for."""

    @property
    def path(self) -> Path:
        """The file."""
        return self.document.path

    def script(self, agent: str, purpose: str) -> Script | None:
        """The script of an agent for a purpose. Raises `ConfigFault` that names the line."""
        nodes, place = self.document.nodes, ("agents", agent, "script")
        if purpose not in self.scenario.agents[agent].script:
            return None
        return read_rounds(self.path, nodes.get((*place, purpose)) or nodes[place])


def read_file(path: Path) -> Read:
    """Read a scenario file. Raises `ConfigFault` that names file, line and what would be right."""
    document = read_document(path)
    try:
        scenario = Scenario.model_validate(document.value)
    except ValidationError as error:
        raise document.explain(error) from error
    for place, problem, remedy in loose_ends(scenario, path.parent):
        raise document.fault(place, problem, remedy)
    read = Read(
        scenario=scenario, document=document, policies=scenario.policies or [_surface(scenario, path)]
    )
    for agent, part in scenario.agents.items():
        for purpose in part.script:
            script = read.script(agent, purpose) or Script(())
            for problem in _loose_deeds([part.surface] if part.surface else read.policies, script):
                raise document.fault(("agents", agent, "script"), problem, _DEEDS)
    return read


def _surface(scenario: Scenario, path: Path) -> str:
    """The surface of the team folder; without one, that of a folder that names none."""
    if scenario.team is None:
        return SURFACES[0]
    return load_team((path.parent / scenario.team).absolute()).surface


def _loose_deeds(policies: Sequence[str], script: Script) -> Iterator[str]:
    """Deeds with wrong arguments, and those that a surface of the file has no tool for."""
    for deed, call in deeds_in(script):
        if why := flaw(call):
            yield why
        for policy in policies:
            if deed not in DEEDS.get(policy, ARGUMENTS):
                yield f"the agents of `{policy}` have no tool for `{deed}`"
