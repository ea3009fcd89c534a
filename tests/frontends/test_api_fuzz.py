"""The whole API against its own document: whatever is sent, no answer is a crash, and each is as promised.

Requests are drawn from the document, right ones and wrong ones, the same on every machine. They go to a real
daemon on this machine with a scripted team, which works while it is asked.
"""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from postroom.daemon.api.app import make_app
from postroom.daemon.protocol import PREFIX
from postroom.profiles.daemon_settings import DaemonSettings
from tests.cli.cli import ANSWERS, write_team
from tests.frontends.daemon import Daemon, served

LEFT_OUT: Final = {
    "shutdown": "it ends the daemon that the others are asked of",
    "events": "a stream does not end; its own tests read it",
    "session_events": "a stream does not end; its own tests read it",
    "logout": "it is of no use to a caller with a token; the tests of logins do it",
}
"""Endpoints that are not asked here, and why."""
EXAMPLES: Final = 8
"""Requests to one endpoint."""
PATIENCE_S: Final = 60.0
UNBOUNDED: Final = DaemonSettings(port=0, requests_per_s=1_000_000, logins_per_min=1_000_000)

PROMISES: Final[list[CheckFunction]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
"""What is looked at in each answer. Whether a right request is accepted is for the rules of the room."""
schema = schemathesis.openapi.from_dict(make_app().openapi()).exclude(operation_id=list(LEFT_OUT))
schema.config.phases.coverage.enabled = False  # thrice the time for the edges that are drawn anyway


@dataclass(frozen=True, slots=True)
class Target:
    """A daemon in a thread of its own, and what is in its store."""

    url: str
    secret: str
    known: dict[str, str]
    """Parameter of an address -> something that there is."""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("fuzz")
    team = write_team(folder / "team", {"ann": ANSWERS})
    found: list[Target] = []
    ready, done = threading.Event(), threading.Event()
    faults: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(_serve(folder, team, found, ready, done))
        except BaseException as fault:  # outermost frame
            faults.append(fault)
        ready.set()

    thread = threading.Thread(target=run, name="daemon")
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield found[0]
    finally:
        done.set()
        thread.join(PATIENCE_S)
    assert not faults, faults


async def _serve(
    folder: Path, team: Path, found: list[Target], ready: threading.Event, done: threading.Event
) -> None:
    async with served(folder, team, settings=UNBOUNDED) as daemon:
        found.append(await _filled(daemon))
        ready.set()
        await asyncio.to_thread(done.wait)


async def _filled(daemon: Daemon) -> Target:
    """A conversation, a text for later and a token, so that some of what is asked for is there."""
    said = await daemon.room.prompt("hello")
    await daemon.room.quiesce()
    timer = await daemon.room.send_at(said.session_id, "later", 1 << 60)
    return Target(url=daemon.url, secret=daemon.secret(), known={
        "agent": said.session_id, "session": said.session_id, "message": said.message_id,
        "timer": timer.timer_id, "reference": said.message_id,
    })  # fmt: skip


@schema.parametrize()
@settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
def test_every_answer_is_as_the_document_says(case: schemathesis.Case, target: Target) -> None:
    for name, value in target.known.items():
        # Half of what is drawn stays as it is.
        if name in case.path_parameters and len(str(case.path_parameters[name])) % 2:
            case.path_parameters[name] = value
    case.call_and_validate(
        base_url=target.url, headers={"authorization": f"Bearer {target.secret}"}, timeout=PATIENCE_S,
        checks=PROMISES,
    )  # fmt: skip


def test_what_is_left_out_is_there() -> None:
    names = {
        operation["operationId"]
        for path in make_app().openapi()["paths"].values()
        for operation in path.values()
    }

    assert LEFT_OUT.keys() <= names


def test_the_daemon_still_works_after_all_that(target: Target) -> None:
    answer = httpx2.get(
        f"{target.url}{PREFIX}/agents", headers={"authorization": f"Bearer {target.secret}"},
        timeout=PATIENCE_S, trust_env=False,
    )  # fmt: skip

    assert answer.status_code == 200
