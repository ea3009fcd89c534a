"""How a browser gets in: a link that is good once, a cookie for it, and the way out again."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from postroom.daemon.api.callers import recognise
from postroom.daemon.api.doorman import LOGIN_PATH, address_of, login_cookie
from postroom.daemon.api.house import House
from postroom.daemon.api.links import LINK_S, Link
from postroom.domain.token import SECRET_CHARS_MAX, Scope, TokenKind

LOGIN_S: Final = 30 * 24 * 3_600
"""How long a login lasts."""
PAGE_NAME: Final = "page"
_MICROS: Final = 1_000_000
_LOGGED_OUT: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width"><title>Postroom: this link is used up</title></head>
<body><main><h1>This link opens nothing any more</h1>
<p>A login link works once, and for ten minutes. This one was used before, is older, or the daemon was
started anew since.</p>
<p>For a new one, type this where Postroom runs:</p><pre>postroom open</pre>
<p>If you are logged in already, <a href="/">go on to the page</a>.</p></main></body></html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginLink:
    """A link that logs one browser in."""

    url: str
    scope: Scope
    expires_us: int
    """Wall time in microseconds; it is good once, and until then."""


def make_link(house: House, base: str, scope: Scope) -> LoginLink:
    """A new link. `base`: scheme, host and port by which the browser reaches the daemon."""
    query = urlencode({"code": house.access.links.make(PAGE_NAME, scope)})
    expires_us = house.room.clock.now_us() + int(LINK_S * _MICROS)
    return LoginLink(url=f"{base}{LOGIN_PATH}?{query}", scope=scope, expires_us=expires_us)


def base_of(house: House) -> str:
    """Scheme, host and port by which people reach the daemon: its public name where it has one over TLS."""
    settings, names = house.settings, house.settings.public_names
    if not names or not (settings.has_tls or settings.behind_proxy):
        return house.url
    port = house.url.rpartition(":")[2]
    return f"https://{names[0]}:{port}" if settings.has_tls and ":" not in names[0] else f"https://{names[0]}"


async def log_in(house: House, request: Request, code: str) -> Response:
    """Spend a link for a cookie, and go to the page: no secret is in any address from there on."""
    if _is_ahead_of_the_person(request):
        return Response(status_code=HTTPStatus.TOO_EARLY)
    cookie = login_cookie(request.scope)
    link = house.access.links.spend(code[:SECRET_CHARS_MAX])
    found = await recognise(house, request.headers, cookie)
    is_in = found.caller is not None and found.caller.is_page
    if link is None:
        return _to_page() if is_in else _used_up(house, request)
    if is_in and found.caller is not None and found.caller.scope.covers(link.scope):
        return _to_page()
    return await _with_cookie(house, request, cookie, link)


def log_out(request: Request, answer: Response) -> None:
    """Take the cookie from the browser."""
    is_secure = request.url.scheme == "https"
    answer.delete_cookie(
        login_cookie(request.scope), path="/", secure=is_secure, httponly=True, samesite="strict"
    )


async def _with_cookie(house: House, request: Request, cookie: str, link: Link) -> Response:
    ends_us = house.room.clock.now_us() + LOGIN_S * _MICROS
    new = await house.room.add_token(link.name, link.scope, kind=TokenKind.PAGE, expires_us=ends_us)
    answer = _to_page()
    answer.set_cookie(
        cookie, new.secret, max_age=LOGIN_S, path="/", secure=request.url.scheme == "https",
        httponly=True, samesite="strict",
    )  # fmt: skip
    return answer


def _is_ahead_of_the_person(request: Request) -> bool:
    """A browser that only fetches what somebody might open next must not use the link up."""
    purposes = ("sec-purpose", "purpose", "x-moz", "x-purpose")
    said = " ".join(request.headers.get(name, "") for name in purposes).lower()
    return "prefetch" in said or "preview" in said or "prerender" in said


def _to_page() -> Response:
    return RedirectResponse("/", status_code=HTTPStatus.SEE_OTHER)


def _used_up(house: House, request: Request) -> Response:
    wait_s = house.access.failures.take(address_of(request.scope))
    if not wait_s:
        return HTMLResponse(_LOGGED_OUT, status_code=HTTPStatus.GONE)
    headers = {"retry-after": str(int(wait_s) + 1)}
    return HTMLResponse(_LOGGED_OUT, status_code=HTTPStatus.TOO_MANY_REQUESTS, headers=headers)
