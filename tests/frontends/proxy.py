"""A certificate, and a proxy in front of a daemon: real ones, as small as they can be."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from postroom.profiles.daemon_settings import DaemonSettings

NAME: Final = "box.example"
VALID: Final = timedelta(days=2)


def certified(folder: Path, name: str = NAME) -> DaemonSettings:
    """Settings of a daemon with a certificate of its own, made out to a public name."""
    folder.mkdir(exist_ok=True)
    certificate, key = folder / "cert.pem", folder / "key.pem"
    secret = ec.generate_private_key(ec.SECP256R1())
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(issuer_name=named, subject_name=named, public_key=secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(secret, SHA256())
    )
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    key.write_bytes(secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return DaemonSettings(port=0, public_names=(name,), tls_cert_file=str(certificate), tls_key_file=str(key))


class Proxy:
    """Hands on one request a connection, and says who called and that it was over TLS."""

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self.caller = "192.0.2.1"
        """Whom it names as the one who called."""
        self.scheme = "https"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection; nothing of it is left, however it ends."""
        async with contextlib.AsyncExitStack() as ends:
            ends.push_async_callback(_close, writer)
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                head = await reader.readuntil(b"\r\n\r\n")
                there, back = await asyncio.open_connection("127.0.0.1", self._to_port)
                ends.push_async_callback(_close, back)
                said = f"X-Forwarded-For: {self.caller}\r\nX-Forwarded-Proto: {self.scheme}\r\n"
                back.write(head[:-2] + said.encode() + b"Connection: close\r\n\r\n")
                there_again = asyncio.create_task(_pump(reader, back))
                ends.callback(there_again.cancel)
                await _pump(there, writer)


@contextlib.asynccontextmanager
async def proxied(url: str) -> AsyncGenerator[tuple[Proxy, str]]:
    """A proxy in front of the daemon at an address, and its own address."""
    proxy, connections = Proxy(int(url.rpartition(":")[2])), set[asyncio.Task[None]]()

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(asyncio.create_task(proxy.serve(reader, writer)))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield proxy, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    for connection in connections:
        connection.cancel()
    await asyncio.gather(*connections, return_exceptions=True)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(65_536):
        writer.write(piece)
        await writer.drain()
