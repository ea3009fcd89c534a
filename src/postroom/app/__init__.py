"""The only place where objects are built; the Python API of a room.

`Postroom` is put together from its uses, one file each; `base` builds and runs it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Self

from postroom.app.asks import AskRoom
from postroom.app.goals import GoalRoom
from postroom.app.hand import HandRoom
from postroom.app.lists import ListRoom
from postroom.app.look import LookRoom
from postroom.app.outfit import Hooks, Outfit, ToolSource
from postroom.app.paths import PathRoom
from postroom.app.plugins import PluginRoom
from postroom.app.retention import RetentionRoom
from postroom.app.shelf import ShelfRoom
from postroom.app.staff import read_team
from postroom.app.talk import Prompt, Scheduled, TalkRoom
from postroom.app.tokens import TokenRoom
from postroom.clock import Clock
from postroom.config import Config
from postroom.llm.port import Model
from postroom.profiles.team import Team

__all__ = ["Hooks", "Outfit", "Postroom", "Prompt", "Scheduled", "ToolSource"]


class Postroom(
    TalkRoom, LookRoom, AskRoom, HandRoom, PluginRoom, GoalRoom, PathRoom, ShelfRoom, ListRoom, TokenRoom,
    RetentionRoom,
):  # fmt: skip
    """A room of agents over one store. Use it as `async with Postroom.open(folder) as room:`."""

    @classmethod
    def open(  # noqa: PLR0913 -- what a room is given has a name each
        cls, path: str | Path, *, team: str | Path | Team | None = None, tools: Iterable[ToolSource] = (),
        models: Mapping[str, Model] | None = None, clock: Clock | None = None, hooks: Hooks | None = None,
        config: Config | None = None, idle: bool = False, plugins: Iterable[object] = (),
    ) -> Self:  # fmt: skip
        """A room over the store in `path`, with the agents of a team folder.

        Entering it takes the store (`StoreInUse` if another process has it), ends what a dead process
        left running, and goes on with all mail that waits. Leaving it ends running turns as
        interrupted; nothing of them is lost. `config` adds the layers of settings around the folder's
        own. An `idle` room accepts and changes but runs no turn. `plugins` are objects with hooks, beside
        those of installed packages. Raises `ConfigFault` for a broken team or plugin.
        """
        outfit = Outfit(
            models=models, tools=tuple(tools), clock=clock, hooks=hooks or Hooks(),
            config=config, idle=idle, plugins=tuple(plugins),
        )  # fmt: skip
        loaded = team if isinstance(team, Team) or team is None else read_team(Path(team), outfit)
        return cls(Path(path), replace(outfit, team=loaded))
