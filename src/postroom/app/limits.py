"""What a chain may spend that begins now, by the settings of its session's team as they are at this moment.

The settings are read again when one of their files has changed: what a person sets holds from the next chain
on, also of sessions that exist, and also while a process runs (OP-97).
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from postroom.app.outfit import Outfit
from postroom.config import read_layer_under_teams
from postroom.domain.chain import ChainLimits, limits_of
from postroom.domain.policy import Policy
from postroom.errors import ConfigFault
from postroom.profiles.located import empty_table
from postroom.profiles.stamp import NO_FILE, Stamp, stamp_of
from postroom.profiles.team import SETTINGS_FILE, Team, read_team_policy


class _Known(NamedTuple):
    """What was read last, and from which state of the files."""

    stamps: tuple[Stamp, ...]
    policy: Policy | None


class PresentLimits:
    """The limits of every team. Asked inside transactions: it never raises, and reads as little as it can."""

    def __init__(self, outfit: Outfit, teams: Callable[[], tuple[Team, ...]]) -> None:
        self._config = outfit.config
        self._teams = teams
        # What a program hands over counts, whatever its folder says, until somebody changes the folder.
        self._known = {str(t.path): _Known(self._stamps(t.path), t.policy) for t in teams()}

    def __call__(self, team: str, surface: str) -> ChainLimits | None:
        """By a team's folder; nothing where nobody knows, or where it has another surface now."""
        policy = self._policy(Path(team))
        return None if policy is None or policy.surface != surface else limits_of(policy)

    def _policy(self, folder: Path) -> Policy | None:
        stamps = self._stamps(folder)
        known = self._known.get(str(folder))
        if stamps[0] == NO_FILE:
            return self._given(folder)
        if known is None or known.stamps != stamps:
            known = self._known[str(folder)] = _Known(stamps, self._read(folder))
        return known.policy

    def _stamps(self, folder: Path) -> tuple[Stamp, ...]:
        return tuple(stamp_of(one) for one in (folder / SETTINGS_FILE, *self._persons_files()))

    def _persons_files(self) -> tuple[Path, ...]:
        return () if self._config is None else (Path(self._config.under_team.file),)

    def _read(self, folder: Path) -> Policy | None:
        """As the files say; while one of them is broken, as they were before."""
        nothing = empty_table("")
        try:
            under = nothing if self._config is None else read_layer_under_teams(self._persons_files()[0])
            return read_team_policy(
                folder, under=under, over=nothing if self._config is None else self._config.over_team
            )
        except ConfigFault:
            known = self._known.get(str(folder))
            return known.policy if known is not None else self._given(folder)

    def _given(self, folder: Path) -> Policy | None:
        """Of a team that a program has put together, or that was read before its folder went."""
        return next((team.policy for team in self._teams() if team.path == folder), None)
