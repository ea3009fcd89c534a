"""Where the daemon of a store is, how one shows who one is there, and by what it shows that it is the one.

The daemon writes all three into the store's folder, which its owner alone can read. Over TLS nothing is
believed but that very certificate: whoever holds its key is the daemon, under whatever name it was called,
and no authority can hand out another.
"""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2

from postroom.daemon.own_token import read_own_token
from postroom.daemon.presence import found
from postroom.daemon.protocol import PREFIX, PROTOCOL_HEADER, PROTOCOL_VERSION
from postroom.daemon.wire import DoorClosed

ANSWER_S: Final = 15.0
"""How long an answer may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """All that it takes to speak to one daemon."""

    url: str
    secret: str
    certificate: str = ""
    """The certificate that it shows, as PEM; empty where it speaks no TLS."""


def reach_of(folder: Path) -> Reach:
    """How to reach the daemon that runs a store now. Raises `DoorClosed` when none does."""
    presence, secret = found(folder), read_own_token(folder)
    if presence is None or secret is None:
        raise DoorClosed(f"no daemon runs the store in {folder}", remedy="start one: postroom up --detach")
    return Reach(url=presence.url, secret=secret, certificate=presence.certificate)


def connected(reach: Reach) -> httpx2.AsyncClient:
    """A client of one daemon; its paths begin at the prefix of the API. Nothing is asked yet."""
    headers = {"authorization": f"Bearer {reach.secret}", PROTOCOL_HEADER: str(PROTOCOL_VERSION)}
    return httpx2.AsyncClient(
        base_url=f"{reach.url}{PREFIX}", headers=headers, timeout=ANSWER_S, trust_env=False,
        verify=_only(reach.certificate) if reach.certificate else True,
    )  # fmt: skip


def _only(certificate: str) -> ssl.SSLContext:
    """Takes one certificate and no other. Raises `DoorClosed` for what is none."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The certificate itself is the anchor, whoever has signed it; so its names add nothing: one that is made
    # out to a public name is the right one at 127.0.0.1, too.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        context.load_verify_locations(cadata=certificate)
    except (ssl.SSLError, ValueError) as error:
        raise DoorClosed(
            "the file daemon.json names a certificate that cannot be read", remedy="start the daemon anew"
        ) from error
    return context
