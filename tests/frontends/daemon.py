"""A daemon in this process: a real room behind a real HTTP server on a free port of this machine.

`async with served(tmp_path, team) as daemon:` and then `daemon.client()`; one for a whole module where
the tests do not mind each other.
"""

import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2

from postroom.app import Postroom
from postroom.daemon.api.access import BURST_S
from postroom.daemon.api.buckets import Buckets
from postroom.daemon.api.guard import Caller, Scope
from postroom.daemon.api.house import House
from postroom.daemon.protocol import PREFIX
from postroom.daemon.up import up
from postroom.ids import new_secret
from postroom.observe.logs import RoomLog
from postroom.profiles.daemon_settings import DaemonSettings

PATIENCE_S = 60.0
ANYWHERE = DaemonSettings(port=0)


class Daemon:
    """What a test reaches of a daemon: its room, its address, and clients of it."""

    def __init__(self, house: House, clients: contextlib.AsyncExitStack) -> None:
        self.house = house
        self.room: Postroom = house.room
        self.url = house.url
        """Scheme, host and port."""
        self.crashes: list[tuple[str, BaseException]] = []
        """What no request should have caused; a test that expects some empties it."""
        self._clients = clients

    def client(self, scope: Scope = Scope.ADMIN) -> httpx2.AsyncClient:
        """A client whose paths begin at the API's prefix, with a token of this scope."""
        client = self.stranger()
        client.headers["authorization"] = f"Bearer {self.secret(scope)}"
        return client

    def secret(self, scope: Scope = Scope.ADMIN) -> str:
        """A secret that this daemon takes for a scope, without a row in the store."""
        secret = new_secret()
        self.house.access.give(secret, Caller(token_id=f"test-{scope}", name=f"test {scope}", scope=scope))
        return secret

    def hold_rates(self) -> None:
        """Fill no bucket again: a slow machine asks more slowly than a bucket is filled."""
        access, chosen = self.house.access, self.house.settings
        access.requests = Buckets(chosen.requests_per_s, chosen.requests_per_s * BURST_S, lambda: 0.0)
        access.failures = Buckets(chosen.logins_per_min, chosen.logins_per_min, lambda: 0.0)

    def stranger(self, *, prefix: str = PREFIX) -> httpx2.AsyncClient:
        """A client without a token."""
        client = httpx2.AsyncClient(base_url=f"{self.url}{prefix}", timeout=PATIENCE_S, trust_env=False)
        self._clients.push_async_callback(client.aclose)
        return client


@contextlib.asynccontextmanager
async def served(
    folder: Path,
    team: Path | None,
    *,
    settings: DaemonSettings = ANYWHERE,
    store: str = "store",
    page: Path | None = None,
) -> AsyncGenerator[Daemon]:
    """A daemon over the store in `folder/store`. Nothing may have crashed in it when it ends."""
    async with (
        Postroom.open(folder / store, team=team) as room,
        serving(room, settings=settings, page=page) as daemon,
    ):
        yield daemon


@contextlib.asynccontextmanager
async def serving(
    room: Postroom, *, settings: DaemonSettings = ANYWHERE, page: Path | None = None
) -> AsyncGenerator[Daemon]:
    """The same over a room that is open already, such as the one of a `World`."""
    found: list[Daemon] = []

    def on_fault(name: str, fault: BaseException) -> None:
        for daemon in found:
            daemon.crashes.append((name, fault))

    async with (
        contextlib.AsyncExitStack() as logs,
        up(
            room,
            logs.enter_context(contextlib.closing(RoomLog(room.folder))),
            settings,
            on_fault=on_fault,
            page=page,
        ) as house,
        contextlib.AsyncExitStack() as clients,
    ):
        daemon = Daemon(house, clients)
        found.append(daemon)
        yield daemon
    assert not daemon.crashes, daemon.crashes
