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
        own = None if self.team is None else str(self.team.path)
        others = [folder for folder in await self.store.read(_teams) if folder != own]
        folders = others if own is None else [own, *others]
        return [await self._view(folder, is_own=folder == own) for folder in folders]

    async def team_named(self, folder: str | None) -> Team:
        """The room's own team without a name, else that of a session in the store: as its folder is now.

        Raises `ConfigFault` for one that cannot be read or where there is none, and `NotFound`.
        """
        self.check_open()
        own = None if self.team is None else str(self.team.path)
        if (asked := folder or own) is None:
            raise ConfigFault("this room was opened without a team", remedy="open it with team=FOLDER")
        if asked != own and not await self.store.read(Tx.has_team, asked):
            msg = f"no session is of the team {asked[-SHOWN_CHARS:]!r}"
            raise NotFound(msg, remedy="name one that `GET /api/v1/profiles` lists")
        await self._look_into(asked)
        self.agents.find(asked, "")  # reads the team, if nobody has yet
        if (found := self.staff.team_in(asked)) is None:
            raise self.agents.broken.get(asked) or NotFound(f"there is no team in {asked}")
        return found

    async def take_up(self, folder: str) -> None:
        """A conversation of a team goes on: as its folder is now, or as it was while that is broken.

        What is wrong with it is among the troubles from then on, until it is mended.
        """
        try:
            await self._look_into(folder)
        except Fault as fault:
            self.agents.broken[folder] = fault

    async def _look_into(self, folder: str) -> None:
        was_broken = self.agents.look_again(folder)
        if await self.staff.renew(folder) or was_broken:
            await self.office.try_held()

    async def _view(self, folder: str, *, is_own: bool) -> TeamView:
        """Reading a team starts nothing of it, but it opens files."""
        try:
            await self._look_into(folder)
            found = self.staff.team_in(folder) or await asyncio.to_thread(
                read_team, Path(folder), self._outfit
            )
        except Fault as fault:
            return broken_team(folder, fault, is_own=is_own)
        return team_view(found, is_own=is_own)


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
