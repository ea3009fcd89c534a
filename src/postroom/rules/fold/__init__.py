"""The log is the record (G12): folding the events of a store gives its tables.

`apply` takes one event, `fold` any number of them in the order of `pos`. One session's log can be
folded alone; only its chains, which belong to a whole tree, are then those that it has charged.

The fold knows nothing of how the tables are written, so that it finds what the writing forgot. It
shares one thing with it, `rules.lifecycle`: which moves are legal and what a delivery counts for.
"""

from collections.abc import Callable, Iterable

from postroom.domain.event import Event, EventKind
from postroom.rules.fold import asks, buses, goals, mail, paths, shelf, tasks, todos, tokens, turns, work
from postroom.rules.fold.state import Break, Facts, Folded, Tables

__all__ = ["Break", "Folded", "Tables", "apply", "fold"]


def fold(events: Iterable[Event]) -> Folded:
    """The tables that these events give; what cannot be folded is listed in `breaks`."""
    state = Folded()
    for event in events:
        apply(state, event)
    return state


def apply(state: Folded, event: Event) -> None:
    """Fold one more event. One that does not follow changes no table and leaves a break."""
    expected = state.seqs.get(event.session, 0) + 1
    if event.seq != expected:
        _break(state, event, f"number {event.seq} stands where {expected} should")
    state.seqs[event.session] = event.seq
    step = _STEPS.get(event.kind)
    if step is None:
        return
    try:
        step(state, Facts(event.payload))
        if event.kind in _ACTIVE:
            _touch(state, event)
    except ValueError as error:
        _break(state, event, f"{event.kind}: {error}")


def _touch(state: Folded, event: Event) -> None:
    """Something goes on in a session."""
    if (row := state.sessions.get(event.session)) is not None:
        state.sessions[event.session] = row._replace(last_active_us=event.ts_us)


def _break(state: Folded, event: Event, what: str) -> None:
    state.breaks.append(Break(pos=event.pos, session=event.session, seq=event.seq, what=what))


_ACTIVE = frozenset({EventKind.SESSION_CREATED, EventKind.TURN_WAITING, EventKind.TURN_ENDED})
"""Kinds at which a session is active: the only ones whose time is in a table that the fold gives."""
_STEPS: dict[str, Callable[[Folded, Facts], None]] = {
    EventKind.SESSION_CREATED: turns.made,
    EventKind.MESSAGE_SENT: mail.sent,
    EventKind.MESSAGE_ACCEPTED: mail.accepted,
    EventKind.MESSAGE_HELD: mail.held,
    EventKind.MESSAGE_DELIVERED: mail.delivered,
    EventKind.MESSAGE_CLAIMED: mail.claimed,
    EventKind.MESSAGE_RELEASED: mail.released,
    EventKind.MESSAGE_PLACED: mail.placed,
    EventKind.MESSAGE_UNPARKED: mail.unparked,
    EventKind.MESSAGE_CONSUMED: mail.consumed,
    EventKind.MESSAGE_DISCARDED: mail.discarded,
    EventKind.MESSAGE_UNDELIVERED: buses.undelivered,
    EventKind.BUS_OPENED: buses.opened,
    EventKind.READER_OPENED: buses.reader_opened,
    EventKind.BUS_POSTED: buses.posted,
    EventKind.BUS_READ: buses.read,
    EventKind.BUS_CLOSED: buses.closed,
    EventKind.TURN_GREW: buses.grew,
    EventKind.CHAIN_BEGAN: turns.began,
    EventKind.TURN_WAITING: turns.waiting,
    EventKind.TURN_STARTED: turns.started,
    EventKind.TURN_SUSPENDED: turns.suspended,
    EventKind.TURN_RESUMED: turns.resumed,
    EventKind.TURN_KEPT: turns.kept,
    EventKind.TURN_ENDED: turns.ended,
    EventKind.TURN_DEEPENED: turns.deepened,
    EventKind.TURN_FANNED_OUT: turns.fanned_out,
    EventKind.TURN_EXTENDED: turns.extended,
    EventKind.TURN_CAPPED: turns.capped,
    EventKind.TURN_REVIEWED: turns.reviewed,
    EventKind.TURN_CARRIED_ON: turns.carried_on,
    EventKind.ANSWER_COMMITTED: turns.answered,
    EventKind.CALL_WAITING: turns.call_waits,
    EventKind.CALL_WENT_ON: turns.call_went_on,
    EventKind.CALL_CHANGED: turns.call_changed,
    EventKind.CALL_ENDED: turns.call_ended,
    EventKind.NODES_APPENDED: turns.appended,
    EventKind.TASK_QUEUED: tasks.queued,
    EventKind.TASK_LINED_UP: tasks.lined_up,
    EventKind.TASK_STARTED: tasks.started,
    EventKind.TASK_ENDED: tasks.ended,
    EventKind.SIDE_CALL_MADE: turns.side_called,
    EventKind.WORK_BEGAN: work.began,
    EventKind.WORK_ENDED: work.ended,
    EventKind.TIMER_SET: work.timer_set,
    EventKind.TIMER_ENDED: work.timer_ended,
    EventKind.ASK_OPENED: asks.opened,
    EventKind.ASK_ENDED: asks.ended,
    EventKind.GRANT_GIVEN: asks.granted,
    EventKind.GRANT_REVOKED: asks.revoked,
    EventKind.MODE_CHANGED: asks.mode_changed,
    EventKind.ATTENDED_CHANGED: asks.attended_changed,
    EventKind.OVERLAY_CHANGED: asks.overlay_changed,
    EventKind.GOAL_SET: goals.given,
    EventKind.GOAL_CHANGED: goals.changed,
    EventKind.GOAL_REMINDED: goals.reminded,
    EventKind.GOAL_MOVED: goals.moved,
    EventKind.TODO_CHANGED: todos.changed,
    EventKind.SESSION_FORKED: paths.forked,
    EventKind.BRANCH_MADE: paths.branch_made,
    EventKind.BRANCH_REVERTED: paths.reverted,
    EventKind.CONTEXT_COMPACTED: paths.compacted,
    EventKind.BRANCH_NAMED: shelf.named,
    EventKind.BRANCH_ARCHIVED: shelf.archived,
    EventKind.BRANCH_MERGED: shelf.merged,
    EventKind.SESSION_DELETED: shelf.deleted,
    EventKind.SESSION_PRUNED: shelf.pruned,
    EventKind.BRANCH_PAUSED: turns.paused,
    EventKind.BRANCH_UNPAUSED: turns.unpaused,
    EventKind.PERSON_NOTIFIED: turns.notified,
    EventKind.NOTICE_SEEN: turns.notice_seen,
    EventKind.PROCESS_STARTED: turns.process_started,
    EventKind.TOKEN_ADDED: tokens.added,
    EventKind.TOKEN_REVOKED: tokens.revoked,
    EventKind.BRANCH_LOADED: turns.loaded,
    EventKind.BRANCH_EVICTED: turns.evicted,
}
"""Every kind that changes a table; the others (`message.refused` and the like) are only told."""
