"""Tokens: the statements, with their events in the store's own log."""

from postroom.domain.event import EventKind
from postroom.domain.keys import TokenKey
from postroom.domain.token import Scope, Token, TokenKind
from postroom.store.tx_base import Row
from postroom.store.tx_log import LogTx

_STORE = 0
"""The log of the store itself."""


class TokenTx(LogTx):
    """Who may call the API."""

    __slots__ = ()

    def insert_token(
        self, kind: TokenKind, name: str, scope: Scope, digest: str, expires_us: int | None
    ) -> Token:
        """Somebody may call the API. `digest` is all that is kept of the secret."""
        public_id = self.new_id()
        key = self._insert(
            "insert_token", public_id, kind.value, name, scope.value, digest, self.now_us, expires_us
        )
        end = "null" if expires_us is None else expires_us
        event = f'{{"token":{key},"kind":"{kind.value}","scope":"{scope.value}","expires_us":{end}}}'
        self.event(_STORE, EventKind.TOKEN_ADDED, event, actor="person")
        return Token(TokenKey(key), public_id, kind, name, scope, self.now_us, expires_us=expires_us)

    def token_by_hash(self, digest: str) -> Token | None:
        """The token whose secret has this hash, whether it still opens anything or not."""
        return self._find("token_by_hash", _token, digest)

    def token_by_public_id(self, public_id: str) -> Token | None:
        """One token by its id."""
        return self._find("token_by_public_id", _token, public_id)

    def live_tokens(self, limit: int) -> list[Token]:
        """The tokens that were not revoked, newest first; of logins only those that still open something."""
        return self._each("live_tokens", _token, self.now_us, limit)

    def revoke_token(self, token: TokenKey) -> None:
        """It opens nothing any more."""
        self._do("revoke_token", self.now_us, token)
        self.event(_STORE, EventKind.TOKEN_REVOKED, f'{{"token":{token}}}', actor="person")

    def mark_token_used(self, token: TokenKey) -> None:
        """It was used about now. No event: nothing hangs on it."""
        self._do("mark_token_used", self.now_us, token)


def _token(row: Row) -> Token:
    found = Token._make(row)
    return found._replace(kind=TokenKind(found.kind), scope=Scope(found.scope))
