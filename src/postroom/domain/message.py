"""Message and delivery: what a sender wrote, and how it stands with one recipient."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from postroom.domain.keys import (
    BranchKey,
    ChainKey,
    DeliveryKey,
    MessageKey,
    NodeKey,
    TurnKey,
)

HARD_BODY_BYTES_MAX = 8 * 1024 * 1024
"""No setting removes this limit (product.md section 5, hard limits)."""
HARD_WAITING_MAX = 100_000
"""Waiting deliveries one mailbox can hold; no setting removes it."""
RESUBMITTED: Final = "resubmit:"
"""Before the id of the text by which what was not read in a turn goes on as the next."""
RETRIED: Final = "retry:"
"""Before the id of the message that takes the place of a quarantined one."""


class Kind(StrEnum):
    """Who wrote it and what it is for (product.md section 3, kinds of message)."""

    USER = "user"  # the person
    PROMPT = "prompt"  # the first text of a spawned agent, tracked as a task
    MAIL = "mail"  # an agent
    TASK = "task"  # an agent, for an agent that exists; its answer is awaited and tracked
    REPLY = "reply"  # runtime, the answer to mail that is owed one
    RESULT = "result"  # runtime, end of a task
    NOTICE = "notice"  # runtime: drop, stop, late result; never wakes
    PLUGIN = "plugin"  # a producer: work that an agent began has ended, or a plugin writes
    GOAL = "goal"  # a producer: the reminder of a goal that is not reached


class Mode(StrEnum):
    """How a message enters: `steer` joins the running turn, `queue` opens a later one."""

    STEER = "steer"
    QUEUE = "queue"


class State(StrEnum):
    """States of a delivery. `rules.lifecycle` holds the only legal moves."""

    HELD = "held"  # durable with its sender only; counts for nothing of the recipient
    ACCEPTED = "accepted"  # durable in the recipient's mailbox
    CLAIMED = "claimed"  # a node in a request that has not been answered yet
    CONSUMED = "consumed"  # the answer to a request that held it is committed
    DISCARDED = "discarded"  # ended unread, with a reason
    UNDELIVERED = "undelivered"  # its bus closed, and nobody had read it


class Reason(StrEnum):
    """Why a delivery was discarded."""

    RECALLED = "recalled"  # the sender took it back
    EXPIRED = "expired"  # its sender set a time, and it was not read until then
    FAILED = "failed"  # it owed an answer and its turn failed
    CANCELLED = "cancelled"  # it owed an answer and its turn or task was cancelled
    REVERTED = "reverted"  # the person took back the turn that gave the task
    STOPPED = "stopped"  # it owed an answer and the person stopped the branch
    QUARANTINED = "quarantined"  # five attempts, none answered
    OVERFLOW = "overflow"  # the oldest of a full mailbox
    ARCHIVED = "archived"  # the recipient was archived before it was read
    DELETED = "deleted"  # the recipient's session was deleted
    DENIED = "denied"  # held for leave, and refused it
    WITHDRAWN = "withdrawn"  # held for leave that is asked for no more


TASKS = frozenset({Kind.PROMPT, Kind.TASK})
"""Kinds that are tasks: each runs in a turn of its own and its end is reported."""


class HeldFor(StrEnum):
    """Why a message lies with its sender."""

    APPROVAL = "approval"  # the person has to give leave first
    COLD = "cold"  # its recipient is not in memory and may not be woken
    NO_DIRECTORY = "no_directory"  # its recipient is not in memory, and there is nowhere to run it


NOBODY: Final = BranchKey(0)
"""The recipient of mail to a selector that no reader has taken."""
COUNTED = frozenset({Kind.MAIL})
"""Kinds that count for cap and window: agent mail only (CK-16)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One message at one recipient, with what the rules about taking it need to know."""

    key: DeliveryKey
    message: MessageKey
    recipient: BranchKey
    sender: BranchKey | None
    kind: Kind
    mode: Mode
    state: State
    seq: int
    chain: ChainKey
    messages: int
    generations: int
    attempts: int
    parked: bool
    owes: bool
    """Its sender is owed an answer: an unanswered end is told by a failure answer, not read again."""
    turn: TurnKey | None
    node: NodeKey | None
