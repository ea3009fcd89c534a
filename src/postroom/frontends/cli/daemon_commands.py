"""The commands that begin, find and end the daemon of a store."""

from collections.abc import Sequence
from typing import Final

from postroom.frontends.cli.command import AGENT, TOOLS, Argument, Command

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
    Command(
        name="tui", does="the team, its talk, its mail and its asks in the terminal", run="terminal:tui",
        arguments=(
            Argument(name="session", shown="AGENT", optional=True, meaning=f"whose talk to show; {AGENT}"),
        ),
        more="It speaks to the daemon, so `up` comes first. F1 to F4 go from view to view, Ctrl-Q leaves.",
    ),
)  # fmt: skip
