"""The commands that only look: ps, show, why, log, tail.

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
from postroom.frontends.cli.words import counted
from postroom.observe.glance import Glance, is_run

PAGE: Final = 500
_IN_A_TURN: Final = frozenset(("running", "suspended"))
_CUT: Final = "; what stands there as running was cut, and goes on or ends when a process opens this store"
TAIL_BACK: Final = 10
POLL_S: Final = 0.5
"""How often a store is looked at that a process without a door runs."""


def ps(asked: Asked, out: Output) -> int:
    """List the agents."""
    folder, session = store_of(asked), asked.text_or_none("session")
    found = look(folder, "ps", {"session": session}, lambda glance: _agents(glance, session))
    running = is_run(folder)
    if out.as_json:
        out.document({"agents": found, "running": running})
        return 0
    listed = [agent for agent in texts.rows(found) if agent["state"] != "archived"]
    if listed:
        out.table(texts.AGENT_HEADER, [texts.agent_cells(agent) for agent in listed])
    else:
        out.note("there are no agents yet")
    if n_archived := len(texts.rows(found)) - len(listed):
        left_out = counted(n_archived, "archived agent")
        out.note(f"{left_out} left out, see `postroom agents SESSION --archived`")
    if not running:
        was_cut = any(agent["state"] in _IN_A_TURN for agent in listed)
        out.note(f"nothing is running{_CUT if was_cut else ''}")
    return 0


def _agents(glance: Glance, session: str | None) -> Json:
    if session is None:
        from postroom.observe.agents import agent_rows  # noqa: PLC0415

        return glance.view(agent_rows, None)
    from postroom.observe import looks  # noqa: PLC0415

    return glance.read(looks.agents, session)


def show(asked: Asked, out: Output) -> int:
    """Show a conversation or a message."""
    reference = asked.text("reference")
    found = look(store_of(asked), "show", {"reference": reference}, lambda glance: _show(glance, reference))
    assert isinstance(found, dict)  # noqa: S101 -- both ways give an object
    if out.as_json:
        out.document(found)
        return 0
    message = found.get("message")
    page = texts.message_page(message) if isinstance(message, dict) else texts.session_page(found)
    for line in page:
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
