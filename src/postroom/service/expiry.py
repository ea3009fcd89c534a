"""Mail that goes out of date: what nobody has begun to read when its time comes is discarded.

Its sender is told, whether it was held or lay in the mailbox. What a request holds, or has held before its
turn was cut, is read all the same (product.md section 5, Times).
"""

from postroom.domain.keys import SessionKey
from postroom.domain.message import Reason, State
from postroom.service.facts import Directory, Ring
from postroom.service.notices import tell_sender
from postroom.service.outbox import drop, flush_pair
from postroom.service.waits import tell_of_message
from postroom.store.rows import Mail
from postroom.store.tx import Tx


def expire_mail(tx: Tx, directory: Directory) -> Ring:
    """End everything that came due, oldest due time first. Doing it again finds nothing."""
    ring = Ring()
    for one in tx.due_mail():
        _expire(tx, ring, one, directory)
    return ring


def _expire(tx: Tx, ring: Ring, one: Mail, directory: Directory) -> None:
    d = one.delivery
    item = tx.held_of_message(d.message, d.recipient) if d.state is State.HELD else None
    if item is not None:
        drop(tx, ring, item, Reason.EXPIRED)
        flush_pair(tx, ring, item.sender, d.recipient, directory)
    else:
        tx.discard(_session(tx, one), d, Reason.EXPIRED)
        tell_sender(tx, d, Reason.EXPIRED, one.body)
    tell_of_message(tx, ring, d.message)


def _session(tx: Tx, one: Mail) -> SessionKey:
    return tx.branch_row(one.delivery.recipient).session
