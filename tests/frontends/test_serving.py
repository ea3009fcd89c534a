"""The HTTP server of a room: where it listens, who is let in, and how it ends."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from postroom.daemon.gate import Gate
from postroom.daemon.life import Life
from postroom.daemon.listening import PortTaken, is_loopback, listening, refuse_unguarded, url_of
from postroom.daemon.presence import PRESENCE_NAME, Presence, found, told
from postroom.errors import ConfigFault
from postroom.profiles.daemon_settings import PORT, DaemonSettings
from tests.frontends.daemon import PATIENCE_S, Daemon, served


@pytest.fixture
async def daemon(tmp_path: Path, team: Path) -> AsyncIterator[Daemon]:
    async with served(tmp_path, team) as daemon:
        yield daemon


async def test_a_room_is_served_over_http(daemon: Daemon) -> None:
    assert (await daemon.client().get("/agents")).json() == []


async def test_who_asks_is_told_who_answers_and_how_it_stands(daemon: Daemon) -> None:
    prompt = await daemon.room.prompt("hello")
    await daemon.room.wait(prompt)
    client = daemon.client()

    hello, status = (await client.get("/hello")).json(), (await client.get("/status")).json()

    assert hello["protocol"] == status["protocol"] == 1
    assert (status["pid"], status["url"], status["ok"]) == (os.getpid(), daemon.url, True)
    assert status["store"] == str(daemon.room.folder)
    assert status["counts"] == {
        "running": 0, "waiting": 0, "suspended": 0, "paused": 0, "asks": 0, "unread": 0,
    }  # fmt: skip


async def test_health_is_bad_while_the_store_cannot_be_written_and_good_after_the_next_commit(
    daemon: Daemon,
) -> None:
    client = daemon.stranger()
    assert (await client.get("/health")).json() == {"ok": True, "quiet": True, "reason": ""}

    daemon.house.life.pause("store_full")
    paused = await client.get("/health")
    await daemon.room.prompt("hello")
    after = await client.get("/health")

    assert (paused.status_code, paused.json()["reason"]) == (503, "store_full")
    assert (after.status_code, after.json()["reason"]) == (200, "")


async def test_an_admin_may_end_it(daemon: Daemon) -> None:
    answer = await daemon.client().post("/shutdown")

    assert answer.status_code == 202
    await asyncio.wait_for(daemon.house.life.ended(), PATIENCE_S)


async def test_what_comes_while_it_closes_is_refused_whole_and_health_says_so(daemon: Daemon) -> None:
    client = daemon.client()
    await daemon.house.life.close()

    sent = await client.post("/sessions", json={"text": "hello"})
    health = await client.get("/health")

    assert (sent.status_code, sent.json()["error"]["code"]) == (503, "engine_shutdown")
    assert (health.status_code, health.json()["ok"]) == (503, False)
    assert await daemon.room.agents_view() == []


async def test_what_was_let_in_is_waited_for(tmp_path: Path) -> None:
    life, begun, end = Life(), asyncio.Event(), asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        begun.set()
        await end.wait()

    gate = Gate(slow, life)

    async def nobody() -> dict[str, object]:
        return {}

    async def nowhere(_: object) -> None:
        return None

    inside = asyncio.create_task(gate({"type": "http", "path": "/"}, nobody, nowhere))
    await begun.wait()
    assert not await gate.empty(0.01)

    end.set()
    await inside
    assert await gate.empty(PATIENCE_S)


async def test_every_goodbye_is_said_and_a_late_one_holds_nobody_up() -> None:
    life, said = Life(farewell_s=0.1), list[str]()

    async def say() -> None:
        said.append("bye")

    async def fail() -> None:
        raise ValueError("no breath left")

    async def never() -> None:
        await asyncio.Event().wait()

    for farewell in (say, fail, never):
        life.at_end(farewell)
    failures = await asyncio.wait_for(life.close(), PATIENCE_S)

    assert said == ["bye"]
    assert [str(failure) for failure in failures] == ["no breath left"]


def test_a_taken_port_is_a_fault_when_it_was_chosen_and_another_is_taken_when_not() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(PortTaken, match=str(port)), listening(DaemonSettings(port=port)):
            pass
    with listening(DaemonSettings()) as first, listening(DaemonSettings()) as second:
        ports = {bound.getsockname()[1] for bound in (first, second)}
    assert len(ports) == 2
    assert PORT in ports or min(ports) > 1024


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org"])  # noqa: S104 -- it is refused
def test_an_address_that_others_reach_needs_tls_or_a_stated_proxy(host: str) -> None:
    """Another interface only by explicit configuration."""
    with pytest.raises(ConfigFault, match="lets others in"):
        refuse_unguarded(DaemonSettings(host=host))

    refuse_unguarded(DaemonSettings(host=host, behind_proxy=("192.0.2.1",)))
    refuse_unguarded(DaemonSettings(host=host, tls_cert_file="/c.pem", tls_key_file="/k.pem"))


def test_one_half_of_a_certificate_is_a_mistake() -> None:
    with pytest.raises(ConfigFault, match="only one is set"):
        refuse_unguarded(DaemonSettings(tls_cert_file="/c.pem"))


def test_an_address_that_this_machine_does_not_have_is_a_fault_of_the_settings() -> None:
    settings = DaemonSettings(host="192.0.2.7", port=0, behind_proxy=("192.0.2.1",))

    with pytest.raises(ConfigFault, match="cannot listen"), listening(settings):
        pass


def test_loopback_is_known_by_every_name() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "10.0.0.1", "localhost.example"))  # noqa: S104


def test_of_all_interfaces_the_one_of_this_machine_is_printed() -> None:
    with listening(DaemonSettings(host="0.0.0.0", port=0, behind_proxy=("10.0.0.1",))) as bound:  # noqa: S104
        assert url_of(bound, DaemonSettings()) == f"http://127.0.0.1:{bound.getsockname()[1]}"


async def test_it_says_where_it_is_to_its_owner_alone_until_it_ends(tmp_path: Path, team: Path) -> None:
    async with served(tmp_path, team) as daemon:
        folder = daemon.room.folder
        file = folder / PRESENCE_NAME
        here = found(folder)
        mode = file.stat().st_mode & 0o777
    assert here == Presence(
        pid=os.getpid(), url=daemon.url, started_us=daemon.house.life.started_us, team=str(team)
    )
    assert mode == 0o600
    assert not file.exists()


@pytest.mark.parametrize("said", ["", "{", "[]", '{"pid": "one"}', "\0"])
def test_what_a_dead_daemon_left_counts_for_nothing(tmp_path: Path, said: str) -> None:
    """The lock of the store is the truth."""
    (tmp_path / PRESENCE_NAME).write_text(said)
    assert told(tmp_path) is None

    left = Presence(pid=1, url="http://127.0.0.1:1", started_us=1)
    (tmp_path / PRESENCE_NAME).write_text(json.dumps(left.as_json()))
    assert told(tmp_path) == left
    assert found(tmp_path) is None
