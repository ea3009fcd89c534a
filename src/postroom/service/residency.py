"""Which agents this process holds in memory, as the store knows it: mail for the others may have to wait.

A turn that starts makes its agent resident in its own transaction (`Tx.begin_turn`), so does a front end that
opens one. Children leave again after a while; everything has left when the process ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from postroom.domain.keys import BranchKey
from postroom.service.facts import Directory, Ring
from postroom.service.outbox import flush, flush_to
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An agent that is in memory now."""

    got_mail: bool
    """Whether mail that was held for that has gone to it."""
    ring: Ring


def open_agent(tx: Tx, branch: BranchKey, directory: Directory) -> Opened:
    """A front end opens an agent. It is in memory now, and what was held for want of that goes, in order; so
    does what it has written itself and may send by now. Doing it again finds nothing.
    """
    ring = Ring()
    tx.load_branch(branch)
    flush(tx, ring, branch, directory)
    return Opened(got_mail=flush_to(tx, ring, branch, directory), ring=ring)


def let_go(tx: Tx, branches: Sequence[BranchKey]) -> None:
    """These are in memory no more, but for those that got a turn meanwhile."""
    for branch in branches:
        tx.evict_branch(branch)
