"""The commands that begin, find and end the daemon of a store."""

from collections.abc import Sequence
from typing import Final

from postroom.frontends.cli.command import TOOLS, Argument, Command

DAEMON_COMMANDS: Final[Sequence[Command]] = (
    Command(
        name="up", does="run the daemon: it runs the store, and serves the page and the API", run="up:up",
        arguments=(
            Argument(
                name="--team", shown="DIR",
                meaning="the team folder of new conversations (else the working directory, if it is one)",
            ),
            Argument(
                name="--port", kind="integer", shown="N",
                meaning="the port to listen at (else daemon.port, 7678, or a free one)",
            ),
            Argument(
                name="--host", shown="ADDRESS",
                meaning="the address to listen at (else daemon.host, 127.0.0.1)",
            ),
            Argument(name="--detach", kind="flag", meaning="return when it answers, and let it run on"),
            Argument(
                name="--open", kind="flag", meaning="open the page in a browser, where there is a display"
            ),
            TOOLS,
        ),
        more="Ctrl-C ends it: what runs is cut off, nothing is lost, and the next start goes on. Every other "
        "command goes through it while it runs.",
    ),
    Command(
        name="down", does="end the daemon, and wait until the store is free", run="down:down",
        more="What runs is cut off as by Ctrl-C. It is no error when none runs.",
    ),
    Command(
        name="status", does="say whether a daemon runs, where, and what goes on in it", run="status:status",
        more="Exit code 0: it runs and is well; 1: it does not run, or the store cannot be written.",
    ),
    Command(
        name="open", does="print a new link with which a browser logs in", run="opening:open_page",
        more="The link is good once, and for a few minutes. A browser opens where there is a display, and "
        "not over SSH.",
    ),
)  # fmt: skip
