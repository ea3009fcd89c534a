"""What an agent does at this moment, in one word and with what belongs to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from postroom.domain.ask import AskKind
from postroom.domain.turn import TurnState
from postroom.store.tx import Tx
from postroom.store.tx_board import AwaitedRow, BoardAgentRow

Act: TypeAlias = Literal[
    "model", "tool", "wait", "ask", "question", "slot", "idle", "paused", "ended", "archived"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderWait:
    """A model's provider was not to be had; the request is made again. Wall time in microseconds."""

    code: str
    until_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What an agent waits for, and the agent behind it."""

    what: Literal["task", "message", "agent", "person"]
    id: str
    """Of the task or message; empty for an agent and for the person."""
    branch_id: str
    """Empty for the person."""
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What an agent does now."""

    kind: Act
    """`wait` is for tasks, messages and agents, `ask` and `question` for the person, `slot` for its turn."""
    since_us: int
    round: int
    rounds_max: int
    tool: str
    """The tool that works; empty where none does."""
    waits_for: list[Awaited]
    provider_wait: ProviderWait | None


def doing(tx: Tx, row: BoardAgentRow, wait: ProviderWait | None) -> Activity:
    """What one agent does now. `wait` counts only while it asks its model."""
    if not row.turn or row.ended_us is not None:
        return _at_rest(row)
    if row.turn_state == TurnState.WAITING:
        return _made(row, "slot", row.opened_us)
    since_us = tx.newest_event_of_turn(row.turn) or row.opened_us
    awaited = tx.awaited_by(row.key)
    tool = tx.open_tool_of_turn(row.turn) if row.turn_state == TurnState.RUNNING else ""
    waits_for = [_awaited(one) for one in awaited]
    if tool:
        return _made(row, "tool", since_us, tool=tool, waits_for=waits_for)
    if awaited or row.turn_state == TurnState.SUSPENDED:
        return _made(row, _kind_of_wait(awaited), since_us, waits_for=waits_for)
    return _made(row, "model", since_us, provider_wait=wait)


def _at_rest(row: BoardAgentRow) -> Activity:
    since_us = row.opened_us if row.ended_us is None else row.ended_us
    if row.is_archived:
        return _made(row, "archived", since_us)
    if row.paused_by is not None:
        return _made(row, "paused", since_us)
    return _made(row, "ended" if row.last_turn_state else "idle", since_us)


def _made(
    row: BoardAgentRow,
    kind: Act,
    since_us: int,
    *,
    tool: str = "",
    waits_for: Sequence[Awaited] = (),
    provider_wait: ProviderWait | None = None,
) -> Activity:
    return Activity(
        kind=kind, since_us=since_us, round=row.rounds, rounds_max=row.rounds_max, tool=tool,
        waits_for=list(waits_for), provider_wait=provider_wait,
    )  # fmt: skip


def _kind_of_wait(awaited: Sequence[AwaitedRow]) -> Act:
    kinds = {one.ask_kind for one in awaited}
    if AskKind.QUESTION in kinds:
        return "question"
    return "ask" if AskKind.APPROVAL in kinds else "wait"


def _awaited(row: AwaitedRow) -> Awaited:
    if row.ask_kind:
        return Awaited(what="person", id="", branch_id="", label="the person")
    if row.task_id:
        return Awaited(what="task", id=row.task_id, branch_id=row.branch_id or "", label=row.label)
    if row.message_id:
        return Awaited(what="message", id=row.message_id, branch_id=row.branch_id or "", label=row.label)
    return Awaited(what="agent", id="", branch_id=row.branch_id or "", label=row.label)
