"""The certificate that the daemon shows over TLS: tried before anything listens, and told to clients here."""

import re
import ssl
from pathlib import Path
from typing import Final

from postroom.errors import ConfigFault
from postroom.profiles.daemon_settings import DaemonSettings

_BLOCK: Final = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


def certificate_of(settings: DaemonSettings) -> str:
    """The daemon's own certificate as PEM, without its key and what it hangs on; empty without TLS.

    Raises `ConfigFault` where the files cannot be read, do not belong together, or ask for a password.
    """
    if not settings.has_tls:
        return ""
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # An empty password instead of a question to a terminal that nobody looks at.
        context.load_cert_chain(settings.tls_cert_file, settings.tls_key_file, password="")
        text = Path(settings.tls_cert_file).read_text(encoding="utf-8", errors="replace")
        found = _BLOCK.search(text)
        return ssl.DER_cert_to_PEM_cert(ssl.PEM_cert_to_DER_cert(found[0])) if found else _none(settings)
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        raise ConfigFault(
            f"{settings.tls_cert_file} and {settings.tls_key_file} cannot be used for TLS: {error}",
            remedy="name a certificate and its key, both as PEM, the key without a password",
        ) from error


def _none(settings: DaemonSettings) -> str:
    raise ConfigFault(f"{settings.tls_cert_file} holds no certificate as PEM", remedy="name one that does")
