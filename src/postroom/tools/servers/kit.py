"""The servers of a team as one kit of tools. Importing it loads no SDK; configuring a server does."""

import asyncio
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from postroom.clock import Clock
from postroom.errors import MissingExtra
from postroom.profiles.tool_settings import McpServer
from postroom.tools.base import Toolset
from postroom.tools.servers.target import Target, targets

if TYPE_CHECKING:
    from postroom.tools.servers.toolbox import Toolbox


class McpKit:
    """Starts every server with the room, keeps each reachable, and ends them with the room.

    `${NAME}` in the settings is filled in from `env`; a program gets a clean environment, `cwd` as
    its directory, and a log file `mcp-NAME.log` in `logs`.

    Raises `ConfigFault` for a setting that cannot be meant, and `MissingExtra` when a server is
    configured and the SDK is not installed. A server that cannot be started raises nothing.
    """

    def __init__(
        self, servers: Sequence[McpServer], *, env: Mapping[str, str], clock: Clock, cwd: Path, logs: Path
    ) -> None:
        self._generation = 0
        wanted = targets(servers, env)
        self._boxes = self._make_boxes(wanted, clock=clock, cwd=cwd, logs=logs) if wanted else ()

    def _make_boxes(
        self, wanted: Sequence[Target], *, clock: Clock, cwd: Path, logs: Path
    ) -> "tuple[Toolbox, ...]":
        if not _is_installed("mcp"):
            raise MissingExtra(
                f"the MCP server `{wanted[0].name}` needs the extra 'mcp'",
                remedy="install it: pip install 'postroom[mcp]'",
            )
        from postroom.tools.servers.link import Link  # noqa: PLC0415 - loads the SDK
        from postroom.tools.servers.log import ServerLog  # noqa: PLC0415 - with it
        from postroom.tools.servers.toolbox import Toolbox  # noqa: PLC0415 - with it

        def box(target: Target) -> Toolbox:
            log = ServerLog(logs, target.name, mask=target.mask, clock=clock)
            link = Link(target, clock=clock, cwd=cwd, log=log, changed=self._note_change)
            return Toolbox(link=link, clock=clock)

        return tuple(box(target) for target in wanted)

    @property
    def generation(self) -> int:
        """Grows whenever a server offers other tools than before."""
        return self._generation

    def toolsets(self) -> tuple[Toolset, ...]:
        """One for each server, in the order of the settings; none is ever empty."""
        return tuple(box.toolset() for box in self._boxes)

    def troubles(self) -> tuple[str, ...]:
        """What is wrong now, one sentence for each server that something is wrong with."""
        return tuple(said for box in self._boxes if (said := box.say()))

    async def open(self) -> None:
        """Start all servers side by side; return when each is up or has failed once.

        So it takes as long as the slowest, and `start_s` at the most: the tools of a turn are fixed
        when it starts, and the first turn should have them.
        """
        try:
            await asyncio.gather(*(box.link.open() for box in self._boxes))
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End every server with its children, within a few seconds. Idempotent."""
        await asyncio.gather(*(box.close() for box in self._boxes))

    def _note_change(self) -> None:
        self._generation += 1


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a module that something else has blocked
        return False
