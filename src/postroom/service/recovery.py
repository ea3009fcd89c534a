"""A process starts: what a dead one left running is ended or goes on; nothing waits for a lost doorbell.

By policy a turn cut by its host's death is `interrupted`: its calls get one result, its task is reported,
its mail is released and opens a new turn (product.md, When a turn does not end well). Or another process
goes on with it (`carried`). A turn that only waits for an ask is not cut.
"""

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, SessionKey, TurnKey
from postroom.domain.task import Outcome
from postroom.domain.turn import LIVE_STATES, EndedBy, TurnState
from postroom.service.carried import Kept, carry_on, may_be_carried_on, waits_for_the_person
from postroom.service.close import Ending, end
from postroom.service.facts import Directory, Ring, Waiting
from postroom.service.limits import Who, facts_of
from postroom.service.outbox import flush_all
from postroom.service.results import Report, report_task
from postroom.service.stops import unpark_all
from postroom.service.wake import in_line, wake
from postroom.store.tx import Tx

STORE_LOG = SessionKey(0)
"""The log of what concerns the store and no session."""
DEATH_REASON = "the process ended"
CLOSE_REASON = "the process was closed"


def begin_epoch(tx: Tx) -> list[TurnKey]:
    """Count this start, and list the turns that the process before left alive."""
    epoch = int(tx.meta_value("epoch") or 0) + 1
    tx.set_meta("epoch", str(epoch))
    tx.event(STORE_LOG, EventKind.PROCESS_STARTED, f'{{"epoch":{epoch}}}')
    _end_orphans(tx)
    return [TurnKey(t) for t in tx.live_turns()]


def _end_orphans(tx: Tx) -> None:
    """Tasks that are said to run, and no turn that is alive runs them: what a broken process has left.

    Those of cut turns end with their turns (OP-68).
    """
    for task, turn in tx.running_tasks():
        found = None if turn is None else tx.turn_state(turn)
        if found is None or found[0] not in LIVE_STATES:
            report_task(tx, Ring(), task, Report(outcome=Outcome.INTERRUPTED, cause=DEATH_REASON))


def recover_turn(tx: Tx, turn: TurnKey, directory: Directory, *, runs: bool = True) -> Kept | None:
    """Go on with one cut turn where its policy says so, else end it; doing it again finds nothing to do.

    A turn that only waits for the person is not cut: it is kept. For both a process must be one that `runs`
    turns; another leaves them as they are.
    """
    row = tx.turn_row(turn)
    if row is None or row.state not in LIVE_STATES:
        return None
    if waits_for_the_person(tx, row) or may_be_carried_on(tx, row):
        if not runs:
            return None
        surface = tx.policy(row.policy).surface
        who = Who(team=row.team, profile=row.profile, surface=surface, limits=row.limits)
        if (facts := facts_of(directory, who)) is not None:
            return carry_on(tx, row, facts)
    end(tx, row, Ending(state=TurnState.INTERRUPTED, reason=DEATH_REASON, ended_by=EndedBy.DEATH))
    return None


def close_turn(tx: Tx, turn: TurnKey) -> Ring:
    """The process closes in good order: what works is cut, what the next one goes on with stays as it is."""
    row = tx.turn_row(turn)
    if row is None or row.state not in LIVE_STATES or waits_for_the_person(tx, row):
        return Ring()
    if may_be_carried_on(tx, row):
        return Ring()
    return end(tx, row, Ending(state=TurnState.INTERRUPTED, reason=CLOSE_REASON, ended_by=EndedBy.DEATH))


def sweep(tx: Tx, directory: Directory) -> list[Waiting]:
    """Let go what is held and may go, open what a start of the process opens, and name every turn that
    waits for a slot.
    """
    ring = Ring()
    flush_all(tx, ring, directory)
    for branch in tx.parked_branches():
        unpark_all(tx, ring, BranchKey(branch), as_person=False)
    for branch in tx.runnable_branches():
        wake(tx, ring, BranchKey(branch))
    rows = (tx.turn_row(turn) for turn, _, _ in tx.waiting_turns())
    return [in_line(tx, row) for row in rows if row is not None]
