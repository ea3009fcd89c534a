"""One command as a call of a tool: begun, followed in a thread, and told to the model."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from postroom.tools.base import ToolResult
from postroom.tools.own_thread import in_own_thread
from postroom.tools.shell.output import Output
from postroom.tools.shell.process import Command
from postroom.tools.shell.told import ended


def _nobody_asks(_pid: int) -> None:
    """For a command whose process id nobody wants to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A command, its output, and the file that the output goes to."""

    command: Command
    output: Output
    limit_s: float
    folder: Path
    name: str
    keeps_output: bool
    """Keep the file although the model sees everything: it was told of it."""

    async def result(self, on_start: Callable[[int], None] = _nobody_asks) -> ToolResult:
        """How it ended, or why it could not be started. Cancelling this stops the command.

        `on_start` hears the process id, in the thread that follows the command.
        """
        try:
            return await in_own_thread(lambda: self._follow(on_start))
        except OSError as error:
            return ToolResult(text=f"the command could not be started: {error}", is_error=True)
        except asyncio.CancelledError:
            self.command.stop()
            raise

    def _follow(self, on_start: Callable[[int], None]) -> ToolResult:
        self.output.open(self.folder, self.name)
        try:
            outcome = self.command.run(on_start)
        finally:
            self.output.close(keep=self.keeps_output)
        return ended(outcome, self.output, self.limit_s)
