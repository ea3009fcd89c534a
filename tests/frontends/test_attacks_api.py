"""Strangers, neighbours on the same machine and bad luck, tried against the daemon; each was a fault once."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import uvicorn
from starlette.types import Receive, Scope, Send

from postroom.daemon.life import Life
from postroom.daemon.server_protocol import Patience, ServerProtocol
from postroom.daemon.stream_reader import TOGETHER_BYTES_MAX, portions
from postroom.llm.keys import shown_url
from postroom.observe.event_frames import Frame
from postroom.observe.logs import RoomLog
from postroom.profiles.daemon_settings import DaemonSettings
from tests.cli.cli import ANSWERS, write_team
from tests.frontends.daemon import Daemon, served

PATIENCE_S = 60.0
A_LOT = 20_000_000
"""More bytes than all buffers between two programs of this machine hold."""
ASK = "POST / HTTP/1.1\r\nHost: here\r\n"
ONE_A_SECOND = DaemonSettings(port=0, requests_per_s=1)
pytestmark = pytest.mark.asyncio(loop_scope="module")


class Hasty(ServerProtocol):
    """Connections as the daemon takes them, with no time to lose."""

    patience = Patience(request_s=0.2, rest_s=0.1, stall_s=0.2)


class Calm(ServerProtocol):
    """The same with all the time in the world, for few."""

    patience = Patience(request_s=600, rest_s=600, stall_s=600, waiting_max=10)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def daemon(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Daemon]:
    folder = tmp_path_factory.mktemp("attacked")
    async with served(folder, write_team(folder / "team", {"ann": ANSWERS})) as daemon:
        yield daemon


@contextlib.asynccontextmanager
async def answering(answer: bytes, protocol: type[ServerProtocol] = Hasty) -> AsyncIterator[uvicorn.Server]:
    """A server that answers everything with some bytes."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        heads = [(b"content-length", b"%d" % len(answer))]
        await send({"type": "http.response.start", "status": 200, "headers": heads})
        await send({"type": "http.response.body", "body": answer})

    config = uvicorn.Config(app, port=0, http=protocol, lifespan="off", log_config=None, ws="none")
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    try:
        yield server
    finally:
        await server.shutdown()


@contextlib.asynccontextmanager
async def connected(server: uvicorn.Server, said: bytes = b"") -> AsyncIterator[socket.socket]:
    """A connection on which something was said before the server could take it."""
    with socket.create_connection(server.servers[0].sockets[0].getsockname()) as wire:
        wire.sendall(said)
        wire.setblocking(False)
        yield wire


async def hung_up(wire: socket.socket) -> bytes:
    """What comes until the other side hangs up."""
    answer = b""
    async with asyncio.timeout(PATIENCE_S):
        with contextlib.suppress(ConnectionResetError):
            while piece := await asyncio.get_running_loop().sock_recv(wire, 65_536):
                answer += piece
    return answer


