"""What must hold between rows, whatever the log says: nobody waits for ever, nothing is read twice."""

from collections.abc import Iterator

from postroom.domain.ask import AskState
from postroom.domain.message import State
from postroom.domain.task import FINAL_STATES
from postroom.domain.turn import OPEN_STATES, CallState
from postroom.observe.doctor_compare import unmended
from postroom.observe.doctor_paths import Paths
from postroom.observe.doctor_report import Diagnosis, Finding
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
            finding = Finding(
                code="open_call", table="call", key=str(key), expected="ended with its turn", found="open",
                mendable=True,
            )  # fmt: skip
            yield Diagnosis(finding, close_round(call.turn))


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
    finding = Finding(
        code=code, table="delivery", key=str(key), expected=expected,
        found=f"turn={row.turn} node={row.node}", mendable=True,
    )  # fmt: skip
    return Diagnosis(finding, release_claim(row.message, key))


def _places(truth: Tables, paths: Paths) -> Iterator[Diagnosis]:
    """What was read, and what has a node, stands in its recipient's conversation."""
    for key, row in truth.deliveries.items():
        on_path = row.node is not None and paths.holds(row)
        if row.state == State.CONSUMED and not on_path:
            yield unmended("message_lost", "delivery", key, "a node in the conversation", f"node={row.node}")
        elif row.node is not None and not on_path:
            yield unmended(
                "node_astray", "delivery", key, f"a node of branch {row.branch}", f"node={row.node}"
            )


def _wakes(truth: Tables) -> Iterator[Diagnosis]:
    """Unread mail that may open a turn has one that waits, unless the person stopped the branch."""
    for key, row in truth.branches.items():
        unread = row.n_steer + row.n_queue
        if unread > 0 and row.turn is None and row.paused_by is None:
            finding = Finding(
                code="missing_wake", table="branch", key=str(key), expected="a waiting turn",
                found=f"{unread} unread and no turn", mendable=True,
            )  # fmt: skip
            yield Diagnosis(finding, open_turn(key))


def _tasks(truth: Tables) -> Iterator[Diagnosis]:
    """A task that has not ended has a turn that runs it or will, or unread mail that opens one (I6)."""
    unread = {d.message for d in truth.deliveries.values() if d.state in _UNREAD}
    for key, row in truth.tasks.items():
        runs = row.turn is not None and _is_alive(truth, row.turn)
        if row.state not in FINAL_STATES and not runs and key not in unread:
            finding = Finding(
                code="stuck_task", table="task", key=str(key), mendable=True,
                found=f"{row.state}, and neither",
                expected="a turn, or unread mail that opens one",
            )  # fmt: skip
            yield Diagnosis(finding, end_task(key))


def _buses(truth: Tables) -> Iterator[Diagnosis]:
    """A bus is open while the turn is alive that opened it."""
    for key, row in truth.buses.items():
        if not row.closed and not _is_alive(truth, row.turn):
            finding = Finding(
                code="open_bus", table="bus", key=str(key), found="open", mendable=True,
                expected="closed with its turn",
            )  # fmt: skip
            yield Diagnosis(finding, end_bus(key))


def _asks(truth: Tables) -> Iterator[Diagnosis]:
    """An open ask belongs to a call that still waits, or to a held message: nobody is asked for nothing."""
    held = {(d.message, d.branch) for d in truth.deliveries.values() if d.state == State.HELD}
    for key, row in truth.asks.items():
        call = truth.calls.get(row.call)
        waits = _is_alive(truth, row.turn) and call is not None and call.state == CallState.OPEN
        if row.message is not None:
            waits = (row.message, row.recipient) in held
        if row.state == AskState.OPEN and not waits:
            finding = Finding(
                code="stuck_ask", table="ask", key=str(key), found="open, and no call waits", mendable=True,
                expected="an open call of a living turn",
            )  # fmt: skip
            yield Diagnosis(finding, withdraw_ask(key))


def _held(truth: Tables) -> Iterator[Diagnosis]:
    """What the person has refused, or is asked for no more, does not lie with its sender for ever."""
    refused = {
        (ask.message, ask.recipient)
        for ask in truth.asks.values()
        if ask.state in _REFUSED and ask.message is not None
    }
    for key, row in truth.deliveries.items():
        if row.state == State.HELD and (row.message, row.branch) in refused:
            finding = Finding(
                code="stuck_held", table="delivery", key=str(key), found="held", mendable=True,
                expected="discarded, as its ask was not approved",
            )  # fmt: skip
            yield Diagnosis(finding, drop_held(row.message, row.branch))


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
