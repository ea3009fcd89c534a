"""Who may call the API of a daemon. Every change is durable on return."""

from postroom.domain.keys import TokenKey
from postroom.domain.receipt import Refusal
from postroom.domain.token import Token
from postroom.service import tokens
from postroom.service.office_base import OfficeBase
from postroom.store.tx import Tx


class TokenOffice(OfficeBase):
    """Tokens."""

    async def add_token(self, wanted: tokens.Wanted, digest: str) -> Token | Refusal:
        """Hand out a token; `digest` is the hash of its secret."""
        return await self._write(tokens.add_token, wanted, digest)

    async def revoke_token(self, public_id: str) -> Token | Refusal:
        """Take a token back."""
        return await self._write(tokens.revoke_token, public_id)

    async def token_of(self, digest: str) -> Token | None:
        """The token whose secret has this hash, whether it still opens anything or not."""
        return await self.store.read(Tx.token_by_hash, digest)

    async def mark_used(self, token: TokenKey) -> None:
        """Write down that a token was used about now."""
        await self._write(tokens.mark_used, token)
