"""Who a request is from: the token in its `Authorization` header, else the cookie of a login.

Whatever is wrong with it, the answer is the same: a caller that is known, or nobody.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers

from postroom.daemon.api.access import Caller
from postroom.daemon.api.house import House
from postroom.domain.token import SECRET_CHARS_MAX, Token, TokenKind

COOKIES_MAX: Final = 16
"""Cookies of our name that are looked at: pages of other ports can add one for each folder of an address,
and a browser sends those first."""
_SCHEME: Final = "bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """Who calls, if anybody is known; and whether something was shown that opens nothing."""

    caller: Caller | None
    has_failed: bool


def cookie_name(port: int, *, is_secure: bool) -> str:
    """The login's cookie. Cookies ignore ports, so its name holds it: two daemons do not mind each other.

    Over TLS the browser itself keeps others from setting it (`__Host-`).
    """
    return f"{'__Host-' if is_secure else ''}postroom_{port}"


async def recognise(house: House, headers: Headers, cookie: str) -> Recognised:
    """The caller of a request. `cookie`: how the login's cookie is called here."""
    given = headers.getlist("authorization")
    if given:
        caller = await _bearer(house, given)
        return Recognised(caller=caller, has_failed=caller is None)
    found = list(cookies(headers.getlist("cookie"), cookie))[:COOKIES_MAX]
    for secret in found:
        token = await house.room.token_of(secret[:SECRET_CHARS_MAX], TokenKind.PAGE)
        if token is not None:
            return Recognised(caller=_caller(token), has_failed=False)
    # A cookie that opens nothing any more is what every page has after a while: it is no attack.
    return Recognised(caller=None, has_failed=False)


def cookies(headers: Iterable[str], name: str) -> Iterable[str]:
    """The values of every cookie of this name."""
    for header in headers:
        for part in header.split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                yield value


async def _bearer(house: House, given: list[str]) -> Caller | None:
    """Of one header that is there once. Two of them would let each reader believe another one."""
    if len(given) != 1 or not given[0].lower().startswith(_SCHEME):
        return None
    secret = given[0][len(_SCHEME) :].strip()
    if len(secret) > SECRET_CHARS_MAX:
        return None
    own = house.access.own(secret)
    if own is not None:
        return own
    token = await house.room.token_of(secret, TokenKind.PROGRAM)
    return None if token is None else _caller(token)


def _caller(token: Token) -> Caller:
    return Caller(
        token_id=token.public_id, name=token.name, scope=token.scope,
        is_page=token.kind is TokenKind.PAGE, expires_us=token.expires_us,
    )  # fmt: skip
