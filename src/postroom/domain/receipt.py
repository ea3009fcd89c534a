"""What a sender gets: a receipt, or a refusal. Codes are stable and never reused."""

from dataclasses import dataclass, field
from enum import StrEnum

from postroom.domain.message import Mode


class Code(StrEnum):
    """Why the rules said no. The first ten are the seed's (systems.md 3.2), the rest are ours."""

    DISABLED = "disabled"  # `[messaging] enabled = false`
    INVALID_ARGUMENTS = "invalid_arguments"  # unknown, missing or mistyped argument
    INVALID_BODY = "invalid_body"  # blank, broken or too long
    UNKNOWN_SESSION = "unknown_session"  # a UUID of no session
    NOT_TREE_PEER = "not_tree_peer"  # a session of another tree
    SELF_SEND = "self_send"  # the own session
    INBOX_FULL = "inbox_full"  # the recipient has its cap of unread agent mail
    MAX_HOPS_EXCEEDED = "max_hops_exceeded"  # the chain went through too many hops
    INFLIGHT_FULL = "inflight_full"  # the window of the pair is full
    ENGINE_SHUTDOWN = "engine_shutdown"  # the process is closing
    UNKNOWN_REFERENCE = "unknown_reference"  # no handle of the tree; candidates are given
    PERMISSION_DENIED = "permission_denied"  # the own rules say no
    APPROVAL_EXPIRED = "approval_expired"  # an ask that nobody decided in time
    DENIED_BY_HOOK = "denied_by_hook"  # a plugin or a shell hook said no
    UNATTENDED = "unattended"  # nobody is there who could answer a question
    CHILD_RUNNING = "child_running"  # the child to be resumed has a task or a turn
    TARGET_STOPPED = "target_stopped"  # the child to be resumed was stopped by the person
    ALREADY_BEING_READ = "already_being_read"  # a request holds the message already
    NOT_RECALLABLE = "not_recallable"  # a task, which is cancelled instead, or a word of the runtime
    NOT_IDLE = "not_idle"  # a revert needs a branch without a turn
    ALREADY_DECIDED = "already_decided"  # the ask is not open any more
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"  # the same call or client id with another message
    CHAIN_SPENT = "chain_spent"  # the chain has no turns left
    DELEGATION_FULL = "delegation_full"  # too many turns of the tree wait
    DELEGATION_TOO_DEEP = "delegation_too_deep"  # the tree may not grow deeper
    UNKNOWN_PROFILE = "unknown_profile"  # no profile of this name
    MAILBOX_LIMIT = "mailbox_limit"  # the hard limit of a mailbox
    NOT_YOUR_CHILD = "not_your_child"  # none of the own direct children
    NO_TASK = "no_task"  # the child was never given a task
    ALREADY_ENDED = "already_ended"  # there is nothing left to end
    NOTHING_TO_RESUME = "nothing_to_resume"  # not paused, nothing parked, nothing interrupted
    INVALID_QUERY = "invalid_query"  # a search without a word
    NOT_QUARANTINED = "not_quarantined"  # no quarantined message of this id
    GOAL_OPEN = "goal_open"  # the agent works on a goal already
    NO_GOAL = "no_goal"  # the agent has no open goal
    NOT_A_ROOT = "not_a_root"  # only the agent at the root of a tree has goals
    SPAWN_SYNTAX = "spawn_syntax"  # `new` is no address: agents are made by `agent`
    EMPTY_TO = "empty_to"  # no address was given
    HEAD_MISSING = "head_missing"  # a session without the branch after the colon
    UNKNOWN_NODE = "unknown_node"  # no branch and no node of the session has this id
    AMBIGUOUS = "ambiguous"  # several branches have this name; candidates are given
    SHARED_ANCESTOR = "shared_ancestor"  # several branches go on from this node; candidates are given
    ARCHIVED = "archived"  # it takes no messages and no tasks any more
    MESSAGES_SPENT = "messages_spent"  # the path of the chain has no messages left
    GENERATIONS_SPENT = "generations_spent"  # the path of the chain may make no more generations
    FAN_OUT_SPENT = "fan_out_spent"  # the turn has made as many agents as it may
    DUPLICATE = "duplicate"  # the same text of the same sender waits unread
    UNKNOWN_TASK = "unknown_task"  # no task has this id
    NOT_DISPATCHER = "not_dispatcher"  # the task was given by somebody else
    WOULD_DEADLOCK = "would_deadlock"  # the awaited agent waits for the one that asks
    INVALID_NAME = "invalid_name"  # nobody can be called so
    INVALID_TITLE = "invalid_title"  # no conversation can be called so
    PRUNED = "pruned"  # its texts are gone: there is nothing to go on from
    ALREADY_ARCHIVED = "already_archived"  # archived before, by whomever
    UNKNOWN_TODO = "unknown_todo"  # no entry of the board has this number
    PRICE_UNKNOWN = "price_unknown"  # a budget of money, and a model without a known price
    NOTHING_TO_COMPACT = "nothing_to_compact"  # all of the conversation is kept as it is
    NOT_FOUND = "not_found"  # there is no such session, or none that may be reached: nobody is told which
    MESSAGE_TOO_LARGE = "message_too_large"  # longer than the limit of the sender's surface
    MAILBOX_FULL = "mailbox_full"  # the sender has its cap of unread and held messages to this recipient
    INVALID_TIMEOUT = "invalid_timeout"  # a wait that is shorter or longer than waits may be
    WAIT_ABORTED = "wait_aborted"  # the turn that waited was ended
    NO_TURN = "no_turn"  # there is no turn, so nobody speaks on its bus
    NO_ADDRESS = "no_address"  # the sender reads no bus, so it has no address on one
    UNKNOWN_SELECTOR = "unknown_selector"  # nobody on the bus is called so; who is, is said
    UNKNOWN_MESSAGE = "unknown_message"  # no message of this number or id that the asker may look at
    SEVERAL_REFUSED = "several_refused"  # a group send with a refused recipient; each is named


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
    address: str = ""
    """The recipient as the sender's surface prints it."""
    task_id: str = ""
    """Of a task: what its dispatcher waits for and stops it by."""
    waits: bool = False
    """Whether it lies behind a turn of the recipient that has not ended, or behind a stop of the person."""
    stopped: bool = False
    """Whether the person has stopped the recipient, which reads it when it may go on."""
    matches: tuple[str, ...] = ()
    """Of mail to a selector: the addresses that it meant when it was accepted, which promises nothing."""
    held: bool = False
    """Durable with the sender only, until it may go."""
    held_for: str = ""
    """Why it is held: a `HeldFor`."""
    number: int = 0
    """Its number in the recipient's mailbox; 0 while it is held."""
    others: tuple["Receipt", ...] = ()
    """Of a group send: the same for every further recipient."""


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
    why: str = ""
    """What a masked code does not say: a `rules.reach.Why`, for the operator's log and for nobody else."""
    each: tuple[tuple[str, "Refusal"], ...] = ()
    """Of a group send: every address that was refused, and why."""
