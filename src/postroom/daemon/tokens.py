"""Tokens through the door, and what is said of one that there is not."""

from typing import Final

from postroom.app import Postroom
from postroom.app.tokens import NewToken
from postroom.daemon.fields import LISTED, Values, number, number_of, some_number, words
from postroom.domain.plain import Json
from postroom.domain.receipt import Code
from postroom.domain.token import Scope
from postroom.errors import NotFound, Refused
from postroom.observe.looks import as_json
from postroom.observe.tokens import TokenView, token_rows

ADD: Final = (
    words("name", "who will use it, for the person's own list"),
    words("scope", "what it may do", choices=tuple(Scope)),
    some_number("expires_us", "wall time in microseconds at which it ends", least=0),
)
LIST: Final = (number("limit", "at most so many", LISTED, least=0),)
REVOKE: Final = (words("token_id", "as the list shows it"),)


async def add(room: Postroom, values: Values) -> Json:
    """Hand out a token; the answer is the only place where its secret ever stands."""
    name, scope = str(values["name"]), Scope(str(values["scope"]))
    return new_token_json(await room.add_token(name, scope, expires_us=number_of(values, "expires_us")))


async def listed(room: Postroom, values: Values) -> Json:
    """The tokens that were not revoked."""
    return await room.store.read(token_rows, int(values["limit"]))


async def revoke(room: Postroom, values: Values) -> Json:
    """Take a token back."""
    return as_json(await revoke_token(room, str(values["token_id"])))


async def revoke_token(room: Postroom, token_id: str) -> TokenView:
    """Take a token back. Raises `NotFound`: the refusal's own words are about messages."""
    try:
        return await room.revoke_token(token_id)
    except Refused as refused:
        if refused.refusal_code != Code.UNKNOWN_REFERENCE:
            raise
        msg = f"there is no token {token_id[:64]!r}"
        raise NotFound(msg, remedy="`postroom token list` shows them with their ids") from refused


def new_token_json(new: NewToken) -> Json:
    """A token that was just handed out, with its secret."""
    return {"secret": new.secret, "token": as_json(new.token)}
