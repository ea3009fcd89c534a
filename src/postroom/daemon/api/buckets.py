"""How often each caller may do something: a bucket of tokens each, filled at a steady rate, in memory."""

from collections.abc import Callable
from typing import Final

KEPT_MAX: Final = 10_000
"""Callers remembered at once; who is forgotten begins with a full bucket."""


class Buckets:
    """One bucket for each key. A new one is full."""

    def __init__(self, per_s: float, burst: float, now_s: Callable[[], float]) -> None:
        self._per_s = per_s
        self._burst = float(burst)
        self._now_s = now_s
        self._left: dict[str, tuple[float, float]] = {}
        """Key -> (what was left, when)."""

    @property
    def remembered(self) -> int:
        """Of how many callers something is kept."""
        return len(self._left)

    def take(self, key: str) -> float:
        """Take one. 0 when there was one; else in how many seconds there is, and nothing is taken."""
        now_s, left = self._now_s(), self.left(key)
        if left < 1:
            return (1 - left) / self._per_s
        if len(self._left) >= KEPT_MAX and key not in self._left:
            self._forget()
        self._left[key] = (left - 1, now_s)
        return 0.0

    def left(self, key: str) -> float:
        """How many there are to take now."""
        left, then_s = self._left.get(key, (self._burst, 0.0))
        return min(self._burst, left + (self._now_s() - then_s) * self._per_s)

    def _forget(self) -> None:
        """Those that are full again are as good as new; where none is, the oldest half goes."""
        full = [key for key in self._left if self.left(key) >= self._burst]
        for key in full or list(self._left)[: KEPT_MAX // 2]:
            del self._left[key]
