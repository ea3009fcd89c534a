"""The HTTP server of the daemon, in the process and on the event loop of its room.

It hears no signals of its own: whoever opened the room decides when it ends.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Final, TypeAlias

import uvicorn

from postroom.app import Postroom
from postroom.daemon.api.access import Access
from postroom.daemon.api.app import make_app
from postroom.daemon.api.doorman import Doorman
from postroom.daemon.api.house import House
from postroom.daemon.gate import Gate
from postroom.daemon.life import Life
from postroom.daemon.listening import BACKLOG, listening, url_of
from postroom.daemon.server_protocol import ServerProtocol
from postroom.errors import StoreFault
from postroom.profiles.daemon_settings import DaemonSettings

ANSWER_S: Final = 5.0
"""How long requests that were let in may take to be answered when the daemon ends."""
HANG_UP_S: Final = 1
"""How long connections may take to close after that."""
CONNECTIONS_BESIDE: Final = 1_000
"""Connections at once beside those of streams; who comes then is told 503."""
REFUSED_S: Final = 60.0
"""How long the daemon is not well after it has refused a text because the store could not be written."""
TICK_S: Final = 1.0
"""How often the date in the answers' heads is set."""
OnFault: TypeAlias = Callable[[str, BaseException], None]


@contextlib.asynccontextmanager
async def served(
    room: Postroom, settings: DaemonSettings, *, on_fault: OnFault = lambda _name, _fault: None,
    started_us: int = 0, page: Path | None = None,
) -> AsyncGenerator[House]:  # fmt: skip
    """Serve an open room over HTTP for as long as the context lasts; leave before the room is closed.

    Leaving refuses what comes, says goodbye to streams, waits for what was let in, and closes every
    connection. `on_fault` hears what no request should cause. Raises what `listening` raises.
    """
    life = Life(started_us)
    with listening(settings) as bound, _pauses_told(room, life):
        house = House(
            room=room, life=life, settings=settings, url=url_of(bound, settings), page=page,
            access=Access(settings, room.clock),
        )  # fmt: skip
        house.metrics.begin()
        gate = Gate(make_app(house), life)
        with _faults_told(on_fault):
            server = _Server(_config(Doorman(gate, house), settings))
            running = asyncio.create_task(server.serve(sockets=[bound]), name="http")
            await _started(server, running)
            try:
                yield house
            finally:
                for failure in await life.close():
                    on_fault("http.farewell", failure)
                await gate.empty(ANSWER_S)
                server.end()
                await running


class _Server(uvicorn.Server):
    """Ends when it is told, at once; signals are none of its business."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Take no more connections, close those that are open."""
        self.should_exit = True
        self._ending.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave them to whoever opened the room."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        """Wait for the end without looking for it ten times a second."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), TICK_S)


def _config(app: Doorman, settings: DaemonSettings) -> uvicorn.Config:
    return uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", http=ServerProtocol, ws="none", loop="none",
        interface="asgi3", server_header=False, backlog=BACKLOG, timeout_graceful_shutdown=HANG_UP_S,
        proxy_headers=bool(settings.behind_proxy), forwarded_allow_ips=list(settings.behind_proxy),
        limit_concurrency=settings.streams_max + CONNECTIONS_BESIDE,
        ssl_certfile=settings.tls_cert_file or None, ssl_keyfile=settings.tls_key_file or None,
    )  # fmt: skip


async def _started(server: _Server, running: asyncio.Task[None]) -> None:
    """Until it listens. Raises what keeps it from that."""
    ready = asyncio.ensure_future(server.ready.wait())
    await asyncio.wait((ready, running), return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if running.done():
        await running


@contextlib.contextmanager
def _pauses_told(room: Postroom, life: Life) -> Generator[None]:
    """Let the daemon know when the store cannot be written, and when it can again."""
    heard_before: Callable[[StoreFault], None] = room.office.on_pause

    def on_pause(fault: StoreFault) -> None:
        life.pause(fault.code)
        heard_before(fault)

    # A turn tries again by itself, and its commit says that all is well. A text that was refused does not.
    room.office.on_pause = on_pause
    room.office.on_unwritten = lambda fault: life.pause(fault.code, REFUSED_S)
    life.committed = room.store.doorbell.listen()
    try:
        yield
    finally:
        room.store.doorbell.leave(life.committed)


class _ToLog(logging.Handler):
    """What the server complains of, for the log of the room."""

    def __init__(self, on_fault: OnFault) -> None:
        super().__init__(logging.ERROR)
        self._on_fault = on_fault

    def emit(self, record: logging.LogRecord) -> None:
        """One complaint; with what was raised, where it says so."""
        raised = record.exc_info[1] if record.exc_info else None
        if raised is not None:
            self._on_fault("http.crashed", raised)


@contextlib.contextmanager
def _faults_told(on_fault: OnFault) -> Generator[None]:
    """The server's own logger, heard here and nowhere else for as long as the context lasts."""
    logger, handler = logging.getLogger("uvicorn.error"), _ToLog(on_fault)
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
