"""Taking a message back before anybody reads it: the person any, a plugin its own (CK-39)."""

from postroom.domain.keys import MessageKey
from postroom.domain.message import Delivery, Kind, Reason, State
from postroom.domain.receipt import Code, Refusal
from postroom.service.facts import Directory, Ring
from postroom.service.hooks import plugin_address
from postroom.service.notices import post_notice
from postroom.service.outbox import discard_held, drop, flush_pair
from postroom.service.receipts import address_for
from postroom.service.waits import tell_of_message
from postroom.store.rows import Mail
from postroom.store.tx import Tx

RECALLABLE = frozenset({Kind.USER, Kind.MAIL, Kind.PLUGIN})
"""What somebody wrote. A task is cancelled instead, so that its dispatcher hears of its end; what the
runtime says of ends and drops is never taken back."""


def recall(tx: Tx, message_id: str, directory: Directory, plugin: str = "") -> Refusal | Ring:
    """Discard a message that nobody has read, as the person or as a plugin; or one that is still held.

    What waits behind a held one goes on. Twice is fine. A plugin that asks for what is not its own reads what
    absence reads like. Refuses `unknown_reference`, `not_recallable`, `already_being_read` and
    `already_ended`.
    """
    found, ring = _find(tx, message_id), Ring()
    if found is None or (plugin and not _is_own(found, plugin)):
        return Refusal(code=Code.UNKNOWN_REFERENCE)
    d = found.delivery
    if (code := _why_not(d)) is not None:
        return ring if tx.reason_of(d.key) == Reason.RECALLED else Refusal(code=code)
    if (held := tx.held_of_message(d.message)) is not None:
        drop(tx, ring, held, Reason.RECALLED)
        flush_pair(tx, ring, held.sender, d.recipient, directory)
    else:
        _take_back(tx, d)
    tell_of_message(tx, ring, d.message)
    return ring


def _why_not(d: Delivery) -> Code | None:
    """Why it cannot be taken back now. What a released message says has been shown to a model: too late."""
    if d.kind not in RECALLABLE:
        return Code.NOT_RECALLABLE
    if d.state is State.CLAIMED or (d.state is State.ACCEPTED and d.node is not None):
        return Code.ALREADY_BEING_READ
    return None if d.state in (State.HELD, State.ACCEPTED) else Code.ALREADY_ENDED


def discard_unread(tx: Tx, message: MessageKey, reason: Reason) -> bool:
    """Discard a message where nobody has read it yet, or while it is held; whether there was such a place."""
    if (held := tx.held_of_message(message)) is not None:
        discard_held(tx, held, reason)
        return True
    unread = [m.delivery for m in tx.deliveries_of_message(message) if m.delivery.state is State.ACCEPTED]
    for d in unread:
        tx.discard(tx.branch_row(d.recipient).session, d, reason)
    return bool(unread)


def _find(tx: Tx, message_id: str) -> Mail | None:
    row = tx.message_by_public_id(message_id)
    found = tx.deliveries_of_message(int(str(row[0]))) if row is not None else []
    return found[0] if found else None


def _is_own(found: Mail, plugin: str) -> bool:
    return found.delivery.kind is Kind.PLUGIN and found.sender_address == plugin_address(plugin)


def _take_back(tx: Tx, d: Delivery) -> None:
    """The agent that wrote it is told; whoever takes back its own message knows."""
    to = tx.recipient_by_branch(None, d.recipient)
    tx.discard(to.session, d, Reason.RECALLED)
    if d.sender is not None:
        named = address_for(tx, to, d.sender)
        text = f"Your message to {named} was taken back by the person before it was read."
        post_notice(tx, d.sender, text, Reason.RECALLED, d.chain)
