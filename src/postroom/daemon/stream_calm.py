"""Keeps the cyclic garbage collector from walking through a thousand connections again and again.

Each open stream is some 240 objects that live long, and each write makes a few that live a little. Of these
the collector soon has seen enough to look through everything, and with 1,000 readers the loop stands still
for 180 ms every few seconds. What is frozen is left out of that; it is still freed when nobody holds it any
more, and only what hangs together in circles waits until the crowd has gone (docs/why/0044).
"""

import gc
from typing import Final

MANY: Final = 100
"""From so many readers on it matters."""
GROWTH: Final = 1.25
"""The crowd is frozen anew when it has grown by this."""


class Calm:
    """One for the whole process, because there is one collector."""

    def __init__(self) -> None:
        self._frozen = 0
        """How many readers there were when everything was frozen; 0 while nothing is."""

    def count(self, n_readers: int) -> None:
        """So many read now. Freezing moves one list; nothing is looked through for it."""
        if n_readers > max(MANY, self._frozen * GROWTH):
            gc.freeze()
            self._frozen = n_readers
        elif n_readers < self._frozen / 2:
            gc.unfreeze()
            self._frozen = 0
