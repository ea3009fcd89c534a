"""The commands that only look: show, why, log, tail; `ps` has a file of its own.

What is slow to load is imported where it is used: these commands are typed often.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, cast

from postroom.daemon.client import DoorClient
from postroom.domain.plain import Json
from postroom.frontends.cli import texts
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import look, store_of
from postroom.observe.glance import Glance
from postroom.observe.runner import is_run

PAGE: Final = 500
TAIL_BACK: Final = 10
POLL_S: Final = 0.5
"""How often a store is looked at that a process without a door runs."""


def show(asked: Asked, out: Output) -> int:
    """Show a conversation or a message."""
    reference = asked.text("reference")
    found = look(store_of(asked), "show", {"reference": reference}, lambda glance: _show(glance, reference))
    assert isinstance(found, dict)  # noqa: S101 -- both ways give an object
    if out.as_json:
        out.document(found)
        return 0
    message = found.get("message")
    from postroom.frontends.cli.show_page import message_page, session_page  # noqa: PLC0415

    for line in message_page(message) if isinstance(message, dict) else session_page(found):
        out.line(line)
    return 0


def _show(glance: Glance, reference: str) -> Json:
    from postroom.observe import looks  # noqa: PLC0415

    return glance.read(looks.show, reference)


def why(asked: Asked, out: Output) -> int:
    """Say why something happened, and what came of it."""
    reference = asked.text("reference")
    found = look(store_of(asked), "why", {"reference": reference}, lambda glance: _why(glance, reference))
    assert isinstance(found, dict)  # noqa: S101 -- both ways give an object
    if out.as_json:
        out.document(found)
        return 0
    from postroom.frontends.cli.why_page import why_page  # noqa: PLC0415

    for line in why_page(found):
        out.line(line)
    return 0


def _why(glance: Glance, reference: str) -> Json:
    from postroom.observe import looks  # noqa: PLC0415

    return glance.read(looks.why, reference)


def log(asked: Asked, out: Output) -> int:
    """Print the log, page by page."""
    folder, session = store_of(asked), asked.text_or_none("session")
    after, left = asked.number("from") or 0, asked.number("limit")
    key = "pos" if session is None else "seq"
    with DoorClient.connect(folder) or Glance(folder) as source:
        fetch = _pages(source, session)
        while left is None or left > 0:
            page = texts.rows(fetch(after, PAGE if left is None else min(PAGE, left)))
            for event in page:
                _print(out, event)
            if not page:
                break
            after = int(texts.text(page[-1], key))
            left = None if left is None else left - len(page)
    return 0


def _pages(source: DoorClient | Glance, session: str | None) -> Callable[[int, int], Json]:
    """How a page is read: so many events behind a number."""
    if isinstance(source, DoorClient):
        return lambda after, limit: source.ask("log", {"session": session, "after": after, "limit": limit})
    from postroom.observe import looks  # noqa: PLC0415

    names = looks.Names()
    return lambda after, limit: source.read(looks.log_rows, names, session, after, limit)


def tail(asked: Asked, out: Output) -> int:
    """Print events while they happen, until nobody runs the store."""
    folder, start = store_of(asked), asked.number("from")
    door = DoorClient.connect(folder)
    if door is not None:
        with door:
            for event in door.stream("tail", {"pos": -TAIL_BACK if start is None else start}):
                _print(out, cast("texts.Row", event))
        return 0
    for event in _watch(folder, start):
        _print(out, event)
    out.note("nothing is running")
    return 0


def _watch(folder: Path, start: int | None) -> Iterator[texts.Row]:
    """Events behind a position; as long as a process runs the store without a door, new ones too."""
    from postroom.observe import looks  # noqa: PLC0415

    names = looks.Names()
    with Glance(folder) as glance:
        pos = glance.read(looks.newest_pos, TAIL_BACK) if start is None else start
        while True:
            running = is_run(folder)
            while page := texts.rows(glance.read(looks.log_rows, names, None, pos, PAGE)):
                pos = int(texts.text(page[-1], "pos"))
                yield from page
            if not running:
                return
            # A store without a door rings for nobody in another process; only this command waits here.
            time.sleep(POLL_S)


def _print(out: Output, event: texts.Row) -> None:
    if out.as_json:
        out.json_line(dict(event))
    else:
        out.line(texts.event_line(event))
