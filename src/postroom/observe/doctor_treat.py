"""Mends that are changes of their own and write their own events, by the service's functions.

Each looks again at what it is about to change, so running it twice, or after another one, is harmless.
"""

from collections.abc import Callable

from postroom.domain.ask import AskState
from postroom.domain.keys import BranchKey, MessageKey
from postroom.domain.message import Reason, State
from postroom.domain.task import Outcome
from postroom.domain.turn import LIVE_STATES, EndedBy, TurnState
from postroom.service.bus_close import close_bus
from postroom.service.close import append_results
from postroom.service.facts import Ring
from postroom.service.outbox import drop
from postroom.service.results import Report, report_task
from postroom.service.wake import wake
from postroom.store.tx import Tx

GONE = "the turn that ran it is gone"


def release_claim(message: int, delivery: int) -> Callable[[Tx], None]:
    """The claim of a turn that is over goes back to the mailbox; its node stays where it is.

    What was taken of a bus lay in no mailbox: it ends.
    """

    def mend(tx: Tx) -> None:
        for item in tx.deliveries_of_message(message):
            if item.delivery.key == delivery and item.delivery.state is State.CLAIMED:
                session = tx.branch_row(item.delivery.recipient).session
                is_on_bus = tx.post_row(message) is not None
                released = tx.release(session, item.delivery, parked=is_on_bus)
                if is_on_bus:
                    tx.leave_undelivered(session, released)

    return mend


def open_turn(branch: int) -> Callable[[Tx], None]:
    """The turn that unread mail waits for."""
    return lambda tx: _wake(tx, branch)


def _wake(tx: Tx, branch: int) -> None:
    wake(tx, Ring(), BranchKey(branch))


def end_bus(bus: int) -> Callable[[Tx], None]:
    """A bus whose turn is over is closed as after the death of its process: what is unread is told."""

    def mend(tx: Tx) -> None:
        found = tx.bus_row(bus)
        row = tx.turn_row(found.turn) if found is not None else None
        if found is not None and row is not None and found.closed_us is None:
            close_bus(tx, row, found, TurnState.INTERRUPTED)

    return mend


def end_task(task: int) -> Callable[[Tx], None]:
    """A task that nobody runs and nobody will run ends interrupted, and its dispatcher is told."""
    report = Report(outcome=Outcome.INTERRUPTED, cause=GONE)
    return lambda tx: report_task(tx, Ring(), MessageKey(task), report)


def withdraw_ask(ask: int) -> Callable[[Tx], None]:
    """An ask that no turn waits for any more is not the person's to decide."""

    def mend(tx: Tx) -> None:
        row = tx.ask_row(ask)
        if row is not None:
            tx.end_ask(row, AskState.WITHDRAWN, "system")

    return mend


def drop_held(message: int, recipient: int) -> Callable[[Tx], None]:
    """A held message that may never go ends, and its sender is told."""

    def mend(tx: Tx) -> None:
        if (item := tx.held_of_message(message, recipient)) is not None:
            drop(tx, Ring(), item, Reason.WITHDRAWN)

    return mend


def close_round(turn: int) -> Callable[[Tx], None]:
    """The open calls of a turn that is over get their result, and the last round its node."""

    def mend(tx: Tx) -> None:
        row = tx.turn_row(turn)
        if row is None or row.state in LIVE_STATES:
            return
        for key, *_ in tx.open_calls(turn):
            tx.end_call(row.session, turn, int(str(key)), EndedBy.DEATH, GONE, is_error=True)
        calls = tx.calls_of_round(turn, row.rounds)
        if calls and tx.head_node(row.branch) == ("assistant", turn, row.rounds):
            append_results(tx, row, calls)

    return mend
