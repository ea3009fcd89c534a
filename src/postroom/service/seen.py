"""What the person has read of what they were told."""

from collections.abc import Sequence

from postroom.store.tx import Tx

AT_ONCE = 500
"""Notices that one commit marks of all up to one of them."""


def see_notices(tx: Tx, notices: Sequence[int], through: int | None = None) -> int:
    """Notices are read: these, and the oldest unread up to one; how many of them for the first time.

    One that there is not is passed over.
    """
    more = [] if through is None else tx.unseen_through(through, AT_ONCE)
    return sum(tx.see_notice(notice) for notice in (*notices, *more))
