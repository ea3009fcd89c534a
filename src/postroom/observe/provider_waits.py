"""Who waits for a model's provider now. The log does not know it: a wait changes nothing that has to last."""

from collections.abc import Callable, Mapping

from postroom.clock import Clock
from postroom.errors import ModelUnavailable
from postroom.observe.doing import ProviderWait

_MICROS = 1_000_000


class ProviderWaits:
    """Hears of every wait before a request is made again, passes it on, and forgets it when it is over."""

    def __init__(self, clock: Clock, pass_on: Callable[[int, float, ModelUnavailable], None]) -> None:
        self._clock = clock
        self._pass_on = pass_on
        self._waits: dict[int, ProviderWait] = {}

    def put(self, branch: int, wait_s: float, fault: ModelUnavailable) -> None:
        """The request of a branch failed and is made again in so many seconds."""
        until_us = self._clock.now_us() + int(wait_s * _MICROS)
        self._waits[branch] = ProviderWait(code=fault.code, until_us=until_us)
        self._pass_on(branch, wait_s, fault)

    def now(self) -> Mapping[int, ProviderWait]:
        """By branch, who waits at this moment."""
        now_us = self._clock.now_us()
        self._waits = {branch: wait for branch, wait in self._waits.items() if wait.until_us > now_us}
        return self._waits
