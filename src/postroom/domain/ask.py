"""What the person is asked: leave for a call (approval), or a question of an agent (question)."""

from enum import StrEnum
from typing import NamedTuple

from postroom.domain.keys import AskKey, BranchKey, CallKey, MessageKey, SessionKey, TurnKey


class AskKind(StrEnum):
    """What the person decides."""

    APPROVAL = "approval"  # may this call be made?
    QUESTION = "question"  # what does the person say to this?


class AskState(StrEnum):
    """How an ask stands; all but the first are final."""

    OPEN = "open"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"  # nobody decided in time; the person has not denied it
    WITHDRAWN = "withdrawn"  # its turn has ended, or nobody is there who could answer
    ANSWERED = "answered"  # a question only


class Scope(StrEnum):
    """For how long an approval holds."""

    ONCE = "once"
    TREE = "tree"  # also for later calls of the same key in this tree


class ApprovalMode(StrEnum):
    """Who decides the asks of a tree (systems.md 3.5). Denies and grants come before it."""

    AUTO_APPROVE = "auto_approve"  # a classifier decides; what it escalates, the person decides
    AUTO_APPROVE_N = "auto_approve_n"  # what it escalates is denied
    AUTO_APPROVE_Y = "auto_approve_y"  # what it escalates is approved once
    ASK = "ask"  # always the person
    YOLO = "yolo"  # every ask is approved at once


class Opinion(StrEnum):
    """What a model says of a call. A failure of any kind is no opinion: the person is asked."""

    APPROVE = "approve"
    ESCALATE = "escalate"
    FAILED = "failed"


class Adviser(StrEnum):
    """Which models may give leave in the person's place."""

    CLASSIFIER = "classifier"  # where the mode of the tree says so
    REVIEWERS = "reviewers"  # where the policy says so, on what the person has asked for (systems.md 2.9)


class Counsel(NamedTuple):
    """An opinion, and whose it is."""

    by: Adviser
    opinion: Opinion


class Ask(NamedTuple):
    """One ask. Times are wall time in microseconds; `options` is a JSON list of texts."""

    key: AskKey
    public_id: str
    kind: str
    root: SessionKey
    session: SessionKey
    branch: BranchKey
    turn: TurnKey
    call: CallKey
    action: str
    resource: str
    recipient: BranchKey | None
    tool: str
    text: str
    options: str
    state: str
    decided_by: str
    scope: str
    answer: str
    requested_us: int
    due_us: int | None
    decided_us: int | None
    message: MessageKey | None
    """The held message that it is asked for; it belongs to that, and not to the turn of its call."""
