"""What the bus reads of the places where something happens, and the turns that a gate keeps from ending."""

import json
from typing import NamedTuple

from postroom.domain.event import Event, EventKind
from postroom.store.rows import TurnRow
from postroom.store.tx_log import LogTx


class BranchPlace(NamedTuple):
    """Where an agent is; `label` is its handle, its name or its profile."""

    session_id: str
    branch_id: str
    label: str
    profile: str


class TurnPlace(NamedTuple):
    """A turn as the bus names it."""

    public_id: str
    branch: int
    trigger: str
    ran: int
    """Of a turn that has ended: whether it has ever run."""


class BusTx(LogTx):
    """Places, and turns that go on."""

    __slots__ = ()

    def branch_place(self, branch: int) -> BranchPlace:
        """Where an agent is."""
        return self._known("branch_place", "branch", lambda row: BranchPlace._make(map(str, row)), branch)

    def turn_place(self, turn: int) -> TurnPlace:
        """A turn by its key."""
        return self._known("turn_place", "turn", TurnPlace._make, turn)

    def answers_of_turn(self, turn: int) -> list[Event]:
        """What each answer of a turn has cost."""
        return self._each("answers_of_turn", Event._make, turn)

    def extend_turn(self, row: TurnRow, hook: str, message: int) -> int:
        """A gate keeps a turn from ending; how often that has happened in it by now."""
        asks = row.stop_asks + 1
        self._do("extend_turn", asks, row.turn)
        event = {"turn": row.turn, "asks": asks, "hook": hook, "message": message}
        self.event(row.session, EventKind.TURN_EXTENDED, json.dumps(event), turn=row.turn)
        return asks
