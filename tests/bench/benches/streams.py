"""Streams: a thousand readers of one daemon while it commits 200 events a second.

The readers are one process of its own with bare sockets, so that reading costs the daemon nothing. Each
checks the id of every frame: none may be missing, none may come twice. The delay of a frame runs from the
beginning of the event's transaction to the moment in which the reader has it.
"""

import asyncio
import json
import resource
import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benches.idle_room import Silent
from benches.report import Figure
from benches.stream_readers import Heard
from benches.world import PROFILE, team_of
from postroom.app import Postroom
from postroom.clock import SystemClock
from postroom.daemon.api.access import Caller
from postroom.daemon.api.house import House
from postroom.daemon.serving import served
from postroom.domain.token import Scope
from postroom.observe.looks import newest_pos
from postroom.profiles.daemon_settings import DaemonSettings

RATE_PER_S = 200
EVENTS_PER_LETTER = 2
"""A chain begins, and a message is accepted."""
MOST_MS = 250.0
FILES = 4_096
PATIENCE_S = 20.0
WIDE = 100_000
"""Limits of the daemon that no reader meets while all of them come at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many read, and for how long events come."""

    readers: int
    load_s: float


async def run(folder: Path, size: Size) -> list[Figure]:
    """Events at a steady rate to all readers."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    team = team_of(folder / "team", {PROFILE: ()})
    settings = DaemonSettings(port=0, requests_per_s=WIDE, streams_max=2 * size.readers)
    models = {f"scripted:{PROFILE}": Silent()}
    async with (
        Postroom.open(folder / "room", team=team, models=models, idle=True) as room,
        served(room, settings) as house,
    ):
        said = await room.prompt("a letter")
        heard, busy = await _measure(room, house, said.session_id, size)
    return _figures(size, heard, busy)


def _figures(size: Size, heard: Heard, busy: float) -> list[Figure]:
    bench, each = (
        f"streams ({size.readers} readers, {RATE_PER_S} events a second)",
        heard.frames / size.readers,
    )
    return [
        Figure(bench=bench, name="delay of a frame, 50th percentile", value=heard.p50_ms, unit="ms"),
        Figure(
            bench=bench, name="delay of a frame, 99th percentile", value=heard.p99_ms, unit="ms", most=MOST_MS
        ),
        Figure(bench=bench, name="frames that each reader got", value=each, unit="frames"),
        Figure(bench=bench, name="lost", value=heard.lost, unit="frames", most=0),
        Figure(bench=bench, name="doubled", value=heard.doubled, unit="frames", most=0),
        Figure(bench=bench, name="readers that were cut off", value=heard.cut, unit="readers", most=0),
        Figure(bench=bench, name="share of a core that the daemon used", value=busy, unit="cores"),
        Figure(bench=bench, name="and the readers", value=heard.cpu_s / size.load_s, unit="cores"),
    ]


async def _measure(room: Postroom, house: House, session: str, size: Size) -> tuple[Heard, float]:
    """What the readers heard, and how busy this process was meanwhile."""
    secret = secrets.token_urlsafe(32)
    house.access.give(secret, Caller(token_id="", name="bench", scope=Scope.READ))
    readers = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benches.stream_readers", house.url, secret, str(size.readers),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert readers.stdin is not None
    assert readers.stdout is not None
    async with asyncio.timeout(PATIENCE_S + size.load_s):
        await readers.stdout.readline()  # all of them are live
        cpu_s, since_s = time.process_time(), time.perf_counter()
        await _write(room, session, size)
        busy = (time.process_time() - cpu_s) / (time.perf_counter() - since_s)
        readers.stdin.write(b"%d\n" % await room.store.read(newest_pos, 0))
        heard: dict[str, float] = json.loads(await readers.stdout.readline())
        await readers.wait()
    return Heard(**heard), busy


async def _write(room: Postroom, session: str, size: Size) -> None:
    """Letters, each in a commit of its own, at a steady rate whatever a commit takes."""
    clock = SystemClock()
    began_s = clock.monotonic_s()
    async with asyncio.TaskGroup() as letters:
        per_s = RATE_PER_S / EVENTS_PER_LETTER
        for number in range(int(per_s * size.load_s)):
            await clock.sleep_s(began_s + number / per_s - clock.monotonic_s())
            letters.create_task(room.send(session, f"letter {number}", mode="queue"))
