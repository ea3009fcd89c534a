"""One transaction, as the plain functions of the service see it: named statements and no decisions.

A transaction function is synchronous; it cannot wait, be cancelled half way, or call a model, and it
can be run again whole. It decides before it writes; a refusal is a returned value. Every function
that writes for a turn calls `own` first: a stale fence may write nothing (G7).
"""

from postroom.domain.turn import LIVE_STATES
from postroom.errors import StaleFence
from postroom.store.rows import TurnRow
from postroom.store.tx_addresses import AddressTx
from postroom.store.tx_asks import AskTx
from postroom.store.tx_board import BoardTx
from postroom.store.tx_branches import BranchTx
from postroom.store.tx_bus import BusTx
from postroom.store.tx_calls import CallTx
from postroom.store.tx_contexts import ContextTx
from postroom.store.tx_doctor import DoctorTx
from postroom.store.tx_goals import GoalTx
from postroom.store.tx_graph import GraphTx
from postroom.store.tx_held import HeldTx
from postroom.store.tx_letters import LetterTx
from postroom.store.tx_lists import ListTx
from postroom.store.tx_neighbours import NeighbourTx
from postroom.store.tx_pages import PageTx
from postroom.store.tx_paths import PathTx
from postroom.store.tx_prune import PruneTx
from postroom.store.tx_rosters import RosterTx
from postroom.store.tx_sessions import SessionTx
from postroom.store.tx_tasks import TaskTx
from postroom.store.tx_timeline import TimelineTx
from postroom.store.tx_todos import TodoTx
from postroom.store.tx_tokens import TokenTx
from postroom.store.tx_transcript import TranscriptTx
from postroom.store.tx_turns import TurnTx
from postroom.store.tx_views import ViewTx
from postroom.store.tx_waits import WaitTx
from postroom.store.tx_why import WhyTx
from postroom.store.tx_words import WordsTx
from postroom.store.tx_work import WorkTx


class Tx(
    HeldTx,
    LetterTx,
    RosterTx,
    AddressTx,
    BranchTx,
    BusTx,
    TurnTx,
    TaskTx,
    CallTx,
    WaitTx,
    SessionTx,
    WorkTx,
    AskTx,
    GoalTx,
    PathTx,
    PageTx,
    ContextTx,
    ListTx,
    NeighbourTx,
    TodoTx,
    TokenTx,
    PruneTx,
    WordsTx,
    ViewTx,
    TimelineTx,
    WhyTx,
    GraphTx,
    BoardTx,
    TranscriptTx,
    DoctorTx,
):
    """Everything a transaction function may ask or write."""

    def owned(self, turn: int, fence: int) -> TurnRow:
        """The turn with its branch and session; raises `StaleFence` as `own` does."""
        row = self.turn_row(turn)
        if row is None or row.fence != fence or row.state not in LIVE_STATES:
            raise _stale(turn, fence)
        return row

    def own(self, turn: int, fence: int) -> None:
        """Raise `StaleFence` unless this turn is alive and this is its fence."""
        found = self.turn_state(turn)
        if found is None or found[1] != fence or found[0] not in LIVE_STATES:
            raise _stale(turn, fence)


def _stale(turn: int, fence: int) -> StaleFence:
    return StaleFence(f"turn {turn} with fence {fence} no longer owns its branch")
