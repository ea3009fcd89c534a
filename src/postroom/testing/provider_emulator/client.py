"""The emulator as tests use it: a process that lives as long as an `async with`."""

import asyncio
import json
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Self, cast
from urllib.parse import quote, urlsplit

from postroom.llm.port import Json
from postroom.testing.provider_emulator.plan import Plan
from postroom.testing.provider_emulator.recorded import Recorded, recorded

_START_S = 60.0
# The server answers a wait after half this time at the latest; one that does not hangs.
_REPLY_S = 60.0


class ProviderEmulator:
    """Starts the emulator on a free port and stops it. `env()` is what a model of it needs to know."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.url = ""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        """Started, and ready to be asked."""
        self._folder = tempfile.TemporaryDirectory(prefix="postroom-emulator-")
        script = Path(self._folder.name) / "plan.json"
        script.write_text(self.plan.model_dump_json(), encoding="utf-8")
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "postroom.testing.provider_emulator",
            "--port",
            "0",
            "--script",
            str(script),
            "--until-stdin-closes",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        if self._process.stdout is not None:
            line = await asyncio.wait_for(self._process.stdout.readline(), _START_S)
            self.url = line.decode().strip()
        if not self.url:
            await self._stop()
            raise RuntimeError("the provider emulator did not start; its stderr says why")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stopped, and its folder gone."""
        await self._stop()

    def env(self) -> dict[str, str]:
        """The environment in which `openai:NAME`, `anthropic:NAME` and `google:NAME` are this emulator."""
        return {
            "OPENAI_API_KEY": self.plan.key,
            "POSTROOM_OPENAI_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": self.plan.key,
            "POSTROOM_ANTHROPIC_BASE_URL": self.root_url,
            "GOOGLE_API_KEY": self.plan.key,
            "POSTROOM_GOOGLE_BASE_URL": self.root_url,
        }

    @property
    def root_url(self) -> str:
        """The base URL for the SDKs of Anthropic and Google; `url` is the one for OpenAI's."""
        return self.url.removesuffix("/v1")

    async def requests(self, agent: str | None = None) -> list[Recorded]:
        """Every request so far, or those of one agent, with the bytes that came in."""
        found = [recorded(entry) for entry in await self.log()]
        return [each for each in found if agent in (None, each.agent)]

    async def log(self) -> list[dict[str, Json]]:
        """Every request so far, in order of arrival: who asked, the body, how it ended."""
        return cast("list[dict[str, Json]]", await self._control("GET", "log"))

    async def bodies(self, agent: str) -> list[dict[str, Json]]:
        """The accepted bodies of one agent's requests, in order."""
        return [
            entry["body"]
            for entry in await self.log()
            if entry["agent"] == agent and isinstance(entry["body"], dict)
        ]

    async def failures(self) -> list[str]:
        """What was refused as a bad request, and where a script ran out."""
        return [
            f"request {entry['number']} of {entry['agent']!r}: {entry['failure']}"
            for entry in await self.log()
            if entry["failure"]
        ]

    async def assert_clean(self) -> None:
        """Fail the test if a request was refused or a script ran out (I4)."""
        failures = await self.failures()
        if failures:
            raise AssertionError("\n".join(failures))

    async def open(self, gate: str) -> None:
        """Open a gate."""
        await self._control("POST", f"open/{quote(gate, safe='')}")

    async def reached(self, gate: str, count: int = 1) -> None:
        """Return once `count` requests stand, or stood, before the gate."""
        path = f"gates/{quote(gate, safe='')}?count={count}"
        if await self._control("GET", path) is not True:
            raise AssertionError(f"nobody came to the gate {gate!r}")

    async def received(self, count: int) -> None:
        """Return once `count` requests have come in."""
        if await self._control("GET", f"requests?count={count}") is not True:
            raise AssertionError(f"fewer than {count} requests came in")

    async def _control(self, method: str, path: str) -> Json:
        return await asyncio.to_thread(_ask, self.url, method, f"/_control/{path}")

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            await process.wait()
        if self._folder is not None:
            self._folder.cleanup()


def _ask(url: str, method: str, path: str) -> Json:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=_REPLY_S)
    try:
        connection.request(method, path)
        return cast("Json", json.loads(connection.getresponse().read()))
    finally:
        connection.close()
