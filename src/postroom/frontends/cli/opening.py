"""`postroom open`: a new link to the page of the daemon that runs."""

import os
from pathlib import Path

from postroom.daemon.presence import found
from postroom.daemon.wire import Told, UnknownCommand
from postroom.errors import Fault
from postroom.frontends.cli.browser import show_page
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import patient_door, store_of


class NoDaemon(Fault):
    """No daemon runs the store. Begin one with `postroom up`."""

    code = "no_daemon"


def open_page(asked: Asked, out: Output) -> int:
    """Print a link, and show it in a browser where there is a display."""
    page = new_link(store_of(asked))
    is_shown = not out.as_json and show_page(page, os.environ)
    if out.as_json:
        out.document({"login_url": page})
        return DONE
    out.line(page)
    out.note("a browser opens it" if is_shown else "open it in a browser; it is good once")
    return DONE


def new_link(folder: Path) -> str:
    """An address with which a browser logs in, once. Raises `NoDaemon`."""
    door = patient_door(folder)
    if door is None:
        raise no_daemon(folder)
    with door:
        try:
            made = door.ask("login_link", {})
        except Told as told:
            if told.failure.code != UnknownCommand.code:
                raise
            daemon = found(folder)
            if daemon is None:
                raise no_daemon(folder) from told
            return daemon.url
    return str(made["url"]) if isinstance(made, dict) else ""


def no_daemon(folder: Path) -> NoDaemon:
    """The fault of a store that no daemon runs."""
    return NoDaemon(f"no daemon runs the store {folder}", remedy="begin one: postroom up")
