"""The outbox of an agent: what it has sent and what may not go yet, and why (systems.md 1.15, 4.4).

The person has to give leave first, or its recipient is not in memory and may not be woken, or has nowhere to
work. A held message is durable with its sender only. Whether it may enter the mailbox is decided when it
goes, on what is read then; one that may not any more is discarded, and its sender is told. Of one sender and
one recipient nothing overtakes: what may go waits for what is older.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postroom.domain.ask import ApprovalMode, Ask, AskKind, AskState, Scope
from postroom.domain.event import actor_of
from postroom.domain.keys import BranchKey, MessageKey, SessionKey
from postroom.domain.message import TASKS, HeldFor, Reason
from postroom.domain.policy import Policy
from postroom.domain.receipt import Code, Refusal
from postroom.domain.task import Outcome
from postroom.rules import guards
from postroom.rules.permissions import Effect
from postroom.rules.reach import Why
from postroom.rules.text import scrub
from postroom.service.admission import Intent, check_guards, check_rights, deed_of
from postroom.service.clearing import make_room
from postroom.service.facts import AgentFacts, Directory, Ring
from postroom.service.limits import facts_of_sender
from postroom.service.masking import log_true_reason, masked
from postroom.service.meeting import reach_of, vantage_of
from postroom.service.notices import post_notice
from postroom.service.receipts import address_for, address_of, recipient_state
from postroom.service.results import Report, report_task
from postroom.service.rights import Deed, effect_of, is_allowed, is_granted, mode_over
from postroom.service.waits import tell_of_message
from postroom.service.wake import wake_recipient
from postroom.store.rows import Held, RecipientRow, SenderRow
from postroom.store.tx import Tx
from postroom.store.tx_asks import NewAsk
from postroom.store.tx_mail import Letter

_WHY = {
    Reason.DENIED: "the person did not give leave",
    Reason.WITHDRAWN: "leave is asked for no more",
    Reason.RECALLED: "the person took it back",
    Reason.EXPIRED: "its time was over",
    Reason.DELETED: "your session was deleted",
    Code.PERMISSION_DENIED: "your rules do not allow it any more",
    Code.UNKNOWN_PROFILE: "the profile that it names is not there any more",
    Code.ARCHIVED: "the recipient was archived",
    Code.NOT_FOUND: "there is no such session, or none that you may reach",
    Code.MAILBOX_FULL: "too many of your messages to this recipient are unread",
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


def why_held(tx: Tx, sender: SenderRow, to: RecipientRow, plea: Plea) -> HeldFor | None:
    """Why a send is kept with its sender, if it is; behind an older one that is, for the same reason.

    Asked only where mail between the two `may_hold`.
    """
    if _where_leave(tx, sender, plea) is not None:
        return HeldFor.APPROVAL
    older = tx.first_held(sender.branch, to.branch)
    return why_not_now(tx, sender.branch, to) if older is None else older.why


def let_older_go(
    tx: Tx, ring: Ring, sender: SenderRow, to: RecipientRow, directory: Directory
) -> RecipientRow:
    """What an agent has written to the same recipient before goes first, where it may; how it stands then."""
    if tx.first_held(sender.branch, to.branch) is None:
        return to
    flush_pair(tx, ring, sender.branch, to.branch, directory)
    return tx.recipient_by_branch(sender.branch, to.branch)


def may_hold(tx: Tx, sender: SenderRow, to: RecipientRow) -> bool:
    """Whether anything between the two is ever held."""
    policy = tx.policy(sender.policy)
    return policy.asks_hold or holds_mail(tx.policy(to.policy)) or bool(_holding_roots(tx, sender))


def holds_mail(policy: Policy) -> bool:
    """Whether mail to an agent of this policy may have to wait until it is in memory."""
    return policy.needs_directory or not policy.wakes_cold


def why_not_now(tx: Tx, sender: BranchKey, to: RecipientRow) -> HeldFor | None:
    """Why mail has to wait for the recipient itself. Who made it may always wake it (DS-4)."""
    policy = tx.policy(to.policy)
    if not holds_mail(policy) or not _is_cold(tx, to) or to.parent_branch == sender:
        return None
    if not policy.wakes_cold:
        return HeldFor.COLD
    return None if tx.place_of_agent(to.branch) else HeldFor.NO_DIRECTORY


def _is_cold(tx: Tx, to: RecipientRow) -> bool:
    """Nothing of it is in memory: no turn waits or runs, and none has since it was let go, if ever."""
    return to.turn is None and to.resident_epoch != tx.epoch()


def _where_leave(tx: Tx, sender: SenderRow, plea: Plea) -> SessionKey | None:
    """In which tree the person has to give leave first, if in any."""
    if tx.policy(sender.policy).asks_hold:
        has_leave = is_allowed(tx, sender.root, plea.call, plea.facts, sender.overlay, plea.deed, plea.body)
        is_given = has_leave or mode_over(tx, sender.root, plea.call) is ApprovalMode.YOLO
        return None if is_given else sender.root
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


def hold(  # noqa: PLR0913 -- whose message, to whom, and why it stays
    tx: Tx, sender: SenderRow, to: RecipientRow, message: MessageKey, letter: Letter, plea: Plea,
    why: HeldFor,
) -> None:  # fmt: skip
    """Keep a message with its sender, and ask for leave. The ask belongs to it and has no due time."""
    tx.hold(message, letter, to, recipient_state(tx, to), why)
    root = _where_leave(tx, sender, plea)
    if root is not None:
        _ask_for(tx, root, sender, message, plea)


def _ask_for(tx: Tx, root: SessionKey, sender: SenderRow, message: MessageKey, plea: Plea) -> Ask:
    deed = plea.deed
    return tx.insert_ask(NewAsk(
        kind=AskKind.APPROVAL, root=root, session=sender.session, branch=sender.branch, turn=sender.turn,
        call=plea.call, action=deed.action, resource=deed.resource, recipient=deed.recipient,
        tool=deed.tool, text=scrub(plea.body), message=message,
    ))  # fmt: skip


def flush(tx: Tx, ring: Ring, sender: BranchKey, directory: Directory) -> None:
    """Let go of everything of an agent that may go by now. Doing it again finds nothing."""
    for recipient in tx.held_pairs(sender):
        flush_pair(tx, ring, sender, recipient, directory)


def flush_to(tx: Tx, ring: Ring, recipient: BranchKey, directory: Directory) -> bool:
    """The same of everybody who writes to one agent, which is in memory now or has a directory again; whether
    anything went.
    """
    gone = [flush_pair(tx, ring, sender, recipient, directory) for sender in tx.holders_for(recipient)]
    return any(gone)


def flush_all(tx: Tx, ring: Ring, directory: Directory) -> None:
    """The same of everybody: a process starts, or what the person allows has changed."""
    for sender in tx.holding_branches():
        flush(tx, ring, sender, directory)


def flush_pair(tx: Tx, ring: Ring, sender: BranchKey, recipient: BranchKey, directory: Directory) -> bool:
    """The same from one to one, oldest first, up to the first that may not go; whether any went."""
    went = False
    while (item := tx.first_held(sender, recipient)) is not None and _let_go(tx, ring, item, directory):
        went = True
    return went


def _let_go(tx: Tx, ring: Ring, item: Held, directory: Directory) -> bool:
    """Accept it, or discard it when it may not go any more. `False`: it has to wait on."""
    d, found = item.delivery, tx.sender_of_call(item.call)
    facts = None if found is None else facts_of_sender(tx, directory, found)
    if found is None or facts is None:
        return False  # who sends it cannot be known now
    sender = found._replace(messages=d.messages - 1)
    to = tx.recipient_by_branch(item.sender, d.recipient)
    if to.archived_us is None and why_not_now(tx, item.sender, to) is not None:
        return False
    if not _has_leave(tx, item, sender, to, facts):
        return False
    code = _why_not(tx, item, sender, to, directory)
    if code is not None:
        drop(tx, ring, item, _told(tx, sender, to, item, code))
        tx.notify_person(item.session, code, f"A held message to {address_of(tx, to)} could not go: {code}.")
        return True
    if make_room(tx, ring, to, tx.policy(to.policy)):
        to = tx.recipient_by_branch(item.sender, d.recipient)
    actor, outbox = actor_of(sender.branch), keeps_outbox(tx, sender, to)
    tx.admit(item, to, recipient_state(tx, to), actor, keeps_outbox=outbox)
    wake_recipient(tx, ring, to)
    return True


def _has_leave(tx: Tx, item: Held, sender: SenderRow, to: RecipientRow, facts: AgentFacts) -> bool:
    """Whether it needs no leave, has got it, or needs it no more by what the person allows now.

    That somebody attends the tree again gives none: what was written meanwhile is theirs to look at (OP-16).
    """
    ask = tx.ask_of_message(item.delivery.message, item.delivery.recipient)
    if ask is not None and ask.state != AskState.OPEN:
        return ask.state == AskState.APPROVED
    plea = Plea(call=item.call, deed=deed_of(tx, sender, to, item.tool), facts=facts, body=item.body)
    if tx.policy(sender.policy).asks_hold:
        return _goes_by_rules(tx, item.delivery.message, sender, to, plea, ask)
    if ask is None:
        return True
    goes = all(is_granted(tx, root, plea.deed) for root in {ask.root, *_holding_roots(tx, sender)})
    if goes:
        tx.end_ask(ask, AskState.WITHDRAWN, "system")
    return goes


def _goes_by_rules(
    tx: Tx, message: MessageKey, sender: SenderRow, to: RecipientRow, plea: Plea, ask: Ask | None
) -> bool:
    """By the rules and the mode of this moment. Where they want leave that was never asked for, it is now."""
    effect = effect_of(plea.facts, sender.overlay, plea.deed)
    if effect is Effect.DENY or to.archived_us is not None:
        return ask is None  # it is refused; what the person is asked for waits for them
    if is_allowed(tx, sender.root, plea.call, plea.facts, sender.overlay, plea.deed, plea.body):
        if ask is not None:
            tx.end_ask(ask, AskState.WITHDRAWN, "system")
        return True
    ask = ask or _ask_for(tx, sender.root, sender, message, plea)
    if mode_over(tx, sender.root, plea.call) is not ApprovalMode.YOLO:
        return False
    return tx.end_ask(ask, AskState.APPROVED, ApprovalMode.YOLO, scope=Scope.ONCE)


def _told(tx: Tx, sender: SenderRow, to: RecipientRow, item: Held, code: Code) -> Code:
    """The reason that its sender reads; where refusals are masked, the operator alone reads the true one."""
    refusal = masked(tx.policy(sender.policy), Refusal(code=code))
    if refusal.why == Code.PERMISSION_DENIED:
        why = reach_of(tx, vantage_of(sender), vantage_of(to)).why or Why.RULES
        refusal = replace(refusal, why=why)
    log_true_reason(tx, sender, item.call, refusal)
    return refusal.code


def keeps_outbox(tx: Tx, sender: SenderRow, to: RecipientRow) -> bool:
    """Whether the sender's log says that it was delivered; to an own child it goes as a task does (DS-4)."""
    return tx.policy(sender.policy).keeps_outbox and to.parent_branch != sender.branch


def _why_not(tx: Tx, item: Held, sender: SenderRow, to: RecipientRow, directory: Directory) -> Code | None:
    """Everything from the address on is decided anew (product.md section 5)."""
    if to.archived_us is not None:
        return Code.ARCHIVED
    intent = Intent(call=item.call, body=item.body, tool=item.tool, profile=item.profile)
    facts = facts_of_sender(tx, directory, sender)
    refusal = check_rights(tx, sender, to, intent, facts, directory) or check_guards(
        tx, sender, to, item.body, is_held=True
    )
    if refusal is not None:
        return refusal.code
    return guards.check_messages(sender.messages, sender.chain_now.limits)


def drop(tx: Tx, ring: Ring, item: Held, reason: Reason | Code, said: str = "") -> None:
    """It will not go: its ask is withdrawn, its sender is told; a task ends. `said`: the person's words."""
    discard_held(tx, item, reason)
    d = item.delivery
    tell_of_message(tx, ring, d.message)
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
    ask = tx.ask_of_message(item.delivery.message, item.delivery.recipient)
    if ask is not None and ask.state == AskState.OPEN:
        tx.end_ask(ask, AskState.WITHDRAWN, "system")
