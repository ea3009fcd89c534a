"""What must hold between rows, whatever the log says: nobody waits for ever, nothing is read twice."""

from collections.abc import Iterator

from postroom.domain.ask import AskState
from postroom.domain.message import State
from postroom.domain.task import FINAL_STATES
from postroom.domain.turn import OPEN_STATES, CallState
from postroom.observe.doctor_paths import Paths
from postroom.observe.doctor_report import Diagnosis, diagnosis
from postroom.observe.doctor_treat import (
    close_round,
    drop_held,
    end_bus,
    end_task,
    open_turn,
    release_claim,
    withdraw_ask,
)
from postroom.rules.fold import Tables, rows

_UNREAD = (State.HELD, State.ACCEPTED, State.CLAIMED)
_REFUSED = (AskState.DENIED, AskState.EXPIRED, AskState.WITHDRAWN)


def check(truth: Tables, paths: Paths) -> Iterator[Diagnosis]:
    """Every invariant, in the order in which what it finds is to be mended."""
    yield from paths.diagnoses
    yield from _open_calls(truth)
    yield from _claims(truth)
    yield from _places(truth, paths)
    yield from _wakes(truth)
    yield from _tasks(truth)
    yield from _buses(truth)
    yield from _asks(truth)
    yield from _held(truth)


def _open_calls(truth: Tables) -> Iterator[Diagnosis]:
    """No call of a turn that is over waits for its result."""
    for key, call in truth.calls.items():
        if call.state == CallState.OPEN and not _is_alive(truth, call.turn):
            yield diagnosis("open_call", "call", key, "ended with its turn", "open", close_round(call.turn))


def _claims(truth: Tables) -> Iterator[Diagnosis]:
    """A claim belongs to a turn that is alive, and has a node or the call that returned it."""
    returned = {call.delivery for call in truth.calls.values() if call.delivery is not None}
    for key, row in truth.deliveries.items():
        if row.state != State.CLAIMED:
            continue
        if row.turn is None or not _is_alive(truth, row.turn):
            yield _claim("orphaned_claim", key, row, "claimed by a living turn")
        elif row.node is None and key not in returned:
            yield _claim("claim_without_place", key, row, "a node, or the call that returned it")


def _claim(code: str, key: int, row: rows.Delivery, expected: str) -> Diagnosis:
    found = f"turn={row.turn} node={row.node}"
    return diagnosis(code, "delivery", key, expected, found, release_claim(row.message, key))


def _places(truth: Tables, paths: Paths) -> Iterator[Diagnosis]:
    """What was read, and what has a node, stands in its recipient's conversation."""
    for key, row in truth.deliveries.items():
        on_path = row.node is not None and paths.holds(row)
        if row.state == State.CONSUMED and not on_path:
            yield diagnosis("message_lost", "delivery", key, "a node in the conversation", f"node={row.node}")
        elif row.node is not None and not on_path:
            yield diagnosis(
                "node_astray", "delivery", key, f"a node of branch {row.branch}", f"node={row.node}"
            )


def _wakes(truth: Tables) -> Iterator[Diagnosis]:
    """Unread mail that may open a turn has one that waits, unless the person stopped the branch."""
    for key, row in truth.branches.items():
        unread = row.n_steer + row.n_queue
        if unread > 0 and row.turn is None and row.paused_by is None:
            expected = "a waiting turn"
            yield diagnosis(
                "missing_wake", "branch", key, expected, f"{unread} unread and no turn", open_turn(key)
            )


def _tasks(truth: Tables) -> Iterator[Diagnosis]:
    """A task that has not ended has a turn that runs it or will, or unread mail that opens one (I6)."""
    unread = {d.message for d in truth.deliveries.values() if d.state in _UNREAD}
    for key, row in truth.tasks.items():
        runs = row.turn is not None and _is_alive(truth, row.turn)
        if row.state not in FINAL_STATES and not runs and key not in unread:
            expected = "a turn, or unread mail that opens one"
            yield diagnosis("stuck_task", "task", key, expected, f"{row.state}, and neither", end_task(key))


def _buses(truth: Tables) -> Iterator[Diagnosis]:
    """A bus is open while the turn is alive that opened it."""
    for key, row in truth.buses.items():
        if not row.closed and not _is_alive(truth, row.turn):
            yield diagnosis("open_bus", "bus", key, "closed with its turn", "open", end_bus(key))


def _asks(truth: Tables) -> Iterator[Diagnosis]:
    """An open ask belongs to a call that still waits, or to a held message: nobody is asked for nothing."""
    held = {(d.message, d.branch) for d in truth.deliveries.values() if d.state == State.HELD}
    for key, row in truth.asks.items():
        call = truth.calls.get(row.call)
        waits = _is_alive(truth, row.turn) and call is not None and call.state == CallState.OPEN
        if row.message is not None:
            waits = (row.message, row.recipient) in held
        if row.state == AskState.OPEN and not waits:
            expected = "an open call of a living turn"
            yield diagnosis("stuck_ask", "ask", key, expected, "open, and no call waits", withdraw_ask(key))


def _held(truth: Tables) -> Iterator[Diagnosis]:
    """What the person has refused, or is asked for no more, does not lie with its sender for ever."""
    refused = {
        (ask.message, ask.recipient)
        for ask in truth.asks.values()
        if ask.state in _REFUSED and ask.message is not None
    }
    for key, row in truth.deliveries.items():
        if row.state == State.HELD and (row.message, row.branch) in refused:
            expected = "discarded, as its ask was not approved"
            yield diagnosis(
                "stuck_held", "delivery", key, expected, "held", drop_held(row.message, row.branch)
            )


def _is_alive(truth: Tables, turn: int) -> bool:
    row = truth.turns.get(turn)
    return row is not None and row.state in OPEN_STATES


def lost_messages(truth: Tables, paths: Paths) -> set[int]:
    """Messages that count as read and stand in no conversation of their recipient."""
    return {
        row.message
        for row in truth.deliveries.values()
        if row.state == State.CONSUMED and not paths.holds(row)
    }
