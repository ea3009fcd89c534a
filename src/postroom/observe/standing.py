"""What goes on in a store, in six numbers: for `postroom status` and whoever watches a daemon."""

from dataclasses import dataclass

from postroom.store.tx import Tx
from postroom.store.tx_views import ViewTx


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What is open now in the whole store."""

    running: int
    """Agents whose turn runs."""
    waiting: int
    """Agents whose turn waits for a slot."""
    suspended: int
    """Agents whose turn waits for a task or an answer."""
    paused: int
    """Agents that the person has paused."""
    asks: int
    """What agents ask the person for."""
    unread: int
    """Messages that were accepted and that nobody has read."""


def counts(tx: ViewTx) -> Counts:
    """What is open now."""
    row = tx.counts_now()
    return Counts(
        running=row.n_running, waiting=row.n_waiting, suspended=row.n_suspended, paused=row.n_paused,
        asks=row.n_asks, unread=row.n_unread,
    )  # fmt: skip


def standing_of(tx: Tx) -> tuple[int, Counts]:
    """The newest position of the log, and what is open there."""
    return tx.last_pos(), counts(tx)
