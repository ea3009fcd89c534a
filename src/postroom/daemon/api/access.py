"""What a daemon remembers of its callers while it runs: its own token, login links, who asks how often."""

from dataclasses import dataclass
from typing import Final

from postroom.clock import Clock, SystemClock
from postroom.daemon.api.buckets import Buckets
from postroom.daemon.api.links import Links
from postroom.daemon.api.places import Places
from postroom.domain.token import Scope, hash_of
from postroom.profiles.daemon_settings import DaemonSettings

BURST_S: Final = 5
"""A caller may save up the requests of so many seconds."""
MINUTE_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls, and what for."""

    token_id: str
    """The id of its token; empty for a program of the same person on this machine."""
    name: str
    scope: Scope
    is_page: bool = False
    """It came with the cookie of a login, so its browser may be asked by other pages to call."""
    expires_us: int | None = None


class Access:
    """For one daemon, on its event loop."""

    def __init__(self, settings: DaemonSettings | None = None, clock: Clock | None = None) -> None:
        """`clock` is the room's; rates are those of the machine, whatever time it is in the room."""
        chosen, now_s = settings or DaemonSettings(), SystemClock().monotonic_s
        self.requests = Buckets(chosen.requests_per_s, chosen.requests_per_s * BURST_S, now_s)
        """By caller, or by address where nobody is known."""
        self.failures = Buckets(chosen.logins_per_min / MINUTE_S, chosen.logins_per_min, now_s)
        """By address: secrets and links that open nothing."""
        self.links = Links((clock or SystemClock()).monotonic_s)
        self.streams = Places(chosen.streams_max)
        self._own: dict[str, Caller] = {}

    def give(self, secret: str, caller: Caller) -> None:
        """Let whoever has this secret in for as long as the daemon runs. Only its hash is kept."""
        self._own[hash_of(secret)] = caller

    def own(self, secret: str) -> Caller | None:
        """Who was given this secret."""
        return self._own.get(hash_of(secret))
