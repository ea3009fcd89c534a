"""Tokens: who may call the API of a daemon, and what for. A secret is shown once and kept as a hash alone."""

import hashlib
from enum import StrEnum
from typing import Final, NamedTuple

from postroom.domain.keys import TokenKey

SECRET_CHARS_MAX: Final = 256
"""What is longer is no secret, and is not looked at."""


class Scope(StrEnum):
    """What a token is good for; each includes those before it."""

    READ = "read"
    """See everything."""
    OPERATE = "operate"
    """Speak, steer, stop and decide as the person."""
    ADMIN = "admin"
    """Delete, change rights and hand out tokens."""

    def covers(self, other: "Scope") -> bool:
        """Whether who has this scope may do what needs another."""
        ranks = list(Scope)
        return ranks.index(self) >= ranks.index(other)


class TokenKind(StrEnum):
    """How a token came to its owner. One kind is never taken where the other belongs."""

    PROGRAM = "program"
    """Handed out by the person; sent in the `Authorization` header."""
    PAGE = "page"
    """Given to a browser for a one-time link; sent as a cookie."""


class Token(NamedTuple):
    """A token without its secret. Times are microseconds of wall time."""

    key: TokenKey
    public_id: str
    kind: TokenKind
    name: str
    scope: Scope
    created_us: int
    last_used_us: int | None = None
    """Coarse: one use a minute is written down."""
    expires_us: int | None = None
    revoked_us: int | None = None

    def is_live(self, now_us: int) -> bool:
        """Whether it opens anything: neither revoked nor expired."""
        return self.revoked_us is None and (self.expires_us is None or now_us < self.expires_us)


def hash_of(secret: str) -> str:
    """What is kept of a secret. It holds 256 random bits, so nothing slower than one SHA-256 is needed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
