"""From where a request may come: our own names, our own page, and our own version of the protocol.

A page of another site can make a browser send requests here: under a name of its own that leads to this
address (DNS rebinding), or with the cookie of somebody's login (CSRF). Neither gets further than this file.
"""

from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from postroom import __version__
from postroom.daemon.api.faults import HttpFault
from postroom.daemon.api.house import House
from postroom.daemon.protocol import PROTOCOL_HEADER, PROTOCOL_VERSION

SAFE_METHODS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_DEFAULT_PORTS: Final = (80, 443)
"""Browsers leave out the port that the scheme has anyway."""
_JSON: Final = "application/json"
_OWN_SITE: Final = frozenset(("same-origin", "none"))
"""What a browser says of a request that our own page, or the person, has made."""


class ForeignHost(HttpFault):
    """The daemon was called by a name that is none of its own. Name it in `daemon.public_names`."""

    status = HTTPStatus.FORBIDDEN
    code = "foreign_host"


class ForeignOrigin(HttpFault):
    """A page of another site has made the request. Nothing was done."""

    status = HTTPStatus.FORBIDDEN
    code = "foreign_origin"


class ProtocolMismatch(HttpFault):
    """Client and daemon speak different versions of the protocol. Reload the page, or upgrade one of them."""

    status = HTTPStatus.UPGRADE_REQUIRED
    code = "protocol_mismatch"


def names_of(house: House, port: int) -> frozenset[str]:
    """The values of `Host` under which the daemon answers, in small letters."""
    public = tuple(name.lower() for name in house.settings.public_names)
    with_port = (f"{name}:{port}" for name in (*_LOOPBACK, *public))
    own = urlsplit(house.url).netloc.lower()
    return frozenset((*with_port, *public, *(_LOOPBACK if port in _DEFAULT_PORTS else ()), own))


def check_host(house: House, scope: Scope, headers: Headers) -> None:
    """Raise `ForeignHost` unless the request names us."""
    given = headers.getlist("host")
    if len(given) != 1 or given[0].lower() not in names_of(house, port_of(scope)):
        raise ForeignHost(
            "the daemon does not go by this name",
            remedy="use the address that `postroom status` prints, or add the name to daemon.public_names",
        )


def check_own_page(scope: Scope, headers: Headers) -> None:
    """Raise `ForeignOrigin` unless our own page made this request with the cookie of a login.

    Browsers say so themselves, in `Origin` and `Sec-Fetch-Site`; neither can be set by a page. What changes
    something must also look as no form can.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    is_safe = scope["method"] in SAFE_METHODS
    is_own = _is_own(origin, scope, headers) if origin is not None else site in _OWN_SITE or site is None
    if not is_own or (site is not None and site not in _OWN_SITE):
        raise _foreign()
    if not is_safe and ((origin is None and site != "same-origin") or not _is_no_form(headers)):
        raise _foreign()


def check_protocol(scope: Scope, headers: Headers) -> None:
    """Raise `ProtocolMismatch` where a client names another version than ours (CK-33); it may name none."""
    query = parse_qs(scope["query_string"].decode("latin-1")).get("protocol", [])
    named = (*headers.getlist(PROTOCOL_HEADER), *query)
    if any(version.strip() != str(PROTOCOL_VERSION) for version in named):
        raise ProtocolMismatch(
            f"this daemon speaks protocol {PROTOCOL_VERSION} (Postroom {__version__}), the client "
            f"{named[0][:16]!r}",
            remedy="reload the page; a program needs the version of Postroom that the daemon has",
        )


def port_of(scope: Scope) -> int:
    """The port that the request came to."""
    server = scope.get("server")
    return int(server[1] or 0) if server else 0


def _is_own(origin: str, scope: Scope, headers: Headers) -> bool:
    """`Host` was found to be one of ours, so it is enough that both say the same."""
    return origin.lower() == f"{scope['scheme']}://{headers['host'].lower()}"


def _is_no_form(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return PROTOCOL_HEADER in headers or kind == _JSON


def _foreign() -> ForeignOrigin:
    return ForeignOrigin("the request was not made by our own page", remedy="nothing was done")
