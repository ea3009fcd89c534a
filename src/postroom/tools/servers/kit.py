"""The servers of a team as one kit of tools. The SDK is loaded when servers are started, not before."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from postroom.clock import Clock
from postroom.extras import is_installed, missing_extra
from postroom.profiles.tool_settings import McpServer
from postroom.tools.base import Toolset
from postroom.tools.servers.log import ServerLog
from postroom.tools.servers.standin import server_toolset, stand_in
from postroom.tools.servers.target import Target, targets

if TYPE_CHECKING:
    from postroom.tools.servers.toolbox import Toolbox


class McpKit:
    """Starts every server with the room, keeps each reachable, and ends them with the room.

    `${NAME}` in the settings is filled in from `env`; a program gets a clean environment, `cwd` as
    its directory, and a log file `mcp-NAME.log` in `logs`. Making a kit starts nothing.

    Raises `ConfigFault` for a setting that cannot be meant, and `MissingExtra` when a server is
    configured and the SDK is not installed. A server that cannot be started raises nothing.
    """

    def __init__(
        self, servers: Sequence[McpServer], *, env: Mapping[str, str], clock: Clock, cwd: Path, logs: Path
    ) -> None:
        self._targets = targets(servers, env)
        if self._targets and not is_installed("mcp"):
            raise missing_extra(f"the MCP server `{self._targets[0].name}`", "mcp")
        self._clock, self._cwd, self._logs = clock, cwd, logs
        self._boxes: dict[str, Toolbox] = {}
        self._generation = 0
        self._is_closed = False

    @property
    def generation(self) -> int:
        """Grows whenever a server offers other tools than before."""
        return self._generation

    def toolsets(self) -> tuple[Toolset, ...]:
        """One for each server, in the order of the settings; none is ever empty."""
        return tuple(self._toolset(target.name) for target in self._targets)

    def troubles(self) -> tuple[str, ...]:
        """What is wrong now, one sentence for each server that something is wrong with."""
        return tuple(said for box in self._boxes.values() if (said := box.say()))

    async def open(self) -> None:
        """Start all servers side by side; return when each is up or has failed once.

        So it takes as long as the slowest, and `start_s` at the most: the tools of a turn are fixed
        when it starts, and the first turn should have them.
        """
        if not self._targets:
            return
        # Loading the SDK takes a second; on the loop every agent would wait for it.
        boxes = {target.name: box for target, box in await asyncio.to_thread(self._make_boxes)}
        if self._is_closed:
            return
        self._boxes = boxes
        try:
            await asyncio.gather(*(box.link.open() for box in boxes.values()))
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End every server with its children, within a few seconds. Idempotent."""
        self._is_closed = True
        await asyncio.gather(*(box.close() for box in self._boxes.values()))

    def _make_boxes(self) -> "list[tuple[Target, Toolbox]]":
        from postroom.tools.servers.link import Link  # noqa: PLC0415 - loads the SDK
        from postroom.tools.servers.toolbox import Toolbox  # noqa: PLC0415 - with it

        # The SDK tells its troubles to loggers; without this they land on the person's terminal.
        for name in ("mcp", "client"):
            logging.getLogger(name).addHandler(logging.NullHandler())

        def box(target: Target) -> Toolbox:
            log = ServerLog(self._logs, target.name, mask=target.mask, clock=self._clock)
            link = Link(target, clock=self._clock, cwd=self._cwd, log=log, changed=self._note_change)
            return Toolbox(link=link, clock=self._clock)

        return [(target, box(target)) for target in self._targets]

    def _toolset(self, name: str) -> Toolset:
        if (box := self._boxes.get(name)) is not None:
            return box.toolset()
        return server_toolset(name, (stand_in(name, lambda: self._say(name)),))

    def _say(self, name: str) -> str:
        box = self._boxes.get(name)
        return box.explain() if box is not None else f"the MCP server `{name}` is being started"

    def _note_change(self) -> None:
        self._generation += 1
