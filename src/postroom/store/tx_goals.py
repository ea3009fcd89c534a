"""Goals: the statements, with their events."""

from postroom.domain.goal import Goal
from postroom.store.tx_log import LogTx


class GoalTx(LogTx):
    """Goals in the store."""

    __slots__ = ()

    def open_goal(self, branch: int) -> Goal | None:
        """The goal that an agent works on, active or paused."""
        row = self._one("open_goal", branch)
        return None if row is None else Goal._make(row)