async def send_for_ever(wire: socket.socket) -> None:
    """More of a body, until the other side hangs up."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            await asyncio.get_running_loop().sock_sendall(wire, b"x" * 100_000)


async def until_done_with(server: uvicorn.Server) -> None:
    """Wait until the server was asked something and has no connection any more."""
    async with asyncio.timeout(PATIENCE_S):
        while server.server_state.connections or not server.server_state.total_requests:
            await asyncio.to_thread(lambda: None)


@pytest.mark.parametrize("said", [
    "", "GET / HT", f"{ASK}\r\nG", f"{ASK}Content-Length: 99\r\n\r\nx",
    f"{ASK}Transfer-Encoding: chunked\r\n\r\n5\r\nx",
])  # fmt: skip
async def test_who_holds_a_connection_and_asks_nothing_is_hung_up_on(said: str) -> None:
    """Slowly sent heads, also of a second request, and bodies that nobody has asked for."""
    async with answering(b"yes") as server, connected(server, said.encode()) as wire:
        assert (await hung_up(wire)).endswith(b"yes") is said.startswith(ASK)


async def test_a_body_that_nobody_reads_is_not_taken_for_ever() -> None:
    head = f"{ASK}Content-Length: 99999999999\r\n\r\n".encode()
    async with answering(b"yes") as server, connected(server, head) as wire:
        with pytest.raises(ConnectionError):
            await send_for_ever(wire)


async def test_who_takes_nothing_of_an_answer_is_hung_up_on() -> None:
    async with answering(b"x" * A_LOT) as server, connected(server, f"{ASK}\r\n".encode()):
        await until_done_with(server)


async def test_of_many_that_ask_nothing_the_longest_makes_way_for_one_who_asks() -> None:
    async with answering(b"yes", Calm) as server, contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(connected(server))
        for _ in range(Calm.patience.waiting_max):
            await stack.enter_async_context(connected(server))
        last = await stack.enter_async_context(connected(server, f"{ASK}Connection: close\r\n\r\n".encode()))

        assert (await hung_up(last)).endswith(b"yes")
        assert await hung_up(first) == b""
        assert len(server.server_state.connections) <= Calm.patience.waiting_max


async def test_what_others_of_the_same_address_ask_keeps_nobody_out(tmp_path: Path, team: Path) -> None:
    """All users of a machine have one address."""
    async with served(tmp_path, team, settings=ONE_A_SECOND) as daemon:
        daemon.hold_rates()
        stranger, browser = daemon.stranger(prefix=""), daemon.stranger(prefix="")
        link = (await daemon.client().post("/login/links")).json()["url"]
        while (await stranger.get("/")).status_code != 429:
            pass

        logged_in = await browser.get(link)
        page = await browser.get("/")

        assert (logged_in.status_code, page.status_code) == (303, 200)


async def test_cookies_that_another_port_has_set_for_every_folder_lock_nobody_out(daemon: Daemon) -> None:
    browser = daemon.stranger(prefix="")
    link = (await daemon.client().post("/login/links")).json()["url"]
    name, _, secret = (await browser.get(link)).headers["set-cookie"].partition(";")[0].partition("=")
    planted = [f"{name}=pr_planted{at}" for at in range(10)]

    seen = await daemon.stranger().get("/me", headers={"cookie": "; ".join([*planted, f"{name}={secret}"])})

    assert seen.status_code == 200


@pytest.mark.parametrize("amount", ["1e999999", "1e300", "9" * 32])
async def test_an_amount_that_nobody_can_count_is_refused(daemon: Daemon, amount: str) -> None:
    answer = await daemon.client().post("/sessions", json={"text": "hello", "max_cost_usd": amount})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_arguments")


async def test_a_daemon_that_refuses_texts_for_want_of_room_does_not_say_that_it_is_well(
    daemon: Daemon,
) -> None:
    """Also when no turn runs that would try again."""
    client, store = daemon.client(), daemon.room.store
    assert store._connection is not None  # noqa: SLF001 -- the world of a test reaches behind the store
    store._connection.execute("PRAGMA max_page_count = 1")  # noqa: SLF001

    refused = await client.post("/sessions", json={"text": "x" * 100_000})
    ill = await client.get("/health")
    store._connection.execute("PRAGMA max_page_count = 1000000000")  # noqa: SLF001
    taken = await client.post("/sessions", json={"text": "x" * 100_000})
    well = await client.get("/health")

    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "store_full")
    assert (ill.status_code, ill.json()["reason"]) == (503, "store_full")
    assert (taken.status_code, well.status_code) == (201, 200)


async def test_a_refusal_is_forgotten_after_a_while_and_a_turn_that_waits_is_not() -> None:
    life = Life()
    life.pause("store_busy", for_s=0)
    forgotten = life.paused_by
    life.pause("store_full")
    life.pause("store_busy", for_s=0)

    assert (forgotten, life.paused_by) == ("", "store_busy")


async def test_who_comes_back_gets_what_it_has_missed_in_pieces() -> None:
    """A reader that then takes nothing must not hold all of it at once."""
    frames = [Frame(at, at, "", b"x" * 1_000) for at in range(1_000)]

    pieces = list(portions(frames))

    assert [frame for piece in pieces for frame in piece] == frames
    assert all(1_000 * len(piece) < TOGETHER_BYTES_MAX + 1_000 for piece in pieces)
    assert list(portions([])) == []


async def test_a_mistake_of_the_program_is_logged_with_its_time_and_its_place(tmp_path: Path) -> None:
    log = RoomLog(tmp_path)
    with pytest.raises(ZeroDivisionError) as raised:
        _ = 1 // len([])
    log.fault("http.crashed", raised.value)
    log.close()

    line = json.loads((tmp_path / "logs" / "postroom.log").read_text("utf-8"))
    assert line["at"][4] == "-"
    assert line["place"].startswith("test_attacks_api.py:")


@pytest.mark.parametrize(("url", "shown"), [
    ("https://user:secret@proxy.example/v1", "https://***@proxy.example/v1"),
    ("https://proxy.example:se/cr#et@proxy.example/v1", "https://***@proxy.example/v1"),
    ("user:secret@proxy.example/v1", "***@proxy.example/v1"),
    ("https://proxy.example/v1?key=secret#secret", "https://proxy.example/v1?***"),
    ("https://proxy.example/v1#secret", "https://proxy.example/v1#***"),
    ("https://proxy.example/v1", "https://proxy.example/v1"),
])  # fmt: skip
async def test_no_part_of_an_address_that_can_be_a_secret_is_shown(url: str, shown: str) -> None:
    assert shown_url(url) == shown
