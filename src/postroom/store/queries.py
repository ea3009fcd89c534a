"""Named SQL: `-- name: X`, one sentence, one statement. Python never builds SQL.

A list of columns that several statements read stands once, in `columns.sql`; `{X}` names it. A loader of
its own, thirty lines, because the known ones cost 75 ms of import and a wrapper around every call
(docs/why/0003).
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "sql"
_HEAD = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_COLUMNS = re.compile(r"^-- columns: (\w+)\n", re.MULTILINE)
_LIST = re.compile(r"\{(\w+)\}")
FILES = (
    "mail.sql",
    "rosters.sql",
    "held.sql",
    "letters.sql",
    "turns.sql",
    "waits.sql",
    "tasks.sql",
    "sessions.sql",
    "log.sql",
    "views.sql",
    "doctor.sql",
    "export.sql",
    "work.sql",
    "words.sql",
    "asks.sql",
    "goals.sql",
    "why.sql",
    "paths.sql",
    "contexts.sql",
    "addresses.sql",
    "branches.sql",
    "bus.sql",
    "lists.sql",
    "neighbours.sql",
    "shelf.sql",
    "prune.sql",
    "todos.sql",
    "graph.sql",
    "tokens.sql",
    "timeline.sql",
    "transcript.sql",
    "pages.sql",
    "board.sql",
)


@cache
def statements() -> Mapping[str, str]:
    """Every named statement of the package, with its list of columns written out."""
    columns = dict(_blocks("columns.sql", _COLUMNS))
    found: dict[str, str] = {}
    for file in FILES:
        for name, body in _blocks(file, _HEAD):
            if name in found:
                raise ValueError(f"two statements are named {name}")
            found[name] = _LIST.sub(lambda use: columns[use[1]], body)
    return found


def _blocks(file: str, head: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """What stands under each name in a file, without its comments."""
    parts = head.split((_FOLDER / file).read_text("utf-8"))[1:]
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        yield name, "\n".join(line for line in body.strip().splitlines() if not line.startswith("--"))
