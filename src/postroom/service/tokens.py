"""Handing out tokens of the API and taking them back. The secret itself never comes here."""

from dataclasses import dataclass
from typing import Final

from postroom.domain.keys import TokenKey
from postroom.domain.receipt import Code, Refusal
from postroom.domain.token import Scope, Token, TokenKind
from postroom.rules.naming import id_of
from postroom.rules.text import is_blank
from postroom.store.tx import Tx

NAME_CHARS_MAX: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A token to be handed out, and when it ends by itself, in microseconds of wall time."""

    kind: TokenKind
    name: str
    scope: Scope
    expires_us: int | None = None


def add_token(tx: Tx, wanted: Wanted, digest: str) -> Token | Refusal:
    """Hand out a token. Durable on return.

    Refuses `invalid_name`, and `invalid_arguments` for one that would have ended before it begins.
    """
    if (why := _flaw(wanted.name)) is not None:
        return Refusal(code=Code.INVALID_NAME, facts={"why": why})
    if wanted.expires_us is not None and wanted.expires_us <= tx.now_us:
        return Refusal(code=Code.INVALID_ARGUMENTS)
    return tx.insert_token(wanted.kind, wanted.name, wanted.scope, digest, wanted.expires_us)


def revoke_token(tx: Tx, public_id: str) -> Token | Refusal:
    """Take a token back. Again changes nothing. Refuses `unknown_reference`."""
    token = tx.token_by_public_id(id_of(public_id))
    if token is None:
        return Refusal(code=Code.UNKNOWN_REFERENCE)
    if token.revoked_us is None:
        tx.revoke_token(token.key)
    return token


def mark_used(tx: Tx, token: TokenKey) -> None:
    """Write down that a token was used about now."""
    tx.mark_token_used(token)


def _flaw(name: str) -> str | None:
    """Why nobody's token can be called so, in words that go on after `a name`."""
    if is_blank(name):
        return "must not be blank"
    if len(name) > NAME_CHARS_MAX:
        return f"has at most {NAME_CHARS_MAX} characters"
    return None if name.isprintable() else "holds nothing that cannot be seen"
