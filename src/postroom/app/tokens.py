"""Tokens of the API: the person hands them out and takes them back; a daemon asks who holds a secret."""

import asyncio
import contextlib
from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

from postroom.app.base import RoomBase, allowed
from postroom.clock import Clock
from postroom.domain.token import Scope, Token, TokenKind, hash_of
from postroom.ids import new_secret
from postroom.observe.tokens import TokenView, token_view, tokens
from postroom.service.tokens import Wanted

LOOK_S: Final = 60.0
"""How often at least it is looked whether the time of a token in use is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token that was just handed out, with its secret: this is the only time that it is seen."""

    secret: str
    token: TokenView


class TokenRoom(RoomBase):
    """Who may call the API. Durable on return. Raises `RoomClosed`."""

    async def add_token(
        self, name: str, scope: Scope, *, kind: TokenKind = TokenKind.PROGRAM, expires_us: int | None = None
    ) -> NewToken:
        """Hand out a token. `expires_us`: when it ends by itself, in microseconds of wall time.

        Raises `Refused` (`invalid_name`; `invalid_arguments` for an end that has passed).
        """
        self.check_open()
        secret = new_secret()
        wanted = Wanted(kind=kind, name=name, scope=scope, expires_us=expires_us)
        added = allowed(await self.office.add_token(wanted, hash_of(secret)))
        return NewToken(secret=secret, token=token_view(added, self._clock.now_us()))

    async def revoke_token(self, token_id: str) -> TokenView:
        """Take a token back; who uses it just now is cut off. Again changes nothing.

        Raises `Refused` (`unknown_reference`).
        """
        self.check_open()
        revoked = allowed(await self.office.revoke_token(token_id))
        self.token_uses.end(revoked.public_id)
        now_us = self._clock.now_us()
        return token_view(revoked._replace(revoked_us=now_us), now_us)

    async def tokens(self, limit: int = 500) -> list[TokenView]:
        """The tokens that were not revoked, newest first."""
        self.check_open()
        return await self.store.read(tokens, limit)

    async def token_of(self, secret: str, kind: TokenKind) -> Token | None:
        """The token of a secret, if it opens anything now; that it was used is written down later.

        The look-up is by the hash: how long it takes says nothing of the secrets that there are.
        """
        self.check_open()
        token, now_us = await self.office.token_of(hash_of(secret)), self._clock.now_us()
        if token is None or token.kind is not kind or not token.is_live(now_us):
            return None
        self.token_uses.note(token.key, now_us, self.office.mark_used)
        return token

    @contextlib.contextmanager
    def watch_token(self, token_id: str, expires_us: int | None = None) -> Generator[asyncio.Event]:
        """An event that is set when a token is revoked, or when its time is over."""
        with self.token_uses.watch(token_id) as ended:
            waiting = None if expires_us is None else asyncio.create_task(self._end_at(expires_us, ended))
            try:
                yield ended
            finally:
                if waiting is not None:
                    waiting.cancel()

    @property
    def clock(self) -> Clock:
        """What time it is in this room."""
        return self._clock

    async def _end_at(self, expires_us: int, ended: asyncio.Event) -> None:
        """By the wall clock, which may be set meanwhile: so it is looked at again now and then."""
        while (left_us := expires_us - self._clock.now_us()) > 0:
            await self._clock.sleep_s(min(left_us / 1_000_000, LOOK_S))
        ended.set()
