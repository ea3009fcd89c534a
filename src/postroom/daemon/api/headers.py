"""What every answer tells the browser about itself: run nothing foreign, guess nothing, keep nothing."""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Scope, Send

CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Styles that the page sets on elements by script are no inline styles, so they need no exception."""
_ALWAYS: Final = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-robots-tag": "noindex, nofollow",
}
_TLS_ALWAYS: Final = "max-age=31536000"
"""A browser that has seen it over TLS once, comes by TLS for a year."""
_LOCAL: Final = frozenset(("localhost", "127.0.0.1", "[::1]"))


def with_headers(scope: Scope, send: Send) -> Send:
    """A way to answer that adds them; `Cache-Control` only where the answer does not say it itself."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(_ALWAYS)
            headers.setdefault("cache-control", "no-store")
            if scope["scheme"] == "https" and not _is_local(scope):
                headers["strict-transport-security"] = _TLS_ALWAYS
        await send(message)

    return sent


def _is_local(scope: Scope) -> bool:
    """A name that other programs of this machine share: it must not be bound to TLS for them."""
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    return host.rpartition(":")[0].lower() in _LOCAL or host.lower() in _LOCAL
