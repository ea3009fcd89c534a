"""What the tests of MCP servers share: programs to run as servers, and the signs that they give."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Callable, Mapping
from pathlib import Path

from postroom.llm.port import Json
from postroom.profiles.tool_settings import McpServer
from postroom.testing.clock import FakeClock
from postroom.tools.base import Caller, Tool, ToolResult
from postroom.tools.servers.kit import McpKit

HERE = Path(__file__).parent
PATIENCE_S = 60.0
"""A machine may be slow; a sign that has not come by then will not come."""
CALLER = Caller(session_id="s1", branch_id="b1", turn_id="t1", call_id="c1", agent="lead", cwd="/")


class Rig:
    """Kits on a clock that only a test moves, and a line on which servers tell what happens in them."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.logs = folder / "logs"
        self.folder = folder.resolve()
        self.env: dict[str, str] = dict(os.environ) | {
            "SECRET": "sesame-open",
            "POSTROOM_KEY": "not for servers",
        }
        self._signs: asyncio.Queue[str] = asyncio.Queue()
        self._kits: list[McpKit] = []
        self._programs: list[Process] = []
        self._line: asyncio.Server | None = None
        self._port = 0

    async def start(self) -> None:
        self._line = await asyncio.start_server(self._listen, "127.0.0.1", 0)
        self._port = self._line.sockets[0].getsockname()[1]

    async def close(self) -> None:
        for kit in self._kits:
            await kit.close()
        for program in self._programs:
            if program.returncode is None:
                program.kill()
            await program.wait()
        if self._line is not None:
            self._line.close()

    async def sign(self, begins: str) -> str:
        """The next sign that begins so; others before it are forgotten."""
        async with asyncio.timeout(PATIENCE_S):
            while not (said := await self._signs.get()).startswith(begins):
                pass
            return said

    def sdk(self) -> McpServer:
        command = (sys.executable, str(HERE / "mcp_server.py"), "stdio", str(self._port))
        return McpServer(name="sdk", command=command)

    def raw(
        self,
        *tools: str,
        name: str = "raw",
        env: Mapping[str, str] | None = None,
        start_s: float = 30,
        call_s: float = 100,
        **options: Json,
    ) -> McpServer:
        told = json.dumps({"tools": tools or ["ping"], "signs": self._port, **options})
        command = (sys.executable, str(HERE / "mcp_raw_server.py"), told)
        return McpServer(name=name, command=command, env=dict(env or {}), start_s=start_s, call_s=call_s)

    async def web(self, port: int = 0) -> tuple[Process, str]:
        """A server of its own on this machine, and where it is."""
        program = await asyncio.create_subprocess_exec(
            sys.executable, str(HERE / "mcp_server.py"), "http", str(self._port), str(port),
            stdout=DEVNULL, stderr=DEVNULL,
        )  # fmt: skip
        self._programs.append(program)
        return program, f"http://127.0.0.1:{(await self.sign('port')).split()[1]}/mcp"

    def kit(self, *servers: McpServer) -> McpKit:
        """A kit that is closed with the rig, not yet opened."""
        kit = McpKit(servers, env=self.env, clock=self.clock, cwd=self.folder, logs=self.logs)
        self._kits.append(kit)
        return kit

    async def opened(self, *servers: McpServer) -> McpKit:
        kit = self.kit(*servers)
        await kit.open()
        return kit

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = ""
        async for line in reader:
            said = line.decode().strip()
            self._signs.put_nowait(said)
        self._signs.put_nowait(f"end of {said}")
        writer.close()


def tools_of(kit: McpKit) -> dict[str, Tool]:
    return {tool.spec.name: tool for toolset in kit.toolsets() for tool in toolset.tools}


async def call(kit: McpKit, tool: str, **arguments: Json) -> ToolResult:
    return await tools_of(kit)[tool].run(CALLER, arguments)


async def until(is_so: Callable[[], bool]) -> None:
    """Let everything run until it is so."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110 - a server in another process sets no event
            await asyncio.sleep(0)
