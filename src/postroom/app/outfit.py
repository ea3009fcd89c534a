"""What a room is given by the program that opens it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from postroom.clock import Clock
from postroom.config import Config, MirrorSettings
from postroom.errors import ModelUnavailable, StoreFault
from postroom.ids import Ids
from postroom.llm.port import Model
from postroom.profiles.team import Team
from postroom.store.places import Places, place_on_disk
from postroom.surfaces.branch.surface import BRANCH
from postroom.surfaces.peer.surface import PEER
from postroom.surfaces.roster.surface import ROSTER
from postroom.surfaces.team.surface import TEAM
from postroom.surfaces.tree import TREE
from postroom.tools.base import Tool

ToolSource: TypeAlias = Tool | Callable[..., object] | str
"""A tool, a Python function to make one of, or `module:attr` that names some."""
SURFACES = {surface.name: surface for surface in (TREE, BRANCH, PEER, ROSTER, TEAM)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What a front end may hear that is not in the log: streamed text, waits, pauses."""

    on_text: Callable[[int, str], None] = lambda _branch, _text: None
    on_wait: Callable[[int, float, ModelUnavailable], None] = lambda _branch, _wait_s, _fault: None
    on_pause: Callable[[StoreFault], None] = lambda _fault: None
    on_traces_lost: Callable[[str], None] = lambda _warning: None
    """In any thread, also while the room closes: a sentence for the person, once for each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outfit:
    """What a room is given: models by name come before the environment, tools beside the team's."""

    team: Team | None = None
    models: Mapping[str, Model] | None = None
    tools: tuple[ToolSource, ...] = ()
    clock: Clock | None = None
    ids: Ids | None = None
    env: Mapping[str, str] | None = None
    hooks: Hooks = Hooks()
    plugins: tuple[object, ...] = ()
    """Plugins beside those of installed packages: objects with hooks (`postroom.tools.hooks.spec`)."""
    config: Config | None = None
    """Settings that lie under and over a team folder's own; none: the folder's own."""
    mirror: MirrorSettings | None = None
    """Whether events of the bus are written to files; none: as the settings say."""
    cwd: Path | None = None
    """Where new sessions work; none: the directory of the process."""
    places: Places = place_on_disk
    """Tells one spelling of a directory from another, and whether it is there."""
    idle: bool = False
    """Accept and change, but run no turn: for a process that comes and goes."""

    @property
    def mirroring(self) -> MirrorSettings:
        """How events of the bus are written to files."""
        return self.mirror or (self.config.mirror if self.config else MirrorSettings())

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment that was given, else the process's own."""
        return os.environ if self.env is None else self.env
