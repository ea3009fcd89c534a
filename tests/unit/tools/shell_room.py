"""The shell as an agent calls it, with pipes by which a test hears what its processes do."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from postroom.errors import RoomClosed
from postroom.llm.port import Json
from postroom.profiles.tool_settings import ShellSettings
from postroom.tools.base import Caller, ToolResult, Work
from postroom.tools.shell.kit import ShellKit
from tests.pipes import heard, lines

PATIENCE_S = 60.0
BLOCK = "cat never"
"""A command that waits until it is killed: nobody ever opens the other end."""


class NotedWork:
    """Work as the runtime gives it out, with what it was told."""

    def __init__(self) -> None:
        self.stopped = asyncio.Event()
        self.ended = asyncio.Event()
        self.ends: list[tuple[str, bool]] = []

    async def end(self, text: str, *, is_error: bool = False) -> None:
        self.ends.append((text, is_error))
        self.ended.set()

    async def text(self) -> str:
        """What the agent was told, once it was."""
        await asyncio.wait_for(self.ended.wait(), PATIENCE_S)
        assert len(self.ends) == 1
        return self.ends[0][0]


class ShellRoom:
    """A kit and a caller in a folder."""

    def __init__(self, folder: Path, *, env: Mapping[str, str] | None = None, **settings: object) -> None:
        self.cwd = folder / "cwd"
        self.cwd.mkdir()
        self.outputs = folder / "store" / "outputs"
        chosen = replace(ShellSettings(allowed=True), **settings)  # pyright: ignore[reportArgumentType]
        self.kit = ShellKit(chosen, self.outputs, env=env)
        self.labels: list[str] = []
        self.works: list[NotedWork] = []
        self.refuses_work = False
        for pipe in ("never", "ready", "alive"):
            os.mkfifo(self.cwd / pipe)

    async def begin_work(self, label: str) -> Work:
        self.labels.append(label)
        if self.refuses_work:
            raise RoomClosed("no work any more")
        self.works.append(NotedWork())
        return self.works[-1]

    async def call(self, command: str, **arguments: Json) -> ToolResult:
        caller = Caller(
            session_id="s", branch_id="b", turn_id="t", call_id="call-1", agent="ada", cwd=str(self.cwd),
            begin_work=self.begin_work,
        )  # fmt: skip
        (toolset,) = self.kit.toolsets()
        return await toolset.tools[0].run(caller, {"command": command, **arguments})

    def start(self, command: str, **arguments: Json) -> asyncio.Task[ToolResult]:
        """A call that goes on while the test does something else."""
        return asyncio.get_running_loop().create_task(self.call(command, **arguments))

    def hold(self, count: int = 1) -> str:
        """A command whose children keep `alive` open, say when they are `ready`, and wait for ever."""
        child = "(exec 9>alive; echo up >ready; " + BLOCK + ") &\n"
        return child * count

    async def ready(self, count: int = 1) -> None:
        """Wait until so many children have said that they are ready."""
        assert await lines(self.cwd / "ready", count) == ["up\n"] * count

    async def cut(self, begin: str = "") -> ToolResult:
        """What ended at its time limit with its children, once a busy machine was given the time for them."""
        command = f"{begin}{self.hold()}read x <ready; echo begun; wait; wait"
        for limit_s in (0.3, 3, 30):
            gone = self.gone()
            result = await self.call(command, time_limit_s=limit_s)
            if "begun" in result.text:
                await gone
                break
            gone.cancel()
        return result

    def gone(self) -> asyncio.Task[str]:
        """A task that is done when every child that held `alive` open is dead. Ask before they begin."""
        return asyncio.get_running_loop().create_task(heard(self.cwd / "alive"))

    def files(self) -> list[Path]:
        return sorted(self.outputs.iterdir()) if self.outputs.exists() else []
