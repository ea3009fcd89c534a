"""What every request passes before any route: names, origins, protocol, sizes, rates, and who calls.

It stands outside of the application, so that nothing of a request is read before it is known from whom it
is. Every refusal is answered in the one form.
"""

from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from postroom.daemon.api.bodies import Bodies, without_body
from postroom.daemon.api.callers import Recognised, cookie_name, recognise
from postroom.daemon.api.faults import HttpFault, answer_to
from postroom.daemon.api.guard import Unauthenticated, remember
from postroom.daemon.api.headers import with_headers
from postroom.daemon.api.house import House
from postroom.daemon.api.origins import check_host, check_own_page, check_protocol, port_of
from postroom.daemon.protocol import OPEN_PATHS
from postroom.errors import Fault

API: Final = "/api"
METRICS: Final = "/metrics"
STREAMS: Final = "/events"
"""How the addresses of streams end."""
LOGIN_PATH: Final = "/login"
"""Guesses are slowed down there as well, and right links are not."""
ADDRESS_BYTES_MAX: Final = 8 * 1024
HEADERS_BYTES_MAX: Final = 32 * 1024


class RateLimited(HttpFault):
    """Too many requests in a short time. Wait as long as `Retry-After` says; nothing was done."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "rate_limited"
    retryable = True

    def __init__(self, wait_s: float, message: str = "too many requests in a short time") -> None:
        super().__init__(message, remedy="wait a moment, or raise the limits of [daemon]")
        self.wait_s = wait_s

    @property
    def headers(self) -> dict[str, str]:
        """How long to wait, in whole seconds."""
        return {"retry-after": str(int(self.wait_s) + 1)}


class AddressTooLong(HttpFault):
    """The path and query of a request are longer than 8 KiB."""

    status = HTTPStatus.REQUEST_URI_TOO_LONG
    code = "address_too_long"


class HeadersTooLarge(HttpFault):
    """The headers of a request are larger than 32 KiB. Too many cookies may be why."""

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    code = "headers_too_large"


class Doorman:
    """An application around the application."""

    def __init__(self, app: ASGIApp, house: House) -> None:
        self._app = app
        self._house = house
        self._bodies = Bodies(house.settings.request_bytes_max)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = with_headers(scope, send)
        try:
            receive = await self._admit(scope, receive)
        except Fault as fault:
            await answer_to(fault)(scope, receive, send)
            return
        await self._app(_as_looked_up(scope), receive, send)

    async def _admit(self, scope: Scope, receive: Receive) -> Receive:
        """What is left to read of a request that may pass. Raises what is wrong with it."""
        headers = Headers(scope=scope)
        _check_sizes(scope)
        check_host(self._house, scope, headers)
        if scope["path"] == METRICS or _is_api(scope["path"]):
            check_protocol(scope, headers)
            if scope["path"] not in OPEN_PATHS:
                return await self._admit_caller(scope, receive, headers)
        await self._admit_visitor(scope, headers)
        return without_body(receive)

    async def _admit_visitor(self, scope: Scope, headers: Headers) -> None:
        """For what needs no token. All programs of a machine have one address, so whoever has a login, or a
        link to one, is not kept out by what the others ask.
        """
        house = self._house
        wait_s = house.access.requests.take(f"address {address_of(scope)}")
        if not wait_s or scope["path"] == LOGIN_PATH:
            return
        found = await recognise(house, headers, login_cookie(scope))
        if found.caller is None:
            raise RateLimited(wait_s)
        _check_rate(house, found.caller.token_id)

    async def _admit_caller(self, scope: Scope, receive: Receive, headers: Headers) -> Receive:
        """The body of a request by somebody who is known. Nothing is read for others."""
        house = self._house
        found = await recognise(house, headers, login_cookie(scope))
        if found.caller is None:
            _check_rate(house, f"address {address_of(scope)}")
            raise _unknown(house, scope, found)
        remember(scope, found.caller)
        _check_rate(house, found.caller.token_id)
        if found.caller.is_page:
            check_own_page(scope, headers)
        return await self._bodies.read(headers, receive)


def login_cookie(scope: Scope) -> str:
    """The name of the login's cookie where this request came in."""
    return cookie_name(port_of(scope), is_secure=scope["scheme"] == "https")


def _check_sizes(scope: Scope) -> None:
    if len(scope["raw_path"]) + len(scope["query_string"]) > ADDRESS_BYTES_MAX:
        raise AddressTooLong("the address is longer than 8 KiB", remedy="send less")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > HEADERS_BYTES_MAX:
        raise HeadersTooLarge("the headers are larger than 32 KiB", remedy="send less")


def _check_rate(house: House, who: str) -> None:
    wait_s = house.access.requests.take(who)
    if wait_s:
        raise RateLimited(wait_s)


def _unknown(house: House, scope: Scope, found: Recognised) -> HttpFault:
    """Guesses are slowed down. A right token is taken also then: else a stranger could lock others out."""
    if found.has_failed and (wait_s := house.access.failures.take(address_of(scope))):
        return RateLimited(wait_s, "too many tokens from this address open nothing")
    return Unauthenticated()


def _as_looked_up(scope: Scope) -> Scope:
    """A HEAD is answered as a GET, and the server keeps the body. A stream has no end that could be known."""
    path: str = scope["path"]
    if scope["method"] != "HEAD" or not (_is_api(path) or path == METRICS) or path.endswith(STREAMS):
        return scope
    return {**scope, "method": "GET"}


def _is_api(path: str) -> bool:
    return path == API or path.startswith(f"{API}/")


def address_of(scope: Scope) -> str:
    """From where a request comes; of all programs of one machine it is the same."""
    client = scope.get("client")
    return str(client[0]) if client else ""
