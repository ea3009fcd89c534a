"""Folding the events of tokens: who may call the API."""

from postroom.domain.token import Scope, TokenKind
from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded, NotFoldable


def added(state: Folded, facts: Facts) -> None:
    """`token.added`: it was handed out."""
    state.tokens[facts.key("token")] = rows.Token(
        kind=TokenKind(facts.word("kind")).value, scope=Scope(facts.word("scope")).value,
        expires_us=facts.maybe("expires_us"),
    )  # fmt: skip


def revoked(state: Folded, facts: Facts) -> None:
    """`token.revoked`: it opens nothing any more, once."""
    key = facts.key("token")
    row = state.tokens.get(key)
    if row is None or row.revoked:
        raise NotFoldable(f"token {key} opens nothing")
    state.tokens[key] = row._replace(revoked=1)
