"""A process starts: what a dead one left running is ended, and nothing waits for a lost doorbell.

On `tree` a turn cut by its host's death is `interrupted`: its calls get one result, its task is
reported, its mail is released and opens a new turn (product.md, When a turn does not end well).
"""

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, SessionKey, TurnKey
from postroom.domain.turn import LIVE_STATES, EndedBy, TurnState
from postroom.service.close import Ending, end
from postroom.service.facts import Ring, Waiting
from postroom.service.stops import unpark_all
from postroom.service.wake import wake
from postroom.store.tx import Tx

STORE_LOG = SessionKey(0)
"""The log of what concerns the store and no session."""
DEATH_REASON = "the process ended"


def begin_epoch(tx: Tx) -> list[TurnKey]:
    """Count this start, and list the turns that the process before left alive."""
    epoch = int(tx.meta_value("epoch") or 0) + 1
    tx.set_meta("epoch", str(epoch))
    tx.event(STORE_LOG, EventKind.PROCESS_STARTED, f'{{"epoch":{epoch}}}')
    return [TurnKey(t) for t in tx.live_turns()]


def recover_turn(tx: Tx, turn: TurnKey) -> Ring:
    """End one cut turn; doing it again finds nothing to end."""
    row = tx.turn_row(turn)
    if row is None or row.state not in LIVE_STATES:
        return Ring()
    return end(tx, row, Ending(state=TurnState.INTERRUPTED, reason=DEATH_REASON, ended_by=EndedBy.DEATH))


def sweep(tx: Tx) -> list[Waiting]:
    """Open what a start of the process opens, and name every turn that waits for a slot."""
    ring = Ring()
    for branch in tx.parked_branches():
        unpark_all(tx, ring, BranchKey(branch))
    for branch in tx.runnable_branches():
        wake(tx, ring, BranchKey(branch))
    return [
        Waiting(TurnKey(turn), root, tx.policy(tx.session_row(SessionKey(root)).policy).concurrency)
        for turn, _, root in tx.waiting_turns()
    ]
