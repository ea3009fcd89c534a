"""Mail that ends unread: a mailbox is cleared, or a full one drops its oldest. Its sender hears so (G8)."""

from dataclasses import dataclass, field

from postroom.domain.keys import BranchKey, MessageKey
from postroom.domain.message import HARD_WAITING_MAX, TASKS, Kind, Reason
from postroom.domain.policy import Policy
from postroom.domain.task import Outcome
from postroom.service.facts import Ring
from postroom.service.heirs import heir_of, tell_nobody_reads
from postroom.service.notices import tell_sender
from postroom.service.receipts import recipient_state
from postroom.service.results import Report, report_task
from postroom.service.waits import tell_of_message
from postroom.service.wake import wake_recipient
from postroom.store.rows import Mail, RecipientRow
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

_HANDED_ON = frozenset({Kind.RESULT, Kind.REPLY})
"""What somebody waits for who asked for it: another reads it in their place."""


@dataclass(slots=True)
class Cleared:
    """What a mailbox held: how many messages were discarded, and which tasks ended with theirs."""

    messages: int = 0
    tasks: list[MessageKey] = field(default_factory=list[MessageKey])


def clear_mailbox(
    tx: Tx, ring: Ring, branch: BranchKey, reason: Reason, *, by: BranchKey | None = None
) -> Cleared:
    """Discard all that waits unclaimed. A task ends cancelled and is reported, mail is told to its sender.

    A result or a reply goes to the nearest ancestor that is not archived, else it is told to the person. The
    agent `by` whose call does this is told of its own mail by the result of that call.
    """
    cleared, session = Cleared(), tx.branch_row(branch).session
    for item in tx.accepted(branch, HARD_WAITING_MAX):
        d = item.delivery
        tx.discard(session, d, reason)
        tell_of_message(tx, ring, d.message)
        cleared.messages += 1
        if d.kind in TASKS:
            told = by is not None and d.sender == by
            report_task(tx, ring, d.message, Report(outcome=Outcome.CANCELLED, cause=reason, told=told))
            cleared.tasks.append(d.message)
        elif d.kind in _HANDED_ON:
            _hand_on(tx, ring, item)
        else:
            _tell(tx, item, reason, by)
    return cleared


def drop_unread(tx: Tx, ring: Ring, item: Mail, reason: Reason, cause: str = "") -> None:
    """A message of an agent goes unread. A task ends cancelled, by `cause`; of mail its sender is told."""
    d = item.delivery
    tx.discard(tx.branch_row(d.recipient).session, d, reason)
    tell_of_message(tx, ring, d.message)
    if d.kind in TASKS:
        report_task(tx, ring, d.message, Report(outcome=Outcome.CANCELLED, cause=cause or reason))
    else:
        tell_sender(tx, d, reason, item.body)


def _tell(tx: Tx, item: Mail, reason: Reason, by: BranchKey | None) -> None:
    d = item.delivery
    match d.kind:
        case Kind.NOTICE:  # a word of the runtime that its agent did not read: the person does
            tx.notify_person(tx.branch_row(d.recipient).session, reason, item.body)
        case Kind.GOAL:  # the goal is in its agent's view, and ends with it
            pass
        case _ if by is None or d.sender != by:
            tell_sender(tx, d, reason, item.body)
        case _:
            pass


def _hand_on(tx: Tx, ring: Ring, item: Mail) -> None:
    """The same words once more, for whoever reads them now; its sender has sent it once and is not told."""
    d = item.delivery
    heir = heir_of(tx, d.recipient)
    if heir is None:
        tell_nobody_reads(tx, d.recipient, item.sender_address)
        return
    to = tx.recipient_by_branch(d.sender, heir)
    letter = Letter(
        kind=d.kind, mode=d.mode, body=item.body, facts=item.facts, chain=d.chain, sender=d.sender,
        sender_address=item.sender_address, task=tx.terms_of_message(d.message).task, reply_to=d.message,
        messages=d.messages, generations=d.generations,
    )  # fmt: skip
    tx.post(letter, to, recipient_state(tx, to))
    wake_recipient(tx, ring, to)


def make_room(tx: Tx, ring: Ring, to: RecipientRow, policy: Policy) -> bool:
    """Drop the oldest that wait until one more fits; a dropped task ends. Whether something was dropped.

    The oldest accepted ones, never one that a request holds. The counters bound the line from above, so a
    mailbox that is not nearly full costs nothing.
    """
    cap = policy.mailbox_cap
    if policy.overflow != "drop_oldest" or cap is None or to.n_waiting < cap:
        return False
    too_many = tx.line_length(to.branch) - cap + 1
    dropped = tx.oldest_of_line(to.branch, too_many) if too_many > 0 else []
    for item in dropped:
        drop_unread(tx, ring, item, Reason.OVERFLOW)
    return bool(dropped)
