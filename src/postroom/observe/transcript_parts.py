"""What the rows of a transcript are made of: who wrote and reads, messages, calls, budgets."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Words: TypeAlias = Literal["user", "agent", "system", "plugin", "mixed"]
"""Whose text something is (`domain.node.Provenance`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who wrote something, or whom it is for. Ids are empty for the person, the runtime and plugins."""

    by: Literal["user", "agent", "system", "plugin"]
    name: str
    address: str
    branch_id: str
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One message as it stands with the agent that reads it here."""

    message_id: str
    message_kind: str
    mode: str
    provenance: Words
    sender: Speaker
    selector: str
    """What it was written to on the bus of a turn; empty elsewhere."""
    text: str
    missing_chars: int
    pruned_bytes: int | None
    """How long a text was that is gone because its conversation is over; null while it is there."""
    pruned_sha256: str
    """The SHA-256 of that text; empty while it is there."""
    outcome: str
    """What came of the task whose result this is; empty for all other messages."""
    code: str
    """Why that task failed, or what a notice is about; such a message may have no text."""
    state: str
    parked: bool
    reason: str
    attempts: int
    read_round: int | None
    read_turn_id: str
    reverted: bool
    sent_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """One recipient of a message, and how it stands there."""

    to: Speaker
    state: str
    reason: str
    """Why it is held or was discarded."""
    parked: bool
    read_round: int | None
    read_turn_id: str
    reverted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSaid:
    """What a hook decided about a call, or how it failed."""

    hook: str
    verdict: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAsk:
    """What the person was asked for a call."""

    ask_id: str
    ask_kind: str
    state: str
    decided_by: str
    scope: str
    requested_us: int
    decided_us: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """One call of an answer: what the model asked for, and what came of it."""

    call_id: str
    tool: str
    arguments: str
    arguments_missing_chars: int
    changed_arguments: str
    """What hooks put in the place of the model's arguments; empty where they did not."""
    changed_missing_chars: int
    changed_by: str
    state: str
    """`open`, `waiting` or `ended`."""
    ended_by: str
    code: str
    """Why it was refused."""
    is_error: bool
    result: str
    result_missing_chars: int
    images: int
    started_us: int
    ended_us: int | None
    hooks: tuple[HookSaid, ...]
    asks: tuple[CallAsk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadText:
    """What an agent wrote on the bus of a turn and nobody read."""

    sender: str
    to: str
    text: str
    missing_chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainView:
    """What everything that grew out of one text of the person has spent, and may."""

    chain: int
    turns: int
    turns_max: int | None
    tokens: int
    tokens_max: int | None
    cost_micros: int
    cost_micros_max: int | None
