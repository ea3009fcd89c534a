"""Events: the log is the record (G12). One entry of a session's append-only log, past tense."""

from enum import StrEnum
from typing import NamedTuple

from postroom.domain.keys import SessionKey, TurnKey

_AGENT = "branch:"


class EventKind(StrEnum):
    """Every kind of event, with its payload: keys and codes. `end_reason` and `cause` may add a sentence."""

    SESSION_CREATED = "session.created"  # session, branch, parent_branch, profile
    SESSION_FORKED = "session.forked"  # session, branch, source (branch), head, chars, seq
    MESSAGE_SENT = "message.sent"  # message, to (branch), call, kind, waits; in the sender's log
    MESSAGE_ACCEPTED = "message.accepted"  # message, delivery, branch, sender, kind, mode, seq, ...
    MESSAGE_REFUSED = "message.refused"  # code, call; in the sender's log only
    MESSAGE_CLAIMED = "message.claimed"  # delivery, turn, node
    MESSAGE_RELEASED = "message.released"  # delivery, parked, node
    MESSAGE_PLACED = "message.placed"  # delivery, node: its call's round is complete; null: a revert left it
    MESSAGE_UNPARKED = "message.unparked"  # delivery
    MESSAGE_CONSUMED = "message.consumed"  # delivery, turn, round
    MESSAGE_DISCARDED = "message.discarded"  # delivery, reason
    CHAIN_BEGAN = "chain.began"  # chain and its limits: turns_max, messages_max, tokens_max, ...
    TURN_WAITING = "turn.waiting"  # turn, branch, chain, task, trigger
    TURN_STARTED = "turn.started"  # turn, branch, fence, chain, task, messages, generations, ...
    TURN_SUSPENDED = "turn.suspended"  # turn, call, task
    TURN_RESUMED = "turn.resumed"  # turn
    TURN_ENDED = "turn.ended"  # turn, branch, state, fence, end_reason
    TURN_DEEPENED = "turn.deepened"  # turn, messages, generations: a deeper steer joined
    ANSWER_COMMITTED = "answer.committed"  # turn, round, node, calls, chain, day, *_tokens, cost_micros
    CALL_WAITING = "call.waiting"  # call, turn, task, ask; or wait, by_mail, since_pos, targets
    CALL_WENT_ON = "call.went_on"  # call: its wait is over, the call is not
    CALL_ENDED = "call.ended"  # call, turn, ended_by, delivery (a result that it returned)
    NODES_APPENDED = "nodes.appended"  # branch, head, chars
    TASK_QUEUED = "task.queued"  # task, target, dispatcher, dispatcher_turn, parent, state, id, ...
    TASK_STARTED = "task.started"  # task, turn
    TASK_ENDED = "task.ended"  # task, state, outcome, cause, message (the result)
    WORK_BEGAN = "work.began"  # producer, branch, turn, call: work that will outlive its call
    WORK_ENDED = "work.ended"  # producer, message (of its end)
    TIMER_SET = "timer.set"  # timer, branch, due_us
    TIMER_ENDED = "timer.ended"  # timer, state (fired, cancelled), message
    ASK_OPENED = "ask.opened"  # ask, kind, root, branch, call, message, action, resource, recipient, ...
    ASK_ENDED = "ask.ended"  # ask, state, by, scope
    GRANT_GIVEN = "grant.given"  # grant, root, ask, action, resource, recipient, tool
    GRANT_REVOKED = "grant.revoked"  # grant
    MODE_CHANGED = "mode.changed"  # session (the root), mode
    ATTENDED_CHANGED = "attended.changed"  # session (the root), attended: whether somebody is there
    OVERLAY_CHANGED = "overlay.changed"  # session (the root), overlay: [[action, pattern, effect], ...]
    CALL_CHANGED = "call.changed"  # call, by: a hook put other arguments in the place of the model's
    HOOK_DECIDED = "hook.decided"  # call, hook, verdict (deny, failed), code
    SIDE_CALL_MADE = "side_call.made"  # purpose, turn, call, outcome, code, chain, day, *_tokens, cost_micros
    GOAL_SET = "goal.set"  # goal, branch
    GOAL_CHANGED = "goal.changed"  # goal, items, done: the list is another one
    GOAL_REMINDED = "goal.reminded"  # goal, message, reminders
    GOAL_MOVED = "goal.moved"  # goal, state
    BRANCH_REVERTED = "branch.reverted"  # branch, head, chars, sealed (branch), read (deliveries)
    TURN_KEPT = "turn.kept"  # turn, fence: it waits for the person only, so a start of the process goes on
    BRANCH_PAUSED = "branch.paused"  # branch, by
    BRANCH_UNPAUSED = "branch.unpaused"  # branch
    BRANCH_CANCELLED = "branch.cancelled"  # branch, task, ended (its turn), call: who ended its work
    DELEGATION_REFUSED = "delegation.refused"  # code, call
    BRANCH_MADE = "branch.made"  # session, branch, parent_branch, profile, head, chars, caller (node), task
    BRANCH_NAMED = "branch.named"  # branch, source, locked, count
    BRANCH_ARCHIVED = "branch.archived"  # branch, call, cause
    BRANCH_MERGED = "branch.merged"  # branch, head
    BRANCH_ATTACHED = "branch.attached"  # node, branch, task: an answer points to what it made
    SESSION_TITLED = "session.titled"  # session
    SESSION_DELETED = "session.deleted"  # session
    SESSION_PRUNED = "session.pruned"  # session, messages, nodes, kept, done: it is over, its texts are gone
    MESSAGE_DELIVERED = (
        "message.delivered"  # message, delivery, to (branch); in the sender's log, as an outbox
    )
    MESSAGE_UNDELIVERED = "message.undelivered"  # delivery
    MESSAGE_MASKED = "message.masked"  # call, why: what a masked refusal does not say. For the operator only
    BUS_OPENED = "bus.opened"  # bus, turn
    READER_OPENED = "reader.opened"  # reader, bus, branch, turn, address, label, ordinal, seq, entry
    BUS_POSTED = "bus.posted"  # message, bus, seq, selector, kind, sender
    BUS_READ = "bus.read"  # reader, seq: everything up to there that is for it was taken
    BUS_CLOSED = "bus.closed"  # bus, unread: how many messages of agents nobody read
    TURN_GREW = "turn.grew"  # turn, rounds_max, extensions: a delivery begins its rounds anew
    TURN_REVIEWED = "turn.reviewed"  # turn (of the person's request), reviews: reviewers let a call through
    TURN_CAPPED = "turn.capped"  # turn: only an answer without tools is left to it
    TURN_CARRIED_ON = "turn.carried_on"  # turn, fence, resumes: another process goes on with it
    BRANCH_LOADED = "branch.loaded"  # branch, epoch: a process holds it in memory
    BRANCH_EVICTED = "branch.evicted"  # branch
    MESSAGE_HELD = "message.held"  # message, delivery, branch, sender, kind, mode, reason, call (it ends)
    TASK_LINED_UP = "task.lined_up"  # task: a turn is made for it
    TURN_FANNED_OUT = "turn.fanned_out"  # turn, agents: how many it has made
    TURN_EXTENDED = "turn.extended"  # turn, asks, hook, message: a gate keeps it from ending
    CONTEXT_COMPACTED = "context.compacted"  # branch, node, through (node), chars
    TODO_CHANGED = "todo.changed"  # session, todo, number, status, owner (branch), blocked_by (numbers)
    PERSON_NOTIFIED = "person.notified"  # notice, code
    NOTICE_SEEN = "notice.seen"  # notice: the person has read it
    PROCESS_STARTED = "process.started"  # epoch
    TOKEN_ADDED = "token.added"  # token, kind (program, page), scope, expires_us; in the log of the store
    TOKEN_REVOKED = "token.revoked"  # token
    REPAIRED = "store.repaired"  # what, table, key; in the log of the store


OPERATOR_KINDS = frozenset({EventKind.MESSAGE_MASKED})
"""Kinds that are for the operator only: no tool, inspection or export for agents returns them (G12)."""


def visibility_of(kind: str) -> str:
    """`operator` for what no agent is ever shown, else `agent`."""
    return "operator" if kind in OPERATOR_KINDS else "agent"


class Event(NamedTuple):
    """`seq` numbers a session's log without gaps; `pos` orders the whole store by commit."""

    pos: int
    session: SessionKey
    seq: int
    ts_us: int
    kind: str
    actor: str
    turn: TurnKey | None
    payload: str


def actor_of(branch: int) -> str:
    """How an event names the agent that did it."""
    return f"{_AGENT}{branch}"


def branch_in(actor: str) -> int | None:
    """The agent that an event names; none for the person, a plugin and the runtime."""
    return int(actor.removeprefix(_AGENT)) if actor.startswith(_AGENT) else None
