"""A full mailbox that drops: the oldest agent mail gives way, and its sender is told (systems.md 1.8)."""

from postroom.domain.message import Reason
from postroom.domain.policy import Policy
from postroom.service.clearing import drop_unread
from postroom.service.facts import Ring
from postroom.store.rows import RecipientRow
from postroom.store.tx import Tx


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
