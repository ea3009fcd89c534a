"""What goes on in a store, in six numbers: for `postroom status` and whoever watches a daemon."""

from dataclasses import dataclass

from postroom.store.tx import Tx


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


def counts(tx: Tx) -> Counts:
    """What is open now."""
    now = tx.standing_now()
    return Counts(
        running=now.running, waiting=now.waiting, suspended=now.suspended, paused=now.paused,
        asks=sum(tx.open_asks_by_kind().values()), unread=now.unread,
    )  # fmt: skip


def standing_of(tx: Tx) -> tuple[int, Counts]:
    """The newest position of the log, and what is open there."""
    return tx.last_pos(), counts(tx)
