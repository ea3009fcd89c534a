"""Public ids: UUIDv7 once per thing. Order is never read from an id (O-22), only from integer keys."""

import secrets
from typing import Final, Protocol

from uuid_utils import uuid7

SECRET_PREFIX: Final = "pr_"
"""How every secret begins, so that people and scanners of code know one when they see it."""


class Ids(Protocol):
    """Where ids come from; a test may force collisions (O-07)."""

    def public(self) -> str:
        """A new UUIDv7 in text."""
        ...

    def token(self) -> str:
        """Eight random lower-case hex digits: the tail of a handle (CK-23)."""
        ...


def new_secret() -> str:
    """The secret of a new token: 256 random bits, as text that headers, cookies and addresses take."""
    return SECRET_PREFIX + secrets.token_urlsafe(32)


class SystemIds:
    """Random ids."""

    def public(self) -> str:
        """A new UUIDv7 in text."""
        return str(uuid7())

    def token(self) -> str:
        """Random, never cut from a time-ordered id: those share their first digits (O-07)."""
        return secrets.token_hex(4)
