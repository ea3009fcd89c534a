"""One-time links that log a browser in. In memory: a daemon that starts again knows none of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from postroom.domain.token import Scope, hash_of
from postroom.ids import new_secret

LINK_S: Final = 600.0
"""How long a link is good for."""
LINKS_MAX: Final = 100
"""Links that wait at once; a newer one takes the place of the oldest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What whoever opens a link first gets."""

    name: str
    scope: Scope
    until_s: float


class Links:
    """Links that nobody has opened yet, by the hash of their code."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._waiting: dict[str, Link] = {}

    def make(self, name: str, scope: Scope) -> str:
        """A new code, good once and for `LINK_S`."""
        self._drop_old()
        while len(self._waiting) >= LINKS_MAX:
            del self._waiting[next(iter(self._waiting))]
        code = new_secret()
        self._waiting[hash_of(code)] = Link(name=name, scope=scope, until_s=self._now_s() + LINK_S)
        return code

    def spend(self, code: str) -> Link | None:
        """What a code gives, once."""
        self._drop_old()
        return self._waiting.pop(hash_of(code), None)

    def _drop_old(self) -> None:
        now_s = self._now_s()
        for digest in [key for key, link in self._waiting.items() if link.until_s <= now_s]:
            del self._waiting[digest]
