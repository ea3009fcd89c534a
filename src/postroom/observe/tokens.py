"""The tokens of the API as the person sees them: never with their secrets, which nobody keeps."""

from dataclasses import dataclass

from postroom.domain.plain import Json
from postroom.domain.token import Scope, Token, TokenKind
from postroom.observe.looks import as_json
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenView:
    """A token. Times are microseconds of wall time."""

    token_id: str
    kind: TokenKind
    name: str
    scope: Scope
    created_us: int
    last_used_us: int | None
    """Coarse: one use a minute is written down."""
    expires_us: int | None
    is_live: bool
    """Whether it still opens anything."""


def tokens(tx: Tx, limit: int) -> list[TokenView]:
    """The tokens that were not revoked, newest first; of those that have expired it says so."""
    return [token_view(token, tx.now_us) for token in tx.live_tokens(limit)]


def token_rows(tx: Tx, limit: int) -> list[Json]:
    """The same as JSON."""
    return [as_json(token) for token in tokens(tx, limit)]


def token_view(token: Token, now_us: int) -> TokenView:
    """One token as the person sees it."""
    return TokenView(
        token_id=token.public_id, kind=token.kind, name=token.name, scope=token.scope,
        created_us=token.created_us, last_used_us=token.last_used_us, expires_us=token.expires_us,
        is_live=token.is_live(now_us),
    )  # fmt: skip
