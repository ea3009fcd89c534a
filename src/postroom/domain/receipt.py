"""What a sender gets: a receipt, or a refusal. Codes are stable and never reused."""

from dataclasses import dataclass, field
from enum import StrEnum

from postroom.domain.message import Mode


class Code(StrEnum):
    """Why the rules said no. The first ten are the seed's (systems.md 3.2), the rest are ours."""

    DISABLED = "disabled"
    INVALID_ARGUMENTS = "invalid_arguments"
    INVALID_BODY = "invalid_body"
    UNKNOWN_SESSION = "unknown_session"
    NOT_TREE_PEER = "not_tree_peer"
    SELF_SEND = "self_send"
    INBOX_FULL = "inbox_full"
    MAX_HOPS_EXCEEDED = "max_hops_exceeded"
    INFLIGHT_FULL = "inflight_full"
    ENGINE_SHUTDOWN = "engine_shutdown"
    UNKNOWN_REFERENCE = "unknown_reference"
    PERMISSION_DENIED = "permission_denied"
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"
    CHAIN_SPENT = "chain_spent"
    DELEGATION_FULL = "delegation_full"
    DELEGATION_TOO_DEEP = "delegation_too_deep"
    UNKNOWN_PROFILE = "unknown_profile"
    MAILBOX_LIMIT = "mailbox_limit"
    NOT_YOUR_CHILD = "not_your_child"
    NO_TASK = "no_task"
    ALREADY_ENDED = "already_ended"
    NOTHING_TO_RESUME = "nothing_to_resume"
    NOT_QUARANTINED = "not_quarantined"


class RecipientState(StrEnum):
    """How the recipient stood at the send (systems.md 3.2)."""

    RUNNING = "running"
    WAKING_FINISHED = "waking_finished"
    QUEUED = "queued"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Durable when it exists: the message survives kill -9 and power loss (G1)."""

    message_id: str
    mode: Mode
    recipient_state: RecipientState


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One peer that an address error may name."""

    handle: str | None
    description: str
    status: str
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The rules said no. `facts` are values for the surface's sentence, never prose."""

    code: Code
    facts: dict[str, str | int] = field(default_factory=dict[str, str | int])
    candidates: tuple[Candidate, ...] = ()
