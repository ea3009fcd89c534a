"""Retiring an agent: one way. What waits for it ends, nothing new reaches it, and it stays readable.

A turn that runs keeps what it has and ends by itself; what it leaves unread ends with it (`close.end`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from postroom.domain.event import actor_of
from postroom.domain.goal import GoalState
from postroom.domain.keys import BranchKey, CallKey
from postroom.domain.message import Reason
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import EndedBy, Turn, TurnState
from postroom.errors import StaleFence
from postroom.rules.text import scrub
from postroom.service import outbox
from postroom.service.addresses import find_recipient
from postroom.service.clearing import Cleared, clear_mailbox
from postroom.service.facts import Directory, Ring
from postroom.service.goals import remind
from postroom.service.limits import facts_of_sender
from postroom.service.receipts import address_of, given_name
from postroom.service.waits import tell_waiters
from postroom.service.wake import drop_ended
from postroom.store.rows import RecipientRow, SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_shelf import By

REASON_CHARS = 200
DONE = "its task has ended"
"""Why an agent is archived that was to be archived then."""
PERSON = By()


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """An agent that was archived: how it is printed, and what ended with it."""

    address: str
    name: str
    messages: int
    """Messages that were waiting and are discarded."""
    tasks: int
    """Tasks among them; they ended cancelled."""
    ring: Ring = field(default_factory=Ring)


RenderArchived: TypeAlias = Callable[[Archived], str]
"""The surface's words for what an agent has archived."""


def archive(tx: Tx, branch: BranchKey, reason: str, by: By = PERSON) -> Archived | Refusal:
    """Archive an agent. Refuses `already_archived`, which is a notice: nothing is left to be done."""
    to = tx.recipient_by_branch(None, branch)
    if to.archived_us is not None:
        return Refusal(code=Code.ALREADY_ARCHIVED, facts={"to": address_of(tx, to)})
    return retire(tx, to, reason, by, Reason.ARCHIVED)


def archive_agent(  # noqa: PLR0913 -- a call, what it asks for, and its words
    tx: Tx, turn: Turn, call: CallKey, to: str, reason: str, render: RenderArchived, directory: Directory
) -> Archived | Refusal:
    """`archive_agent`, for whom the policy lets it retire. The call's result is durable with it.

    Refuses what an address refuses, `permission_denied` and `already_archived`. Raises `StaleFence`.
    """
    tx.own(turn.key, turn.fence)
    sender = tx.sender_of_call(call)
    if sender is None:
        raise StaleFence(f"call {call} does not belong to a turn")
    found = find_recipient(tx, to, sender, facts_of_sender(tx, directory, sender), archived=True)
    if isinstance(found, Refusal):
        return found
    if not _may_archive(tx, sender, found.branch):
        facts: dict[str, str | int] = {"to": address_of(tx, found, sender.policy)}
        return Refusal(code=Code.PERMISSION_DENIED, facts=facts)
    by = By(actor=actor_of(turn.branch), branch=turn.branch, call=call, turn=turn.key)
    done = archive(tx, found.branch, reason, by)
    if isinstance(done, Archived):
        text = render(done)
        tx.end_call(turn.session, turn.key, call, EndedBy.TOOL, text, is_error=False)
    return done


def _may_archive(tx: Tx, sender: SenderRow, branch: BranchKey) -> bool:
    """Whom an agent may archive, its policy says; the person may archive everybody."""
    whom = tx.policy(sender.policy).archives
    if whom == "below":
        return branch != sender.branch and tx.is_above(sender.branch, branch)
    return whom == "anyone"


def retire_done(tx: Tx, branch: BranchKey) -> Ring:
    """Archive an agent whose task has ended and that was made for nothing else. Twice is fine."""
    done = archive(tx, branch, DONE, By(actor="system"))
    return Ring() if isinstance(done, Refusal) else done.ring


def retire(tx: Tx, to: RecipientRow, reason: str, by: By, code: Reason) -> Archived:
    """Set the mark and end what waits there, with `code` as the reason of everything discarded."""
    ring = Ring()
    tx.archive_branch(to.session, to.branch, scrub(reason)[:REASON_CHARS], by)
    if code is Reason.DELETED:  # before the mailbox is cleared, which passes on what the agent is told of it
        outbox.clear(tx, ring, to.branch, code)
    cleared = clear_mailbox(tx, ring, to.branch, code, by=by.branch)
    _end_waiting_turn(tx, ring, to, code)
    _end_goal(tx, to, by)
    _end_timers(tx, to, code)
    if to.turn_state not in (TurnState.RUNNING, TurnState.SUSPENDED):
        ring.halted += tx.open_producers_of_branch(to.branch)
    remind(tx, ring, to.root)
    drop_ended(tx, ring)
    return _told(tx, to, cleared, ring)


def _told(tx: Tx, to: RecipientRow, cleared: Cleared, ring: Ring) -> Archived:
    return Archived(
        address=address_of(tx, to), name=given_name(tx, to.branch), messages=cleared.messages,
        tasks=len(cleared.tasks), ring=ring,
    )  # fmt: skip


def _end_waiting_turn(tx: Tx, ring: Ring, to: RecipientRow, code: Reason) -> None:
    """A turn that waits for a slot has nothing to read any more."""
    row = tx.turn_row(to.turn) if to.turn else None
    if row is not None and row.state == TurnState.WAITING:
        tx.end_turn(row, TurnState.CANCELLED, code)
        tell_waiters(tx, ring, to.branch)
        ring.ended.append(row.turn)


def _end_goal(tx: Tx, to: RecipientRow, by: By) -> None:
    goal = tx.open_goal(to.branch)
    if goal is not None:
        tx.set_goal_state(to.session, goal, GoalState.CANCELLED, by.actor)


def _end_timers(tx: Tx, to: RecipientRow, code: Reason) -> None:
    """The person's texts for later have no reader: the person is told of each."""
    for timer in tx.timers_of_branch(to.branch):
        tx.end_timer(to.session, timer.timer, "cancelled")
        text = f"Your text for later to {address_of(tx, to)} will not be sent: {timer.body[:REASON_CHARS]}"
        tx.notify_person(to.session, code, text)
