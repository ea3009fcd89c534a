"""The index for search of a store that nobody runs: after a crash it lags, and a search would miss texts."""

from pathlib import Path

from postroom.clock import SystemClock
from postroom.ids import SystemIds
from postroom.service.words import index_words
from postroom.store.workshop import Workshop


def catch_up(folder: Path) -> None:
    """Make every text findable, and change nothing else: no turn is recovered, no start counted.

    Raises `StoreInUse` when a process has the store after all, and `StoreReadOnly` when it cannot be written.
    """
    with Workshop(folder, SystemClock(), SystemIds()) as shop:
        while shop.write(index_words):
            pass
