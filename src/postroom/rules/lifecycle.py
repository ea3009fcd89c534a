"""The tables of legal moves of a delivery and of a task, and what each state of a delivery counts for.

    held --accept--> accepted --claim--> claimed --commit--> consumed
      |                |  ^                |
      |                |  +----release-----+
      +----discard-----+--discard--> discarded
                       +--close--> undelivered      mail on the bus of one turn only

What is held lies with its sender and counts for nothing of its recipient.

`claimed -> discarded` is not here on purpose: stop and cancel release and discard in one transaction.

    pending --line up--> queued --start--> running --end--> completed, cancelled, errored
       |                   |
       +-------------------+--end without having run--> cancelled, errored

A pending task may start at once. A final state absorbs whatever comes after it (O-16, OP-67).
"""

from typing import NamedTuple

from postroom.domain.message import COUNTED, Delivery, Kind, Mode, State
from postroom.domain.task import FINAL_STATES, TaskState

LEGAL = frozenset(
    {
        (State.HELD, State.ACCEPTED),
        (State.HELD, State.DISCARDED),
        (State.ACCEPTED, State.CLAIMED),
        (State.CLAIMED, State.CONSUMED),
        (State.CLAIMED, State.ACCEPTED),
        (State.ACCEPTED, State.DISCARDED),
        (State.ACCEPTED, State.UNDELIVERED),
    }
)
TASK_LEGAL = frozenset(
    {
        (TaskState.PENDING, TaskState.QUEUED),
        (TaskState.PENDING, TaskState.RUNNING),
        (TaskState.PENDING, TaskState.CANCELLED),
        (TaskState.PENDING, TaskState.ERRORED),
        (TaskState.QUEUED, TaskState.RUNNING),
        (TaskState.QUEUED, TaskState.CANCELLED),
        (TaskState.QUEUED, TaskState.ERRORED),
        (TaskState.RUNNING, TaskState.COMPLETED),
        (TaskState.RUNNING, TaskState.CANCELLED),
        (TaskState.RUNNING, TaskState.ERRORED),
    }
)
UNACKNOWLEDGED = frozenset({State.ACCEPTED, State.CLAIMED})
QUARANTINE_ATTEMPTS = 5
"""A delivery whose fifth attempt dies is set aside (product.md section 3)."""


class Counts(NamedTuple):
    """What one delivery adds to the counters of its recipient's branch."""

    steer: int
    queue: int
    notice: int
    parked: int
    cap: int


_NOTHING = Counts(0, 0, 0, 0, 0)


def is_legal(before: State, after: State) -> bool:
    """Whether a delivery may move so."""
    return (before, after) in LEGAL


def is_absorbed(before: TaskState) -> bool:
    """Whether nothing changes a task any more, whatever is said of it."""
    return before in FINAL_STATES


def is_legal_for_task(before: TaskState, after: TaskState) -> bool:
    """Whether a task that has not ended may move so; staying where it is may change its other fields."""
    return before is after or (before, after) in TASK_LEGAL


def is_counted(kind: Kind) -> bool:
    """Whether it counts for the cap and the pair window: agent mail only (CK-16)."""
    return kind in COUNTED


def counts(kind: Kind, mode: Mode, state: State, *, parked: bool) -> Counts:
    """What a delivery in this state counts for."""
    cap = 1 if is_counted(kind) and state in UNACKNOWLEDGED else 0
    if state is not State.ACCEPTED:
        return Counts(0, 0, 0, 0, cap) if cap else _NOTHING
    if kind is Kind.NOTICE:
        return Counts(0, 0, 1, 0, cap)
    if parked:
        return Counts(0, 0, 0, 1, cap)
    return Counts(1, 0, 0, 0, cap) if mode is Mode.STEER else Counts(0, 1, 0, 0, cap)


def held_change(delivery: Delivery, after: State) -> int:
    """By how much what a sender holds for its recipient changes when a delivery moves: agent mail only."""
    if not is_counted(delivery.kind):
        return 0
    return (after is State.HELD) - (delivery.state is State.HELD)


def change(delivery: Delivery, after: State, *, parked: bool) -> Counts:
    """By how much the counters change when a delivery moves."""
    old = counts(delivery.kind, delivery.mode, delivery.state, parked=delivery.parked)
    new = counts(delivery.kind, delivery.mode, after, parked=parked)
    return Counts(*(b - a for a, b in zip(old, new, strict=True)))
