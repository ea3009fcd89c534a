"""`postroom tui`: the terminal user interface, over the daemon that runs the store."""

import asyncio
import os
from pathlib import Path

from postroom.extras import is_installed, missing_extra
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.opening import no_daemon
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.reach import store_of
from postroom.frontends.cli.signals import on_end


def tui(asked: Asked, out: Output) -> int:
    """Show the team until they leave. Raises `NoDaemon`, `MissingExtra`, `Usage` without a terminal."""
    if not is_installed("textual"):
        raise missing_extra("the terminal user interface", "tui")
    if out.as_json or not (os.isatty(0) and os.isatty(1)):
        raise Usage("`tui` needs a terminal", remedy="use `ps`, `tail`, `asks` and the like, or the page")
    if not out.is_drawn:
        raise Usage("a terminal of the kind `dumb` cannot be drawn on", remedy="set TERM to what it is")
    asyncio.run(_show(store_of(asked), asked.text_or_none("session") or ""))
    return DONE


async def _show(folder: Path, agent: str) -> None:
    from postroom.daemon.wire import DoorClosed  # noqa: PLC0415 - with the rest of it
    from postroom.frontends.tui.app import PostroomTerminal  # noqa: PLC0415 - an extra, and slow to import
    from postroom.frontends.tui.client import Client  # noqa: PLC0415 - as above

    try:
        client = Client.of_store(folder)
    except DoorClosed as fault:
        raise no_daemon(folder) from fault
    async with client:
        terminal = PostroomTerminal(client, agent=agent)
        on_end(terminal.exit)
        await terminal.run_async()
