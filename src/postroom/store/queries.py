"""Named SQL: `-- name: X`, one sentence, one statement. Python never builds SQL.

A loader of its own, twenty lines, because the known ones cost 75 ms of import and a wrapper around
every call (docs/why/0003).
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "sql"
_HEAD = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
FILES = (
    "mail.sql",
    "turns.sql",
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
)


@cache
def statements() -> Mapping[str, str]:
    """Every named statement of the package."""
    found: dict[str, str] = {}
    for name in FILES:
        text = (_FOLDER / name).read_text("utf-8")
        parts = _HEAD.split(text)[1:]
        for key, body in zip(parts[::2], parts[1::2], strict=True):
            if key in found:
                msg = f"two statements are named {key}"
                raise ValueError(msg)
            found[key] = "\n".join(line for line in body.splitlines() if not line.startswith("--"))
    return found
