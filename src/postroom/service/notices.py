"""Nothing silent: what the runtime tells senders and the person of mail that will not be read (G8)."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from postroom.domain.keys import BranchKey, ChainKey
from postroom.domain.message import Delivery, Kind, Mode
from postroom.domain.node import MailFacts
from postroom.service.receipts import address_for, address_of
from postroom.store.tx import Tx
from postroom.store.tx_mail import Letter

PREVIEW_CHARS = 200
"""How much of a dropped message its sender is shown (systems.md 1.8)."""
_SENTENCES = {
    "overflow": "Your message to {to} was dropped unread: its mailbox was full, and yours was the oldest.",
    "chain_spent": "Your message to {to} wakes nobody: the budget of its chain is spent."
    " It will be read when {to} next runs for another reason.",
    "archived": "Your message to {to} was not read: {to} was archived.",
    "expired": "Your message to {to} was not read: its time was over.",
    "deleted": "Your message to {to} was not read: {to} was deleted.",
    "quarantined": "Your message to {to} was set aside: five turns that read it died before they answered.",
    "failed": "Your message to {to} was not answered: its turn failed.",
    "cancelled": "Your message to {to} was not answered: its turn was cancelled.",
    "stopped": "Your message to {to} was not answered: the person stopped {to}.",
}


def tell_sender(tx: Tx, d: Delivery, code: str, body: str = "") -> None:
    """A notice to the agent that wrote it, or to the person when no agent did.

    With the `body` it says which message is meant: an agent may have written several.
    """
    recipient = tx.recipient_by_branch(None, d.recipient)
    named = address_of(tx, recipient) if d.sender is None else address_for(tx, recipient, d.sender)
    text = _SENTENCES[code].format(to=named)
    if body:
        text = f"{text} It began: {body[:PREVIEW_CHARS]}"
    if d.sender is None or d.kind is Kind.RESULT:  # nobody wrote a result: a child would read of itself
        tx.notify_person(recipient.session, code, text)
    else:
        post_notice(tx, d.sender, text, code, d.chain, about=d.message)


def post_notice(
    tx: Tx, branch: BranchKey, text: str, code: str, chain: int, *, about: int | None = None
) -> None:
    """A notice never wakes: it is read at the next boundary there is. `about` is the message it tells of."""
    to = tx.recipient_by_branch(None, branch)
    if to.archived_us is not None and to.turn is None:  # nobody will read it there
        tx.notify_person(to.session, code, text)
        return
    facts = json.dumps(asdict(MailFacts(kind=Kind.NOTICE, code=code)))
    letter = Letter(
        kind=Kind.NOTICE, mode=Mode.STEER, body=text, facts=facts, chain=ChainKey(chain), reply_to=about
    )  # fmt: skip
    tx.post(letter, to, "")


AT_ONCE = 500
"""Notices that one commit marks of all up to one of them."""


def see_notices(tx: Tx, notices: Sequence[int], through: int | None = None) -> int:
    """Notices are read: these, and the oldest unread up to one; how many of them for the first time.

    One that there is not is passed over.
    """
    more = [] if through is None else tx.unseen_through(through, AT_ONCE)
    return sum(tx.see_notice(notice) for notice in (*notices, *more))
