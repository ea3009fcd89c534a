"""The socket that the daemon listens at: bound here, so that its port is known before anything is said."""

import contextlib
import errno
import ipaddress
import socket
from collections.abc import Generator
from typing import Final

from postroom.daemon.certificate import certificate_of
from postroom.errors import ConfigFault, Fault
from postroom.profiles.daemon_settings import PORT, DaemonSettings

BACKLOG: Final = 2048
"""Connections that may stand before the door: a thousand pages that come back at once."""
_LOOPBACK_NAMES: Final = frozenset(("localhost", "ip6-localhost"))


class PortTaken(Fault):
    """The port that was chosen is in use. Choose another, or none: then a free one is taken."""

    code = "port_taken"


@contextlib.contextmanager
def listening(settings: DaemonSettings) -> Generator[socket.socket]:
    """A socket that listens.

    Raises `ConfigFault` for an address that others reach unguarded, or a certificate that cannot be used;
    `PortTaken`.
    """
    refuse_unguarded(settings)
    certificate_of(settings)
    bound = _bound(settings)
    try:
        yield bound
    finally:
        bound.close()


def refuse_unguarded(settings: DaemonSettings) -> None:
    """Raise `ConfigFault` where others could listen in: no loopback, no TLS and no stated proxy."""
    if bool(settings.tls_cert_file) != bool(settings.tls_key_file):
        raise ConfigFault(
            "of daemon.tls_cert_file and daemon.tls_key_file only one is set", remedy="set both, or none"
        )
    if is_loopback(settings.host) or settings.has_tls or settings.behind_proxy:
        return
    raise ConfigFault(
        f"daemon.host {settings.host!r} lets others in, and nothing keeps what is said from being overheard",
        remedy="set daemon.tls_cert_file and daemon.tls_key_file; or daemon.behind_proxy, if a proxy with "
        "TLS stands in front; or leave 127.0.0.1",
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host.lower() in _LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def url_of(bound: socket.socket, settings: DaemonSettings) -> str:
    """The address as a browser takes it; of all interfaces, the one of this machine."""
    host, port = bound.getsockname()[:2]
    address = ipaddress.ip_address(host)
    if address.is_unspecified:
        host = "127.0.0.1" if address.version == 4 else "::1"  # noqa: PLR2004 -- the fourth version
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if settings.has_tls else 'http'}://{shown}:{port}"


def _bound(settings: DaemonSettings) -> socket.socket:
    """At the chosen port; where nobody chose one and it is taken, at any that is free."""
    chosen = PORT if settings.port is None else settings.port
    try:
        return _bind(settings.host, chosen)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise ConfigFault(
                f"the daemon cannot listen at {settings.host}, port {chosen}: {error.strerror or error}",
                remedy="choose another with --host and --port",
            ) from error
        if settings.port is None:
            return _bind(settings.host, 0)
        raise PortTaken(
            f"port {chosen} of {settings.host} is taken", remedy="choose another with --port, or none"
        ) from error


def _bind(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    bound = socket.socket(family, kind, protocol)
    try:
        # A daemon that starts again takes the port of the one before it, whose connections linger.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        # At once: with the option above two that are bound see each other only when they listen.
        bound.listen(BACKLOG)
    except OSError:
        bound.close()
        raise
    return bound
