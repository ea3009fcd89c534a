"""The teams that a room can begin sessions with: its own, and those of the sessions in its store."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from postroom.app.base import RoomBase
from postroom.app.staff import read_team
from postroom.config import Config
from postroom.errors import BadFolder, ConfigFault, Fault, NotFound
from postroom.observe.teams import TeamView, broken_team, team_view
from postroom.profiles.team import Team
from postroom.rules.naming import SHOWN_CHARS
from postroom.store.tx import Tx

TEAMS_SHOWN: Final = 100
"""How many teams are listed; a store has sessions of a few."""


class TeamRoom(RoomBase):
    """Teams, profiles and settings. Raises `RoomClosed`."""

    @property
    def config(self) -> Config | None:
        """The settings that this room was opened with, if any were given."""
        return self._outfit.config

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment that it looks into."""
        return self._outfit.environ

    async def team_views(self) -> list[TeamView]:
        """Every team that a session can begin with, the room's own first. What cannot be read says why."""
        self.check_open()
        own = [] if self.team is None else [team_view(self.team, is_own=True)]
        at_hand = {str(team.path): team for team in self.staff.teams()}
        folders = [folder for folder in await self.store.read(_teams) if folder not in _paths(own)]
        return own + [await self._view(folder, at_hand.get(folder)) for folder in folders]

    async def team_named(self, folder: str | None) -> Team:
        """The room's own team without a name, else that of a session in the store.

        Raises `ConfigFault` for one that cannot be read or where there is none, and `NotFound`.
        """
        self.check_open()
        if self.team is not None and folder in (None, str(self.team.path)):
            return self.team
        if folder is None:
            raise ConfigFault("this room was opened without a team", remedy="open it with team=FOLDER")
        if not await self.store.read(Tx.has_team, folder):
            msg = f"no session is of the team {folder[-SHOWN_CHARS:]!r}"
            raise NotFound(msg, remedy="name one that `GET /api/v1/profiles` lists")
        self.agents.find(folder, "")  # reads the team, if nobody has yet
        found = next((team for team in self.staff.teams() if str(team.path) == folder), None)
        if found is None:
            raise self.agents.broken.get(folder) or NotFound(f"there is no team in {folder}")
        return found

    async def _view(self, folder: str, team: Team | None) -> TeamView:
        """Reading a team starts nothing of it, but it opens files."""
        try:
            found = team or await asyncio.to_thread(read_team, Path(folder), self._outfit)
        except Fault as fault:
            return broken_team(folder, fault)
        return team_view(found, is_own=False)


def folder_for(given: str | Path) -> str:
    """A directory that a session may work in: absolute, there, and named as it is called.

    Raises `BadFolder`. Links and `..` are refused rather than followed: what is shown is where work is done.
    """
    path = str(given)
    if not Path(path).is_absolute():
        raise BadFolder(f"the directory {path[:SHOWN_CHARS]!r} is not absolute", remedy="begin it with /")
    try:
        real = os.path.realpath(path, strict=True)
        is_folder = Path(real).is_dir()
    except (OSError, ValueError) as error:  # not there, not to be looked at, or a NUL in it
        raise BadFolder(f"there is no directory {path[-SHOWN_CHARS:]!r}", remedy="make it first") from error
    if not is_folder:
        raise BadFolder(f"{path[-SHOWN_CHARS:]!r} is no directory", remedy="name a directory")
    if real != path:
        raise BadFolder(f"{path[-SHOWN_CHARS:]!r} is called otherwise", remedy=f"name it {real}")
    return path


def _teams(tx: Tx) -> list[str]:
    found = list[str]()
    while len(found) < TEAMS_SHOWN and (folder := tx.team_behind(found[-1] if found else "")) is not None:
        found.append(folder)
    return found


def _paths(teams: list[TeamView]) -> set[str]:
    return {team.team for team in teams}
