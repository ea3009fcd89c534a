"""Mail that ended unread: why, whose it was, and whether it can be sent again."""

from dataclasses import dataclass
from typing import Final

from postroom.domain.keys import NEWEST
from postroom.domain.message import Reason, State
from postroom.observe.mail_views import told_with
from postroom.store.tx import Tx
from postroom.store.tx_pages import DeadLetter

EXCERPT_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterView:
    """One message as it ended with one of its recipients."""

    message_id: str
    kind: str
    mode: str
    sender: str
    """`user` for the person."""
    sender_address: str
    """What names the agent that wrote it; empty where none did."""
    recipient: str
    recipient_address: str
    state: str
    """`discarded`, or `undelivered`: the turn on whose bus it was said is over."""
    reason: str
    """Empty for what was undelivered."""
    created_us: int
    ended_us: int
    attempts: int
    """Requests that held it and were not answered."""
    excerpt: str
    """The beginning of its text."""
    body_chars: int
    outcome: str
    """How the work ended whose end it tells; empty where it tells of none."""
    code: str
    """Why that work failed; such a message may have no text."""
    retriable: bool
    """Whether `retry` accepts its text again."""
    retried_as: str
    """The message by which that was done; empty before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPage:
    """Mail that ended unread, newest first. `next` is what the following page begins behind, if any."""

    letters: list[DeadLetterView]
    next: int | None


def dead_letter_page(tx: Tx, before: int | None, limit: int) -> DeadLetterPage:
    """At most `limit` of them behind a key."""
    found = tx.dead_letters(before or NEWEST, EXCERPT_CHARS, limit + 1)
    shown = found[:limit]
    return DeadLetterPage(
        letters=[_letter(tx, row) for row in shown], next=shown[-1].delivery if len(found) > limit else None
    )


def _letter(tx: Tx, row: DeadLetter) -> DeadLetterView:
    sender, sender_address = tx.address_of_branch(row.sender)
    recipient, recipient_address = tx.address_of_branch(row.recipient)
    told = told_with(row.facts)
    was_set_aside = row.state == State.DISCARDED and row.reason == Reason.QUARANTINED
    return DeadLetterView(
        message_id=row.message_id, kind=row.kind, mode=row.mode, sender=sender or row.sender_address,
        sender_address=sender_address, recipient=recipient, recipient_address=recipient_address,
        state=row.state, reason=row.reason, created_us=row.created_us, ended_us=row.ended_us,
        attempts=row.attempts, excerpt=row.excerpt, body_chars=row.body_chars,
        outcome=told.get("outcome", ""), code=told.get("code", ""),
        retriable=was_set_aside and not row.retried_as and not row.is_archived, retried_as=row.retried_as,
    )  # fmt: skip
