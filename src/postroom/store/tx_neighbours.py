"""Sessions as other sessions see them, and what the log tells of how they stand."""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, PolicyKey, SessionKey, TurnKey
from postroom.store.tx_log import LogTx

PAUSED, ARCHIVED, IDLE = "paused", "archived", "idle"


class Neighbour(NamedTuple):
    """The agent that answers for a session, or one in it, with what others may see of it."""

    session: SessionKey
    session_id: str
    root: SessionKey
    policy: PolicyKey
    title: str
    cwd: str
    team: str
    """The folder that it was opened from."""
    origin: str
    is_fork: int
    last_active_us: int
    is_deleted: int
    branch: BranchKey
    parent_branch: BranchKey | None
    name: str
    """Empty where nobody has named it."""
    profile: str
    is_paused: int
    turn_state: str | None
    last_turn_state: str
    is_archived: int
    turns: int
    turn: TurnKey | None
    n_waiting: int
    """Messages of any kind in its mailbox."""

    @property
    def status(self) -> str:
        """The state of its turn, else how the last one ended; stopped by the person, or retired."""
        if self.is_archived and self.turn is None:
            return ARCHIVED
        if self.is_paused:
            return PAUSED
        return self.turn_state or self.last_turn_state or IDLE


class News(NamedTuple):
    """One entry of the log that is about how an agent stands, or about its mail."""

    pos: int
    session: SessionKey
    at_us: int
    kind: str
    branch: BranchKey | None
    sender: BranchKey | None
    """Of mail: the agent that wrote it."""


class NeighbourTx(LogTx):
    """Reading statements of those who look at others."""

    __slots__ = ()

    def neighbour_by_public_id(self, session_id: str) -> Neighbour | None:
        """The agent that the id of a session means."""
        return self._find("neighbour_by_public_id", Neighbour._make, session_id)

    def neighbour_of_branch(self, branch: int) -> Neighbour | None:
        """One agent, wherever it is, also in a session that was deleted."""
        return self._find("neighbour_of_branch", Neighbour._make, branch)

    def neighbours_in_place(self, place: str, active_us: int, session: int, limit: int) -> list[Neighbour]:
        """The agents of the sessions in one directory, behind a place in the order of activity."""
        found = self._all("neighbours_in_place", place, active_us, session, limit)
        return [Neighbour._make(row) for row in found]

    def neighbours_before(self, active_us: int, session: int, limit: int) -> list[Neighbour]:
        """The same for the sessions of all directories."""
        return self._each("neighbours_before", Neighbour._make, active_us, session, limit)

    def neighbours_made_by(self, branch: int, limit: int) -> list[Neighbour]:
        """The agents of the sessions that one agent has made."""
        return self._each("neighbours_made_by", Neighbour._make, branch, limit)

    def resident_neighbours(self, epoch: int, active_us: int, session: int, limit: int) -> list[Neighbour]:
        """The same for those that the process of an epoch holds in memory."""
        found = self._all("resident_neighbours", epoch, active_us, session, limit)
        return [Neighbour._make(row) for row in found]

    def n_open_asks(self, root: int, branch: int) -> int:
        """How much the person is asked for one agent of a tree."""
        return self._number("n_open_asks", root, branch)

    def news_after(self, pos: int, limit: int) -> list[News]:
        """What is told behind a place in the log of how agents stand, and of mail for them."""
        return self._each("news_after", News._make, pos, limit)

    def stand_before(self, session: int, pos: int, branch: int) -> tuple[str, str] | None:
        """(kind, state of an ended turn) of what was told last of an agent, up to a place in the log."""
        row = self._one("stand_before", session, pos, branch)
        return None if row is None else (str(row[0]), str(row[1] or ""))
