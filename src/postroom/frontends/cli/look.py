"""The commands that only look: ps, show, log, tail."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, cast

from postroom.daemon.client import DoorClient
from postroom.frontends.cli import texts
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import config_of, look
from postroom.llm.port import Json
from postroom.observe import looks
from postroom.observe.glance import Glance, is_run
from postroom.observe.tail import EventView, Names

PAGE: Final = 500
TAIL_BACK: Final = 10
POLL_S: Final = 0.5
"""How often a store is looked at that a process without a door runs."""


def ps(asked: Asked, out: Output) -> int:
    """List the agents."""
    folder, session = config_of(asked).store, asked.text_or_none("session")
    found = look(folder, "ps", {"session": session}, lambda glance: glance.read(looks.agents, session))
    running = is_run(folder)
    if out.as_json:
        out.document({"agents": found, "running": running})
        return 0
    agents = texts.rows(found)
    if agents:
        out.table(texts.AGENT_HEADER, [texts.agent_cells(agent) for agent in agents])
    else:
        out.note("there are no agents yet")
    if not running:
        out.note("nothing is running")
    return 0


def show(asked: Asked, out: Output) -> int:
    """Show a conversation or a message."""
    reference = asked.text("reference")
    found = look(
        config_of(asked).store, "show", {"reference": reference},
        lambda glance: glance.read(looks.show, reference),
    )  # fmt: skip
    assert isinstance(found, dict)  # noqa: S101 -- both ways give an object
    if out.as_json:
        out.document(found)
        return 0
    message = found.get("message")
    page = texts.message_page(message) if isinstance(message, dict) else texts.session_page(found)
    for line in page:
        out.line(line)
    return 0


def log(asked: Asked, out: Output) -> int:
    """Print the log, page by page."""
    folder, session = config_of(asked).store, asked.text_or_none("session")
    after, left = asked.number("from") or 0, asked.number("limit")
    key = "pos" if session is None else "seq"
    door = DoorClient.connect(folder)
    fetch = _through(door, session) if door is not None else _from_store(folder, session)
    while left is None or left > 0:
        page = texts.rows(fetch(after, PAGE if left is None else min(PAGE, left)))
        for event in page:
            _print(out, event)
        if not page:
            break
        after = int(texts.text(page[-1], key))
        left = None if left is None else left - len(page)
    return 0


def _through(door: DoorClient, session: str | None) -> Callable[[int, int], Json]:
    return lambda after, limit: door.ask("log", {"session": session, "after": after, "limit": limit})


def _from_store(folder: Path, session: str | None) -> Callable[[int, int], Json]:
    glance, names = Glance(folder), Names()
    return lambda after, limit: _as_json(glance.read(looks.log_page, names, session, after, limit))


def _as_json(events: list[EventView]) -> Json:
    return [looks.as_json(event) for event in events]


def tail(asked: Asked, out: Output) -> int:
    """Print events while they happen, until nobody runs the store."""
    folder, start = config_of(asked).store, asked.number("from")
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
    names = Names()
    with Glance(folder) as glance:
        pos = glance.read(looks.newest_pos, TAIL_BACK) if start is None else start
        while True:
            running = is_run(folder)
            while page := glance.read(looks.log_page, names, None, pos, PAGE):
                pos = page[-1].pos
                yield from texts.rows(_as_json(page))
            if not running:
                return
            time.sleep(POLL_S)


def _print(out: Output, event: texts.Row) -> None:
    if out.as_json:
        out.json_line(dict(event))
    else:
        out.line(texts.event_line(event))
