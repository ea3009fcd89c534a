"""Ids whose random half a test chooses, so that two handles can be made to collide (O-07, CK-23)."""

from collections.abc import Iterable

from postroom.ids import SystemIds


class ChosenTokens:
    """Public ids as usual; tokens from the list first, then random ones."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._tokens = iter(tokens)
        self._system = SystemIds()

    def public(self) -> str:
        """A new UUIDv7 in text."""
        return self._system.public()

    def token(self) -> str:
        """The next chosen token, or a random one when none is left."""
        return next(self._tokens, None) or self._system.token()
