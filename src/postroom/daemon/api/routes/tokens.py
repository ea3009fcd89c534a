"""Who may call the API: handed out and taken back."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from postroom.app.tokens import NewToken
from postroom.daemon import tokens as deeds
from postroom.daemon.api.given import LISTED, US_MAX, Given, Id, Limit, Name
from postroom.daemon.api.guard import Admin
from postroom.domain.token import Scope
from postroom.observe.tokens import TokenView

router = APIRouter(prefix="/tokens", tags=["access"])


class TokenGiven(Given):
    """A token to hand out; `expires_us` is the wall time in microseconds at which it ends by itself."""

    name: Name
    scope: Annotated[Scope, Field(strict=False)]
    expires_us: Annotated[int, Field(ge=0, le=US_MAX)] | None = None


@router.get("")
async def tokens(house: Admin, limit: Limit = LISTED) -> list[TokenView]:
    """The tokens that were not revoked, newest first. Nobody can show their secrets again."""
    return await house.room.tokens(limit)


@router.post("", status_code=201)
async def add_token(house: Admin, given: TokenGiven) -> NewToken:
    """Hand out a token. The answer is the only place where its secret ever stands."""
    return await house.room.add_token(given.name, given.scope, expires_us=given.expires_us)


@router.delete("/{token}")
async def revoke_token(house: Admin, token: Id) -> TokenView:
    """Take a token back; what is open with it is cut off. Again changes nothing."""
    return await deeds.revoke_token(house.room, token)
