"""Which agents this process holds in memory, as the store knows it: mail for the others may have to wait.

A turn that starts makes its agent resident in its own transaction (`Tx.begin_turn`), so does a front end that
opens one. Children leave again after a while; everything has left when the process ends.
"""

from collections.abc import Sequence

from postroom.domain.keys import BranchKey
from postroom.service.facts import Directory, Ring
from postroom.service.outbox import flush_to
from postroom.store.tx import Tx


def open_agent(tx: Tx, branch: BranchKey, directory: Directory) -> Ring:
    """A front end opens an agent. It is in memory now, and what was held for want of that goes, in order.

    Doing it again finds nothing.
    """
    ring = Ring()
    tx.load_branch(branch)
    flush_to(tx, ring, branch, directory)
    return ring


def let_go(tx: Tx, branches: Sequence[BranchKey]) -> None:
    """These are in memory no more, but for those that got a turn meanwhile."""
    for branch in branches:
        tx.evict_branch(branch)
