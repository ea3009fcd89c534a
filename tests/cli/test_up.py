"""The daemon as a process: begun, found, used by every command, ended, and gone on with."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import cast

import httpx2
import pytest

from postroom.daemon.client import DoorClient
from postroom.daemon.own_token import read_own_token
from postroom.daemon.presence import OUTPUT, PRESENCE_NAME, found
from postroom.daemon.protocol import PREFIX
from postroom.domain.plain import Json
from postroom.frontends.cli.browser import has_display
from tests.cli.cli import POSTROOM, THINKS, Cli, Process, Result, write_team

N_SENDS = 20
QUICK = "- text: More.\n" * 40


@pytest.fixture
def detached(cli: Cli, team: Path) -> Iterator[Result]:
    """A daemon in the background, over the store of `cli`."""
    yield cli.run("up", "--detach", "--port", "0", "--team", team, "--json")
    cli.run("down")


def fields(result: Result) -> dict[str, Json]:
    assert result.code == 0, result.err
    return result.document


def test_a_daemon_in_the_background_is_found_used_and_ended(cli: Cli, detached: Result) -> None:
    """Of two that begin one wins; the other says where the first one is."""
    begun = fields(detached)
    status, other = fields(cli.run("status", "--json")), cli.run("up", "--port", "0")
    lines = cli.run("status").out

    assert status["running"] is status["ok"] is True
    assert (status["pid"], status["url"]) == (begun["pid"], begun["url"])
    assert os.getsid(int(str(begun["pid"]))) == begun["pid"]
    assert other.fails(4, "store_in_use")
    assert f"pid {begun['pid']}, {begun['url']}" in other.err
    assert str(begun["url"]) in lines
    assert "health  ok" in lines
    assert str(begun["login_url"]).startswith(f"{begun['url']}/login?code=")
    assert "code=" not in (cli.store / OUTPUT).read_text("utf-8")

    assert cli.run("open").out.startswith(str(begun["url"]))

    ended = fields(cli.run("down", "--json"))
    assert (ended["ended"], ended["pid"]) == (True, begun["pid"])
    assert not (cli.store / PRESENCE_NAME).exists()
    assert cli.run("status").code == 1
    again = cli.run("down")
    assert (again.code, again.err) == (0, f"no daemon runs the store {cli.store}\n")
    assert cli.run("open").fails(1, "no_daemon")


def test_commands_go_through_the_daemon_and_run_hands_its_task_over(cli: Cli, detached: Result) -> None:
    assert detached.code == 0, detached.err
    answered = cli.run("run", "--json", "say it")
    assert fields(answered)["text"] == "Here you are."

    session = str(answered.document["session_id"])
    assert fields(cli.run("send", session, "more", "--json"))["running"] is True

    elsewhere = write_team(cli.folder / "elsewhere", {"bob": THINKS})
    assert cli.run("run", "--team", elsewhere, "no").fails(4, "store_in_use")


def test_what_keeps_a_daemon_in_the_background_from_beginning_is_told_as_if_it_were_here(
    cli: Cli, tmp_path: Path
) -> None:
    refused = cli.run("up", "--detach", "--host", "0.0.0.0")  # noqa: S104 -- it is refused
    broken = cli.run("up", "--detach", "--team", tmp_path / "nothing")

    assert refused.fails(3, "config_invalid")
    assert "lets others in" in refused.err
    assert broken.fails(3, "config_invalid")
    assert not (cli.store / PRESENCE_NAME).exists()


def test_a_process_that_is_no_daemon_is_left_alone(cli: Cli, slow_team: Path) -> None:
    with cli.runner(slow_team) as runner:
        status, down = cli.run("status"), cli.run("down")

        assert (status.code, f"that is no daemon (pid {runner.pid})" in status.out) == (1, True)
        assert down.fails(4, "store_in_use")
        assert cli.run("ps").code == 0


def test_a_browser_is_opened_only_where_somebody_would_see_it() -> None:
    assert has_display({"DISPLAY": ":0"}, "linux")
    assert has_display({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert has_display({}, "darwin")
    assert not has_display({}, "linux")
    assert not has_display(
        {"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"}, "linux"
    )
    assert not has_display({"SSH_TTY": "/dev/pts/1"}, "darwin")


class Remote:
    """A daemon in another process, over HTTP with the token of this machine."""

    def __init__(self, store: Path) -> None:
        daemon, secret = found(store), read_own_token(store)
        assert daemon is not None
        self.client = httpx2.AsyncClient(
            base_url=f"{daemon.url}{PREFIX}", headers={"authorization": f"Bearer {secret}"}, timeout=60,
            trust_env=False,
        )  # fmt: skip

    async def send(self, session: str, number: int) -> str | None:
        """The id of one text that was accepted; nothing when it was refused, or nobody answered."""
        given = {"body": f"text {number}", "client_id": f"race-{number}"}
        try:
            answer = await self.client.post(f"/agents/{session}/send", json=given)
        except httpx2.TransportError:
            return None
        if answer.is_success:
            return str(answer.json()["message_id"])
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "engine_shutdown")
        return None


def begin(cli: Cli, team: Path, *, within: Sequence[str] = ()) -> Process:
    process = Process([*within, *POSTROOM, "up", "--port", "0", "--team", str(team), "--json"], cli.env)
    process.await_output('"url"')
    return process


@pytest.fixture
async def remotes() -> AsyncIterator[list[Remote]]:
    opened: list[Remote] = []
    yield opened
    for remote in opened:
        await remote.client.aclose()


async def begin_turn(remote: Remote, store: Path) -> tuple[str, str]:
    """A conversation whose first turn is at work; its session and its first message."""
    said = (await remote.client.post("/sessions", json={"text": "the task"})).json()
    await asyncio.to_thread(until, store, "turn.started", 1)
    return str(said["session_id"]), str(said["receipt"]["message_id"])


def until(store: Path, kind: str, n_events: int) -> list[dict[str, Json]]:
    """Read the log until it has so many events of a kind; those, in order."""
    found: list[dict[str, Json]] = []
    with DoorClient.connect(store) or pytest.fail("the daemon has no door") as door:
        for event in door.stream("tail", {"pos": 0}):
            row = cast("dict[str, Json]", event)
            found += [row] if row["kind"] == kind else []
            if len(found) == n_events:
                return found
    pytest.fail(f"the daemon ended before there were {n_events} of {kind}")


async def race(remote: Remote, session: str, process: Process) -> list[str | None]:
    """Twenty texts, and in the middle of them the signal."""
    sends = [asyncio.create_task(remote.send(session, number)) for number in range(N_SENDS)]
    await asyncio.wait(sends, return_when=asyncio.FIRST_COMPLETED)
    process.signal(signal.SIGTERM)
    return await asyncio.gather(*sends)


@pytest.mark.parametrize("surface", ["tree", "team"])
async def test_a_daemon_that_is_told_to_end_loses_nothing_and_the_next_one_goes_on(
    cli: Cli, tmp_path: Path, remotes: list[Remote], surface: str
) -> None:
    """SIGTERM during a turn and twenty racing texts; each is accepted or refused, and read once."""
    settings = f'surface = "{surface}"\n'
    team = write_team(tmp_path / "team", {"ann": THINKS}, settings=settings)
    with begin(cli, team) as process:
        remotes.append(first := Remote(cli.store))
        session, prompt = await begin_turn(first, cli.store)
        raced = await race(first, session, process)
        ended = process.end()
    assert (ended.code, ended.err) == (0, "")
    assert not (cli.store / PRESENCE_NAME).exists()

    write_team(team, {"ann": QUICK}, settings=settings)
    with begin(cli, team) as process:
        remotes.append(second := Remote(cli.store))
        late = [await second.send(session, n) for n, sent in enumerate(raced) if sent is None]
        accepted = {sent for sent in (*raced, *late) if sent is not None}
        assert len(accepted) == N_SENDS
        read = await asyncio.to_thread(until, cli.store, "message.consumed", N_SENDS + 1)
        process.signal(signal.SIGTERM)
        assert process.end().code == 0

    assert sorted(str(event["message_id"]) for event in read) == sorted(accepted | {prompt})
    assert "lost 0, doubled 0" in cli.run("doctor").out


def test_a_daemon_that_was_killed_leaves_no_trace_that_misleads(cli: Cli, team: Path) -> None:
    """The next one begins as if nothing had been; under `nohup` it outlives its terminal."""
    with begin(cli, team) as process:
        process.signal(signal.SIGKILL)
        process.end()
    left = json.loads((cli.store / PRESENCE_NAME).read_text("utf-8"))

    assert left["pid"] == process.pid
    assert cli.run("status").code == 1
    assert cli.run("down").code == 0
    with begin(cli, team, within=("nohup",)) as process:
        assert found(cli.store) is not None
        process.signal(signal.SIGHUP)
        assert cli.run("status").code == 0
        process.signal(signal.SIGINT)
        assert process.end().code == 0
