"""The outbox of an agent: what it has sent, and may not go before the person gives leave (systems.md 1.15).

A held message is durable with its sender only and counts for nothing of its recipient. Whether it may enter
the mailbox is decided when it goes, on what is read then; one that may not any more is discarded, and its
sender is told. Of one sender and one recipient nothing overtakes: what has leave waits for what is older.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from postroom.domain.ask import AskKind, AskState
from postroom.domain.event import actor_of
from postroom.domain.keys import BranchKey, MessageKey, SessionKey
from postroom.domain.message import TASKS, Reason
from postroom.domain.receipt import Code
from postroom.domain.task import Outcome
from postroom.rules import guards
from postroom.rules.text import scrub
from postroom.service.admission import Intent, check_guards, check_rights
from postroom.service.facts import AgentFacts, Directory, Ring
from postroom.service.notices import post_notice
from postroom.service.overflow import make_room
from postroom.service.receipts import address_for, address_of, recipient_state
from postroom.service.results import Report, report_task
from postroom.service.rights import Deed, is_allowed, is_granted
from postroom.service.wake import wake_recipient
from postroom.store.rows import Held, RecipientRow, SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_asks import NewAsk
from postroom.store.tx_mail import Letter

_WHY = {
    Reason.DENIED: "the person did not give leave",
    Reason.WITHDRAWN: "leave is asked for no more",
    Reason.RECALLED: "the person took it back",
    Reason.DELETED: "your session was deleted",
    Code.PERMISSION_DENIED: "your rules do not allow it any more",
    Code.UNKNOWN_PROFILE: "the profile that it names is not there any more",
    Code.ARCHIVED: "the recipient was archived",
    Code.INBOX_FULL: "the recipient has too many unread messages",
    Code.INFLIGHT_FULL: "too many of your messages to this recipient are unread",
    Code.MAILBOX_LIMIT: "the recipient's mailbox can hold no more",
    Code.CHAIN_SPENT: "the budget of its chain is spent",
    Code.MESSAGES_SPENT: "the messages of its chain are spent",
    Code.MAX_HOPS_EXCEEDED: "its chain has gone through too many hops",
    Code.DUPLICATE: "the same text of yours lies there unread",
}
"""What a sender reads of a held message that will not go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plea:
    """A send that may need leave: what it is, and what its sender's rules say of it now."""

    call: int
    deed: Deed
    facts: AgentFacts
    body: str


def is_held(tx: Tx, sender: SenderRow, to: RecipientRow, plea: Plea) -> bool:
    """Whether a send is kept with its sender: for want of leave, or behind an older one that is."""
    if not tx.policy(sender.policy).asks_hold and not _holding_roots(tx, sender):
        return False
    return bool(_where_leave(tx, sender, plea) or tx.held_of_pair(sender.branch, to.branch))


def _where_leave(tx: Tx, sender: SenderRow, plea: Plea) -> SessionKey | None:
    """In which tree the person has to give leave first, if in any."""
    if tx.policy(sender.policy).asks_hold:
        has_leave = is_allowed(tx, sender.root, plea.call, plea.facts, sender.overlay, plea.deed, plea.body)
        return None if has_leave else sender.root
    return _needs_leave(tx, _holding_roots(tx, sender), plea.deed)


def _holding_roots(tx: Tx, sender: SenderRow) -> list[SessionKey]:
    """The trees whose policy may hold what an agent sends: its own, and those of its makers.

    An agent may make another in somebody else's session, and is not rid of its own session by that.
    """
    trees = [(sender.root, sender.policy)]
    if sender.parent_branch is not None and tx.policy(sender.policy).spawns == "branch":
        trees += tx.trees_of_makers(sender.branch, sender.root)
    return [root for root, policy in trees if tx.policy(policy).unattended_sends == "hold"]


def _needs_leave(tx: Tx, roots: Sequence[SessionKey], deed: Deed) -> SessionKey | None:
    """In which tree leave is needed. No mode of approval gives it: only the person does, for the message or
    for the tree.
    """
    away = (root for root in roots if not tx.tree_rights(root).attended)
    return next((root for root in away if not is_granted(tx, root, deed)), None)


