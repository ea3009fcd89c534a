"""A scenario: a team, its models, and what the person does with it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeAlias, cast

from postroom.app import Postroom
from postroom.llm.port import Model
from postroom.profiles.team import Team
from postroom.testing.crash.journal import Journal
from postroom.testing.crash.person import Person
from postroom.testing.crash.witness import Witness
from postroom.tools.base import Tool

Drive: TypeAlias = Callable[[Person], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Played from the start after every kill: `drive` must bear to say again what it has said."""

    team: Team
    models: Mapping[str, Model]
    """By the profile's model name; keep no state in them that a kill would lose."""
    drive: Drive
    tools: tuple[Tool, ...] = ()
    plugins: tuple[object, ...] = ()


Build: TypeAlias = Callable[[Journal], Scenario]


def load(reference: str) -> Build:
    """The function behind `module:name`."""
    module, _, name = reference.partition(":")
    return cast("Build", getattr(import_module(module), name))


async def run(scenario: Scenario, folder: Path, journal: Journal) -> None:
    """One life of the scenario: open the room, let the person act, wait until all is quiet, close."""
    models = {name: Witness(model, journal) for name, model in scenario.models.items()}
    async with Postroom.open(
        folder, team=scenario.team, models=models, tools=scenario.tools, plugins=scenario.plugins
    ) as room:
        await scenario.drive(Person(room, journal))
        await room.quiesce()
    journal.note("closed")
