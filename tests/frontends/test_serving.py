"""The HTTP server of a room: who is let in, and how it ends."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.frontends.daemon import Daemon, served


@pytest.fixture
async def daemon(tmp_path: Path, team: Path) -> AsyncIterator[Daemon]:
    async with served(tmp_path, team) as daemon:
        yield daemon


async def test_a_room_is_served_over_http(daemon: Daemon) -> None:
    client = daemon.client()
    assert (await client.get("/agents")).json() == []
