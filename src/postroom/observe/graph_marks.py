"""How the parts of a graph stand now: read from turns, calls and tasks, never from nodes (OP-78)."""

from collections.abc import Iterable, Mapping
from typing import Final

from postroom.domain.task import TaskState
from postroom.domain.turn import CallState, EndedBy, TurnState
from postroom.store.tx_graph import GraphCallRow, GraphTurnRow

RUNNING: Final = "running"
ERROR: Final = "error"
CANCELLED: Final = "cancelled"
DONE: Final = "done"
_TURNS: Final[Mapping[str, str]] = {
    TurnState.WAITING: RUNNING, TurnState.RUNNING: RUNNING, TurnState.SUSPENDED: RUNNING,
    TurnState.FAILED: ERROR, TurnState.INTERRUPTED: ERROR,
    TurnState.CANCELLED: CANCELLED, TurnState.STOPPED: CANCELLED,
}  # fmt: skip
_TASKS: Final[Mapping[str, str]] = {
    TaskState.PENDING: RUNNING, TaskState.QUEUED: RUNNING, TaskState.RUNNING: RUNNING,
    TaskState.ERRORED: ERROR, TaskState.CANCELLED: CANCELLED,
}  # fmt: skip
_ENDED_BY: Final[Mapping[str, str]] = {
    EndedBy.CANCEL: CANCELLED, EndedBy.STOP: CANCELLED, EndedBy.DEATH: ERROR, EndedBy.FAILURE: ERROR,
}  # fmt: skip
_WEIGHT: Final = (RUNNING, ERROR, CANCELLED, DONE)


def of_turns(turns: Iterable[GraphTurnRow]) -> str:
    """How a node stands at which these turns have ended or go on; the weightiest of them counts."""
    return min((_TURNS.get(turn.state, DONE) for turn in turns), key=_WEIGHT.index, default=DONE)


def of_task(state: str) -> str:
    """How what a call made stands."""
    return _TASKS.get(state, DONE)


def of_call(call: GraphCallRow) -> str:
    """How a call stands; one that made an agent as its task does."""
    if call.branch is not None:
        return of_task(call.task_state)
    if call.state == CallState.OPEN:
        return RUNNING
    return _ENDED_BY.get(call.ended_by, ERROR if call.is_error else DONE)


def of_mail(state: str) -> str:
    """How a message stands on its way."""
    return {"consumed": DONE, "discarded": CANCELLED, "undelivered": ERROR}.get(state, RUNNING)
