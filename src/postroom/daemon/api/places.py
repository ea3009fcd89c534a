"""How many streams may be open at once, of all callers and of one."""

import contextlib
from collections import Counter
from collections.abc import Generator
from http import HTTPStatus

from postroom.daemon.api.faults import HttpFault


class TooManyStreams(HttpFault):
    """As many streams are open as the daemon, or this caller, may have. Close one, or raise `streams_max`."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "too_many_streams"
    retryable = True


class Places:
    """Places for streams. One caller has at most three quarters of them, so that others find one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._most_each = max(1, most * 3 // 4)
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many are open now."""
        return self._taken.total()

    @contextlib.contextmanager
    def place(self, caller: str) -> Generator[None]:
        """A place for one stream. Raises `TooManyStreams`."""
        if self._taken.total() >= self._most or self._taken[caller] >= self._most_each:
            raise TooManyStreams(
                "too many streams of events are open", remedy="close one, or raise daemon.streams_max"
            )
        self._taken[caller] += 1
        try:
            yield
        finally:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]
