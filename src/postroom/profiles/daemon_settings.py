"""`[daemon]`: where the daemon listens, by which names it is called, and how much it takes from callers.

Only the person says so, never a team folder: who could widen the door could let others in.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from postroom.profiles.fields import Fields

PORT: Final = 7678
"""The port that is tried first when nobody chose one."""
PORT_MAX: Final = 65_535
_MEBIBYTE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonSettings:
    """`[daemon]`: the HTTP API and the page, which `postroom up` serves."""

    host: str = "127.0.0.1"
    """The address that is listened at. One that others reach needs `tls_cert_file` and `tls_key_file`,
    or `behind_proxy`."""
    port: int | None = None
    """The port; 0 is any free one. None: 7678, or any free one when that is taken."""
    public_names: tuple[str, ...] = ()
    """Host names by which browsers reach it, beside `localhost` and the address itself."""
    tls_cert_file: str = ""
    """A file with the certificate and what it hangs on, as PEM."""
    tls_key_file: str = ""
    """A file with the certificate's key, as PEM."""
    behind_proxy: tuple[str, ...] = ()
    """Addresses of proxies that are believed when they say who called and whether over TLS."""
    request_bytes_max: int = 10 * _MEBIBYTE
    """The longest body of a request, in bytes."""
    requests_per_s: int = 200
    """Requests that one caller may make a second, on the average of a few seconds."""
    logins_per_min: int = 20
    """Unknown tokens and used links of one address in a minute; then more of them wait, and right ones do
    not."""
    streams_max: int = 2_000
    """Streams of events that are open at once."""

    @property
    def has_tls(self) -> bool:
        """Whether it speaks TLS itself."""
        return bool(self.tls_cert_file and self.tls_key_file)


DAEMON_KEYS: Final = tuple(f"daemon.{entry.name}" for entry in fields(DaemonSettings))
"""Every dotted key of the table."""


def read_daemon(table: Fields) -> DaemonSettings:
    """What a `[daemon]` table says; what it does not say is as in `DaemonSettings`."""
    said = {
        "host": table.text("host"), "port": table.integer("port", least=0, most=PORT_MAX),
        "public_names": _listed(table, "public_names"), "behind_proxy": _addresses(table, "behind_proxy"),
        "tls_cert_file": _file(table, "tls_cert_file"), "tls_key_file": _file(table, "tls_key_file"),
        "request_bytes_max": table.integer("request_bytes_max", least=1024, most=1024 * _MEBIBYTE),
        "requests_per_s": table.integer("requests_per_s", least=1, most=1_000_000),
        "logins_per_min": table.integer("logins_per_min", least=1, most=1_000_000),
        "streams_max": table.integer("streams_max", least=1, most=100_000),
    }  # fmt: skip
    table.close()
    return DaemonSettings(**{name: value for name, value in said.items() if value is not None})  # pyright: ignore[reportArgumentType]


def _listed(table: Fields, key: str) -> tuple[str, ...] | None:
    """A list of names, or one text with commas between them: the environment has no lists."""
    found = table.setting(key)
    if found is None or not isinstance(found.value, str):
        return table.texts(key)
    return tuple(name.strip() for name in found.value.split(",") if name.strip())


def _addresses(table: Fields, key: str) -> tuple[str, ...] | None:
    """Addresses or networks. The server behind it would take `*` for anybody, and a name for nobody."""
    listed, setting = _listed(table, key), table.setting(key)
    for one in listed or ():
        if setting is not None and not _is_network(one):
            table.complain(
                setting, f"`{one}` is no address", "name addresses or networks: 10.0.0.5, 10.0.0.0/24"
            )
    return listed


def _is_network(text: str) -> bool:
    from ipaddress import ip_network  # noqa: PLC0415 - hardly anybody states a proxy, and `ps` starts here

    try:
        return ip_network(text, strict=False).prefixlen > 0
    except ValueError:
        return False


def _file(table: Fields, key: str) -> str | None:
    text, setting = table.text(key), table.setting(key)
    path = None if text is None or setting is None else table.path(text, setting)
    return None if path is None else str(Path(path))
