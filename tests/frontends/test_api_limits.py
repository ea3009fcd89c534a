"""No caller gets more of a daemon than its share, and a broken request breaks nothing."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from postroom.daemon.api.guard import Scope
from postroom.daemon.protocol import PREFIX
from postroom.profiles.daemon_settings import DaemonSettings
from tests.frontends.daemon import Daemon, served
from tests.frontends.ear import Ear, listening

PATIENCE_S = 60.0
SMALL = DaemonSettings(
    port=0, request_bytes_max=4_096, requests_per_s=10, logins_per_min=5, streams_max=4,
)  # fmt: skip


@pytest.fixture
async def daemon(tmp_path: Path, team: Path) -> AsyncIterator[Daemon]:
    async with served(tmp_path, team, settings=SMALL) as daemon:
        yield daemon


async def raw(daemon: Daemon, request: str) -> bytes:
    """All that comes back for some bytes, until the daemon hangs up."""
    host, _, port = daemon.url.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request.replace("HOST", f"{host}:{port}").replace("\n", "\r\n").encode("latin-1"))
    await writer.drain()
    answer = b""
    async with asyncio.timeout(PATIENCE_S):
        with contextlib.suppress(ConnectionResetError):  # it hangs up on what it does not read
            while piece := await reader.read(65_536):
                answer += piece
    writer.close()
    return answer


def status(answer: bytes) -> int:
    """The status of the first answer in it."""
    return int(answer.split(b" ", 2)[1])


async def test_a_body_that_is_too_large_is_refused_before_it_is_read(daemon: Daemon) -> None:
    client = daemon.client()
    fits, large = b'"' + b"x" * 4_094 + b'"', b'"' + b"x" * 4_095 + b'"'

    async def in_pieces() -> AsyncIterator[bytes]:
        for _ in range(7):
            yield b"x" * 1_000

    said = await client.post("/tokens", content=large)
    chunked = await client.post("/tokens", content=in_pieces())
    announced = await raw(daemon, f"POST {PREFIX}/tokens HTTP/1.1\nHost: HOST\nAuthorization: Bearer "
                          f"{daemon.secret()}\nContent-Length: 99999999\n\n")  # fmt: skip
    taken = await client.post("/tokens", content=fits)

    assert (said.status_code, said.json()["error"]["code"]) == (413, "body_too_large")
    assert (chunked.status_code, chunked.json()["error"]["code"]) == (413, "body_too_large")
    assert status(announced) == 413
    assert taken.status_code == 422


async def test_nothing_of_a_strangers_body_is_read(daemon: Daemon) -> None:
    answer = await raw(
        daemon, f"POST {PREFIX}/tokens HTTP/1.1\nHost: HOST\nConnection: close\nContent-Length: 4000\n\n{{"
    )

    assert status(answer) == 401


async def test_a_caller_that_asks_too_often_waits_and_others_do_not(daemon: Daemon) -> None:
    daemon.hold_rates()
    hasty, calm = daemon.client(Scope.READ), daemon.client(Scope.ADMIN)

    said = [await hasty.get("/me") for _ in range(60)]
    refused = [answer for answer in said if answer.status_code == 429]

    assert said[0].status_code == 200
    assert refused
    assert refused[0].json()["error"]["code"] == "rate_limited"
    assert int(refused[0].headers["retry-after"]) >= 1
    assert (await calm.get("/me")).status_code == 200


async def test_guesses_are_slowed_down_and_right_tokens_are_not(daemon: Daemon) -> None:
    daemon.hold_rates()
    wrong = daemon.stranger()
    wrong.headers["authorization"] = "Bearer pr_guess"

    said = [(await wrong.get("/me")).status_code for _ in range(8)]

    assert said[:5] == [401] * 5
    assert 429 in said[5:]
    assert (await daemon.client().get("/me")).status_code == 200
    assert (await daemon.stranger().get("/me")).status_code == 401


async def test_guessed_links_are_slowed_down_and_right_ones_are_not(daemon: Daemon) -> None:
    daemon.hold_rates()
    browser = daemon.stranger(prefix="")
    made = await daemon.client().post("/login/links")

    said = [(await browser.get("/login?code=pr_guess")).status_code for _ in range(8)]

    assert said[:5] == [410] * 5
    assert 429 in said[5:]
    assert (await browser.get(made.json()["url"])).status_code == 303


async def test_addresses_and_headers_have_bounds(daemon: Daemon) -> None:
    client = daemon.client()

    address = await client.get("/agents", params={"session": "x" * 9_000})
    headers = await client.get("/agents", headers={"x-more": "x" * 40_000})
    huge = await raw(daemon, f"GET / HTTP/1.1\nHost: HOST\nX-More: {'x' * 200_000}\n\n")

    assert (address.status_code, address.json()["error"]["code"]) == (414, "address_too_long")
    assert (headers.status_code, headers.json()["error"]["code"]) == (431, "headers_too_large")
    assert status(huge) in (400, 431)


@pytest.mark.parametrize("request_", [
    "GET {p}/me HTTP/1.1\nHost: HOST\nHost: evil.example\n{a}\n\n",
    "GET {p}/me HTTP/1.1\n{a}\n\n",
    "GET {p}/me HTTP/1.1\nHost: HOST\n{a}\n{a}\nConnection: close\n\n",
    "GET {p}/me HTTP/1.1\nHost: HOST\nAuthorization : Bearer x\n\n",
    "GET {p}/me HTTP/1.1\nHost: HOST\nX: a\n b\nConnection: close\n\n",
    "POST {p}/tokens HTTP/1.1\nHost: HOST\n{a}\nContent-Length: 5\nContent-Length: 6\n\n{{}}",
    "POST {p}/tokens HTTP/1.1\nHost: HOST\n{a}\nContent-Length: -1\n\n",
    "POST {p}/tokens HTTP/1.1\nHost: HOST\n{a}\nTransfer-Encoding: gzip, chunked\n\n0\n\n",
    "NONSENSE\n\n",
])  # fmt: skip
async def test_a_request_that_two_could_read_in_two_ways_is_refused(daemon: Daemon, request_: str) -> None:
    """Smuggling: whoever stands in front may have read something else in it."""
    authorization = f"Authorization: Bearer {daemon.secret()}"

    answer = await raw(daemon, request_.format(p=PREFIX, a=authorization))

    assert status(answer) in (400, 401, 403, 501), answer
    assert answer.count(b"HTTP/1.1 ") == 1
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["remedy"]
    assert (await daemon.client().get("/tokens")).json() == []


@pytest.mark.parametrize(("method", "path", "content", "says"), [
    ("POST", "/tokens", b'{"name": "\xff"}', "JSON"),
    ("POST", "/tokens", b"[" * 4_000, "JSON"),
    ("POST", "/tokens", b"name=x", "JSON"),
    ("POST", "/tokens", b"{", "JSON"),
    ("PATCH", "/tokens", b"", "GET"),
    ("GET", "/token", b"", "openapi.json"),
    ("PUT", "/../../board", b"", "HEAD"),
])  # fmt: skip
async def test_a_request_that_makes_no_sense_is_told_what_would(
    daemon: Daemon, method: str, path: str, content: bytes, says: str
) -> None:
    kind = "application/json" if content[:1] in (b"{", b"[") else "text/plain"

    answer = await daemon.client().request(method, path, content=content, headers={"content-type": kind})

    assert says in answer.json()["error"]["remedy"]


async def test_a_request_hidden_in_a_body_is_not_heard(daemon: Daemon) -> None:
    hidden = f"GET {PREFIX}/me HTTP/1.1\nHost: HOST\nAuthorization: Bearer {daemon.secret()}\n\n"
    lengths = "Content-Length: 6\nTransfer-Encoding: chunked\nConnection: close"

    answer = await raw(daemon, f"POST {PREFIX}/hello HTTP/1.1\nHost: HOST\n{lengths}\n\n0\n\n{hidden}")

    assert answer.count(b"HTTP/1.1 ") == 1
    assert status(answer) in (400, 405)


async def test_streams_have_as_many_places_as_there_are_and_one_caller_not_all(daemon: Daemon) -> None:
    reader, admin = daemon.client(Scope.READ), daemon.client(Scope.ADMIN)
    async with listening(reader), listening(reader), listening(reader):
        refused = await reader.get("/events")
        async with listening(admin):
            full = await admin.get("/events")

        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_streams")
        assert full.status_code == 429
    while daemon.house.access.streams.taken:
        await reader.get("/me")
    async with listening(reader) as ear:
        assert (await ear.next()).kind == "open"


async def test_a_stream_ends_at_once_when_its_token_is_revoked(daemon: Daemon) -> None:
    new, kept = [await daemon.room.add_token(name, Scope.READ) for name in ("new", "kept")]
    first, second = daemon.stranger(), daemon.stranger()
    first.headers["authorization"] = f"Bearer {new.secret}"
    second.headers["authorization"] = f"Bearer {kept.secret}"
    async with listening(first) as ear, listening(second) as other:
        await asyncio.gather(ear.until("live"), other.until("live"))
        await daemon.client().delete(f"/tokens/{new.token.token_id}")

        bye = await ear.until("bye")
        await _ended(ear)

        assert bye.facts == {"reason": "revoked"}
        assert (await other.until_event("token.revoked"))["kind"] == "token.revoked"
    assert (await first.get("/events")).status_code == 401


async def _ended(ear: Ear) -> None:
    with pytest.raises(StopAsyncIteration):
        await ear.next()
