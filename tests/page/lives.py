"""A daemon as a process, which is killed and begun again while a page of it is open."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from postroom.daemon.own_token import read_own_token
from postroom.daemon.protocol import PREFIX
from postroom.domain.plain import Json
from tests.cli.cli import Cli


class Lives:
    """A daemon in a process of its own that is killed and begun again at the same address."""

    def __init__(self, cli: Cli, team: Path) -> None:
        self._cli = cli
        self._team = team
        self._port = "0"
        self.found: dict[str, Json] = {}

    async def begin(self) -> None:
        """A new process."""
        given = ("up", "--detach", "--json", "--port", self._port, "--team", self._team)
        begun = await asyncio.to_thread(self._cli.run, *given)
        assert begun.code == 0, begun.err
        self.found = begun.document
        self._port = self.url.rpartition(":")[2]

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return str(self.found["url"])

    def kill(self) -> None:
        """As `kill -9` does it."""
        os.kill(int(str(self.found["pid"])), signal.SIGKILL)

    async def say(self, text: str) -> None:
        """Begin a conversation."""
        token = {"authorization": f"Bearer {read_own_token(self._cli.store)}"}
        async with httpx2.AsyncClient(base_url=f"{self.url}{PREFIX}", timeout=60, trust_env=False) as client:
            (await client.post("/sessions", json={"text": text}, headers=token)).raise_for_status()


@asynccontextmanager
async def lives(folder: Path, team: Path) -> AsyncGenerator[Lives]:
    """A daemon over a store in the folder, ended with the test."""
    cli = Cli(folder)
    daemon = Lives(cli, team)
    await daemon.begin()
    try:
        yield daemon
    finally:
        await asyncio.to_thread(cli.run, "down")
