"""How the service writes: one commit a use case, and the ring after it."""

from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, TypeVar

from postroom.clock import Clock
from postroom.domain.keys import BranchKey, SessionKey
from postroom.errors import StoreFault
from postroom.faults import reach
from postroom.service import turns
from postroom.service.budgets import LimitsNow, unknown_limits
from postroom.service.facts import Directory, Ring
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx

P = ParamSpec("P")
T = TypeVar("T")
PAUSE_FIRST_S = 0.2
"""A turn that cannot write waits this long first, then twice as long each time."""
PAUSE_LONGEST_S = 5.0


class OfficeBase:
    """The store with those who hear of its commits. `on_ring` and `on_pause` belong to the runtime."""

    def __init__(
        self, store: SqliteStore, directory: Directory, clock: Clock, limits: LimitsNow = unknown_limits
    ) -> None:
        self.store = store
        self.directory = directory
        self.clock = clock
        self.limits = limits
        self.on_ring: Callable[[Ring], None] = lambda _: None
        self.on_pause: Callable[[StoreFault], None] = lambda _: None
        self.on_unwritten: Callable[[StoreFault], None] = lambda _: None
        """Hears of what could not be written now and is not tried again by itself."""
        self.summed_up: set[BranchKey] = set()
        """Agents whose conversations are being summed up for the person; none of them starts meanwhile."""
        self.overlays: dict[SessionKey, str] = {}
        """The person's rules over trees that got other ones in this process; running turns look here."""

    async def patient(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """A turn's write: while the disk is full, read-only or locked the turn waits, then goes on."""
        pause_s = PAUSE_FIRST_S
        while True:
            try:
                return await attempt()
            except StoreFault as fault:
                if not fault.retryable:
                    raise
                self.on_pause(fault)
            await self.clock.sleep_s(pause_s)
            pause_s = min(pause_s * 2, PAUSE_LONGEST_S)

    async def _write(self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Write, and ring for what the commit changed, also when the caller is cancelled meanwhile."""
        try:
            return await self.store.write_then(self._ring_for, function, *args, **kwargs)
        except StoreFault as fault:
            if fault.retryable:
                self.on_unwritten(fault)
            raise

    async def _turn_write(
        self, function: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self.patient(lambda: self._write(function, *args, **kwargs))

    def _ring_for(self, outcome: object) -> None:
        ring = outcome if isinstance(outcome, Ring) else getattr(outcome, "ring", None)
        if isinstance(ring, Ring):
            reach("end.before_ring" if isinstance(outcome, turns.Step) else "ring.before")
            self.on_ring(ring)
