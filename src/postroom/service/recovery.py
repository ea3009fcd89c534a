"""A process starts: what a dead one left running is ended, and nothing waits for a lost doorbell.

On `tree` a turn cut by its host's death is `interrupted`: its calls get one result, its task is
reported, its mail is released and opens a new turn (product.md, When a turn does not end well).
A turn that only waits for an ask is not cut.
"""

import json
from dataclasses import dataclass, replace

from postroom.domain.ask import AskKind
from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, CallKey, SessionKey, TurnKey
from postroom.domain.task import Outcome
from postroom.domain.turn import LIVE_STATES, EndedBy, Turn, TurnState
from postroom.service.close import Ending, end
from postroom.service.facts import SEND_TOOL, AgentFacts, Directory, Ring, Waiting
from postroom.service.limits import Who, facts_of
from postroom.service.outbox import flush
from postroom.service.results import Report, report_task
from postroom.service.start import Started
from postroom.service.stops import unpark_all
from postroom.service.wake import in_line, wake
from postroom.store.rows import TurnRow
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A turn that goes on waiting for the person, and how it stands in line once it need not."""

    started: Started
    waiting: Waiting


def recover_turn(tx: Tx, turn: TurnKey, directory: Directory, *, runs: bool = True) -> Kept | None:
    """End one cut turn; doing it again finds nothing to end.

    A turn that only waits for the person is not cut: it is kept, for a process that `runs` turns.
    """
    row = tx.turn_row(turn)
    if row is None or row.state not in LIVE_STATES:
        return None
    if _waits_for_the_person(tx, row):
        if not runs:
            return None
        surface = tx.policy(row.policy).surface
        who = Who(team=row.team, profile=row.profile, surface=surface, limits=row.limits)
        if (facts := facts_of(directory, who)) is not None:
            return _keep(tx, row, facts)
    end(tx, row, Ending(state=TurnState.INTERRUPTED, reason=DEATH_REASON, ended_by=EndedBy.DEATH))
    return None


def close_turn(tx: Tx, turn: TurnKey) -> Ring:
    """The process closes in good order: what works is cut, what only waits for the person stays as it is."""
    row = tx.turn_row(turn)
    if row is None or row.state not in LIVE_STATES or _waits_for_the_person(tx, row):
        return Ring()
    return end(tx, row, Ending(state=TurnState.INTERRUPTED, reason=CLOSE_REASON, ended_by=EndedBy.DEATH))


def _waits_for_the_person(tx: Tx, row: TurnRow) -> bool:
    """Every wait is for an ask, and nothing else of the round has begun: leave is asked for first."""
    waits = tx.waits_of_branch(row.branch)
    asks = [ask for wait in waits if wait.ask and (ask := tx.ask_row(wait.ask)) is not None]
    if row.state != TurnState.SUSPENDED or not asks or len(asks) < len(waits):
        return False
    begun = [ask for ask in asks if ask.kind == AskKind.QUESTION]
    return not begun or len(begun) == len(tx.open_calls(row.turn))


def _keep(tx: Tx, row: TurnRow, facts: AgentFacts) -> Kept:
    """The turn with a new fence, its open calls, and the tools that it was given when it started."""
    tx.keep_turn(row)
    turn = Turn(
        key=row.turn, public_id=row.public_id, branch=row.branch, session=row.session, fence=row.fence + 1,
        chain=row.chain, task=row.task, rounds=row.rounds, rounds_max=row.rounds_max,
    )  # fmt: skip
    names: list[str] = json.loads(row.tools)
    started = Started(
        turn=turn, nodes=(), head_before=tx.head_of(row.branch), team=row.team, profile=row.profile,
        session_id=row.session_id, branch_id=row.branch_id, cwd=row.cwd, ring=Ring(), root=row.root,
        overlay=tx.tree_rights(row.root).overlay, policy=tx.policy(row.policy),
        facts=replace(facts, tools=row.tools, exposes_mail=SEND_TOOL in names),
        calls=tuple(tx.calls_to_go_on(row.turn)), needs_leave=_needs_leave(tx, row),
    )  # fmt: skip
    return Kept(started=started, waiting=in_line(tx, row))


def _needs_leave(tx: Tx, row: TurnRow) -> CallKey | None:
    for wait in tx.waits_of_branch(row.branch):
        ask = tx.ask_row(wait.ask) if wait.ask else None
        if ask is not None and ask.kind == AskKind.APPROVAL:
            return wait.call
    return None


def sweep(tx: Tx, directory: Directory) -> list[Waiting]:
    """Let go what is held and has leave, open what a start of the process opens, and name every turn that
    waits for a slot.
    """
    ring = Ring()
    for branch in tx.holding_branches():
        flush(tx, ring, branch, directory)
    for branch in tx.parked_branches():
        unpark_all(tx, ring, BranchKey(branch))
    for branch in tx.runnable_branches():
        wake(tx, ring, BranchKey(branch))
    rows = (tx.turn_row(turn) for turn, _, _ in tx.waiting_turns())
    return [in_line(tx, row) for row in rows if row is not None]
