"""The tool `shell` and the commands that it began: none of them outlives the room."""

import asyncio
import os
import re
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from postroom.errors import Fault
from postroom.profiles.tool_settings import DAY_S, ShellSettings
from postroom.tools.base import Caller, ToolResult, Toolset, Work
from postroom.tools.own_thread import settled
from postroom.tools.python import tool, tool_from
from postroom.tools.shell.environment import clean_environment, shell_argv
from postroom.tools.shell.output import Output
from postroom.tools.shell.process import Command, Order
from postroom.tools.shell.resource import command_resource
from postroom.tools.shell.run import Run

BACKGROUND_MAX: Final = 16
"""Commands that one agent may have in the background at a time."""
BACKGROUND_CHARS_MAX: Final = 4_000
"""Characters of output in the message about the end of a background command."""
LABEL_CHARS_MAX: Final = 80


class ShellKit:
    """Commands, if the person allows them. All of it on one event loop; the waiting is done in threads.

    `outputs` is the folder for output that is too long to be shown; it is made when it is needed.
    """

    def __init__(
        self, settings: ShellSettings, outputs: Path, *, env: Mapping[str, str] | None = None
    ) -> None:
        self._settings = settings
        self._outputs = outputs
        self._env = clean_environment(os.environ if env is None else env, settings.env)
        self._runs: dict[asyncio.Task[ToolResult], Run] = {}
        self._background: dict[str, int] = {}
        self._is_closed = False

    @property
    def generation(self) -> int:
        """Always 0: whether there is a shell is settled when the team is read."""
        return 0

    def troubles(self) -> tuple[str, ...]:
        """None: a command that cannot be run says so to its agent."""
        return ()

    def toolsets(self) -> tuple[Toolset, ...]:
        """The tool `shell`, or nothing unless it is allowed."""
        if not self._settings.allowed:
            return ()
        shell = tool_from(self.shell, action="shell", resource=command_resource)
        return (Toolset(group="shell", origin="Postroom's shell", tools=(shell,)),)

    async def open(self) -> None:
        """Nothing to begin: commands begin when they are called."""

    async def close(self) -> None:
        """End every command with its children. Idempotent; on return none of them is left."""
        self._is_closed = True
        for run in self._runs.values():
            run.command.stop()
        if self._runs:
            await asyncio.wait(list(self._runs))

    @tool(parallel=False)
    async def shell(
        self, caller: Caller, command: str, time_limit_s: float | None = None, *, background: bool = False
    ) -> ToolResult:
        """Run a command line with bash, in your directory, without input and without a terminal.

        You get what it prints and its exit code. When it ends, whatever it left running ends too.

        Args:
            command: the command line; may have several lines
            time_limit_s: seconds after which it is ended with all its children
            background: come back at once; a message tells you when the command has ended
        """
        if (reason := self._refusal(caller, command, time_limit_s, background=background)) is not None:
            return ToolResult(text=reason, is_error=True)
        if background:
            limit_s = min(time_limit_s or DAY_S, DAY_S)
            run = self._run(caller, command, limit_s, BACKGROUND_CHARS_MAX, keeps=True)
            # Written down before anything of it exists, so no end can go unheard.
            return await self._later(caller, run, await caller.begin_work(_label(command)))
        limit_s = min(time_limit_s or DAY_S, self._settings.time_limit_s)
        run = self._run(caller, command, limit_s, self._settings.output_chars_max, keeps=False)
        return await self._now(run)

    def _refusal(
        self, caller: Caller, command: str, time_limit_s: float | None, *, background: bool
    ) -> str | None:
        if not hasattr(os, "killpg"):
            return "commands need Linux or macOS: this system has no process groups"
        if self._is_closed:
            return "the room is closing; nothing is started any more"
        if not command.strip() or "\x00" in command:
            return "the command is empty or holds a NUL"
        if time_limit_s is not None and not time_limit_s > 0:
            return "time_limit_s must be more than 0"
        if background and self._background.get(caller.session_id, 0) >= BACKGROUND_MAX:
            return f"you have {BACKGROUND_MAX} commands in the background; wait until one has ended"
        return None

    async def _now(self, run: Run) -> ToolResult:
        task = self._keep(run, run.result())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            run.command.stop()
            await settled(task)
            raise

    async def _later(self, caller: Caller, run: Run, work: Work) -> ToolResult:
        started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        task = self._keep(run, _follow(run, work, started))
        self._count(caller, 1)
        task.add_done_callback(lambda _: self._count(caller, -1))
        try:
            await asyncio.wait({started, task}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            run.command.stop()
            raise
        if not started.done():
            return task.result()
        where = f"; its output goes to {run.output.path}" if run.output.path else ""
        text = f"started in the background as process {started.result()}{where}; a message will tell its end"
        return ToolResult(text=text)

    def _run(self, caller: Caller, command: str, limit_s: float, chars_max: int, *, keeps: bool) -> Run:
        output = Output(chars_max=chars_max, bytes_max=self._settings.output_bytes_max)
        order = Order(argv=shell_argv(command, self._env), cwd=caller.cwd, env=self._env, limit_s=limit_s)
        return Run(
            command=Command(order, output), output=output, limit_s=limit_s, folder=self._outputs,
            name=_file_name(caller.call_id), keeps_output=keeps,
        )  # fmt: skip

    def _keep(self, run: Run, course: Coroutine[None, None, ToolResult]) -> asyncio.Task[ToolResult]:
        task = asyncio.get_running_loop().create_task(course)
        self._runs[task] = run
        task.add_done_callback(self._runs.pop)
        if self._is_closed:  # it closed while the work was written down
            run.command.stop()
        return task

    def _count(self, caller: Caller, change: int) -> None:
        count = self._background.pop(caller.session_id, 0) + change
        if count > 0:
            self._background[caller.session_id] = count


async def _follow(run: Run, work: Work, started: asyncio.Future[int]) -> ToolResult:
    """A command in the background, until the agent has been told of its end."""
    loop = asyncio.get_running_loop()

    def tell(pid: int) -> None:
        loop.call_soon_threadsafe(lambda: started.done() or started.set_result(pid))

    ending = asyncio.ensure_future(run.result(tell))
    stopping = asyncio.ensure_future(work.stopped.wait())
    try:
        await asyncio.wait({ending, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        if not ending.done():
            run.command.stop()
    result = await ending
    with suppress(Fault):  # the next start of a process tells the agent that its work was cut off
        await work.end(result.text, is_error=result.is_error)
    return result


def _label(command: str) -> str:
    line = " ".join(command.split())
    return f"shell: {line if len(line) <= LABEL_CHARS_MAX else line[:LABEL_CHARS_MAX] + '...'}"


def _file_name(call_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[:LABEL_CHARS_MAX] or "call"
