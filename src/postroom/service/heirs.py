"""Who reads what comes back to an agent that was archived: the nearest ancestor that was not (O-19).

A deleted session has only archived agents, so the one mark is enough.
"""

from postroom.domain.keys import BranchKey
from postroom.domain.message import Reason
from postroom.service.receipts import address_of
from postroom.store.tx import Tx


def heir_of(tx: Tx, branch: BranchKey) -> BranchKey | None:
    """The agent itself while it is not archived, else its nearest ancestor that is not; none: nobody."""
    at: BranchKey | None = branch
    while at is not None:
        row = tx.branch_row(at)
        if row.archived_us is None:
            return at
        at = row.parent_branch
    return None


def reader_of(tx: Tx, asker: BranchKey, task: int | None = None) -> BranchKey | None:
    """Who reads an answer: who asked, also when it was archived and its turn still waits for this task."""
    waits = task is not None and any(branch == asker for branch, _ in tx.waiters_of_task(task))
    return asker if waits else heir_of(tx, asker)


def tell_nobody_reads(tx: Tx, asker: BranchKey, sender_address: str) -> None:
    """Nobody is left who could read an answer: the record holds it, and the person is told."""
    to = tx.recipient_by_branch(None, asker)
    text = (
        f"What {sender_address} answered to {address_of(tx, to)} has no reader any more: it was archived,"
        " and so was everybody above it. `postroom show` shows the conversation that answered."
    )
    tx.notify_person(to.session, Reason.ARCHIVED, text)