def hold(
    tx: Tx, sender: SenderRow, to: RecipientRow, message: MessageKey, letter: Letter, plea: Plea
) -> None:
    """Keep a message with its sender, and ask for leave. The ask belongs to it and has no due time."""
    tx.hold(message, letter, to, recipient_state(tx, to))
    root, deed = _where_leave(tx, sender, plea), plea.deed
    if root is not None:
        tx.insert_ask(NewAsk(
            kind=AskKind.APPROVAL, root=root, session=sender.session, branch=sender.branch,
            turn=sender.turn, call=letter.call or 0, action=deed.action, resource=deed.resource,
            recipient=to.branch, tool=deed.tool, text=scrub(letter.body), message=message,
        ))  # fmt: skip


def flush(tx: Tx, ring: Ring, sender: BranchKey, directory: Directory) -> None:
    """Let go of everything of an agent that has leave by now. Doing it again finds nothing."""
    for recipient in tx.held_pairs(sender):
        flush_pair(tx, ring, sender, recipient, directory)


def flush_pair(tx: Tx, ring: Ring, sender: BranchKey, recipient: BranchKey, directory: Directory) -> None:
    """The same towards one recipient, oldest first, up to the first that has no leave."""
    for item in tx.held_of_pair(sender, recipient):
        ask = tx.ask_of_message(item.delivery.message)
        if ask is not None and ask.state != AskState.APPROVED:
            return
        if not _let_go(tx, ring, item, directory):
            return


def _let_go(tx: Tx, ring: Ring, item: Held, directory: Directory) -> bool:
    """Accept it, or discard it when it may not go any more. `False`: who sends it cannot be known now."""
    d, found = item.delivery, tx.sender_of_call(item.call)
    if found is None or directory(found.team, found.profile) is None:
        return False
    sender = found._replace(messages=d.messages - 1)
    to = tx.recipient_by_branch(item.sender, d.recipient)
    code = _why_not(tx, item, sender, to, directory)
    if code is not None:
        drop(tx, ring, item, code)
        tx.notify_person(item.session, code, f"A held message to {address_of(tx, to)} could not go: {code}.")
        return True
    if make_room(tx, ring, to, tx.policy(to.policy)):
        to = tx.recipient_by_branch(item.sender, d.recipient)
    tx.admit(item, to, recipient_state(tx, to), actor_of(sender.branch))
    wake_recipient(tx, ring, to)
    return True


def _why_not(tx: Tx, item: Held, sender: SenderRow, to: RecipientRow, directory: Directory) -> Code | None:
    """Everything from the address on is decided anew (product.md section 5)."""
    if to.archived_us is not None:
        return Code.ARCHIVED
    intent = Intent(call=item.call, body=item.body, tool=item.tool, profile=item.profile)
    refusal = check_rights(tx, sender, to, intent, directory) or check_guards(tx, sender, to, item.body)
    if refusal is not None:
        return refusal.code
    return guards.check_messages(sender.messages, sender.chain_now.limits)


def drop(tx: Tx, ring: Ring, item: Held, reason: Reason | Code, said: str = "") -> None:
    """It will not go: its ask is withdrawn, its sender is told; a task ends. `said`: the person's words."""
    discard_held(tx, item, reason)
    d = item.delivery
    if d.kind in TASKS:
        cause = f"{reason}: {said}" if said else str(reason)
        report_task(tx, ring, d.message, Report(outcome=Outcome.CANCELLED, cause=cause))
        return
    to = address_for(tx, tx.recipient_by_branch(None, d.recipient), item.sender)
    why = _WHY.get(reason, str(reason)) + (f": {said}" if said else "")
    text = f"Your message to {to} was held and did not go: {why}."
    post_notice(tx, item.sender, text, reason, d.chain, about=d.message)


def clear(tx: Tx, ring: Ring, sender: BranchKey, reason: Reason) -> None:
    """Nothing that an agent holds will go any more."""
    for recipient in tx.held_pairs(sender):
        for item in tx.held_of_pair(sender, recipient):
            drop(tx, ring, item, reason)


def discard_held(tx: Tx, item: Held, reason: Reason | Code) -> None:
    """The same, where somebody else tells its sender."""
    tx.discard(item.session, item.delivery, reason)
    ask = tx.ask_of_message(item.delivery.message)
    if ask is not None and ask.state == AskState.OPEN:
        tx.end_ask(ask, AskState.WITHDRAWN, "system")
