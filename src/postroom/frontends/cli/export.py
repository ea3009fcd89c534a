"""`postroom export`: conversations as a page for people or as JSON lines for programs.

The store is read at once into a file, and only then does anybody get to read that: a pipe whose reader
takes its time would keep the snapshot open, and the log of a process that runs the store would grow.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final, TypeAlias

from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output, one_line
from postroom.frontends.cli.parser import Asked
from postroom.frontends.cli.reach import store_of
from postroom.observe.export import Ask, each_record
from postroom.observe.export_markdown import markdown
from postroom.observe.export_parts import Record
from postroom.observe.files import failed, made_beside, refuse_the_store
from postroom.observe.glance import Glance
from postroom.profiles.places import path_of

MARKDOWN, JSON_LINES = "md", "jsonl"
_COPY_BYTES: Final = 1024 * 1024
Write: TypeAlias = Callable[[Record], str]


def export(asked: Asked, out: Output) -> int:
    """Write the conversations of one tree or of all."""
    ask = Ask(session=asked.text_or_none("session"), full=asked.flag("full"))
    target = None if asked.text_or_none("output") == "-" else asked.text_or_none("output")
    write = _STYLES[_style(asked, target)]
    folder = store_of(asked)
    with Glance(folder) as glance:
        if target is None:
            _print(glance, ask, write)
            return DONE
        path = path_of(target)
        refuse_the_store(folder, path)
        counts = _save(glance, ask, write, path)
    if out.as_json:
        out.document({"written": str(path.absolute()), **counts})
    else:
        out.line(f"wrote {path}")
    return DONE


def _print(glance: Glance, ask: Ask, write: Write) -> None:
    with tempfile.TemporaryFile() as file:
        try:
            _pour(glance, ask, write, file)
            file.seek(0)
        except OSError as error:
            raise failed(error, "the export has no room for its temporary file") from error
        shutil.copyfileobj(file, sys.stdout.buffer, _COPY_BYTES)
    sys.stdout.flush()


def _save(glance: Glance, ask: Ask, write: Write, path: Path) -> Record:
    """A pipe or device is written to, a file is replaced when the new one is whole."""
    if path.exists() and not path.is_file():
        try:
            with path.open("wb") as file:
                return _pour(glance, ask, write, file)
        except OSError as error:
            raise failed(error, f"the export cannot be written to {path}") from error
    with made_beside(path, "the export", force=True) as partial, partial.open("wb") as file:
        return _pour(glance, ask, write, file)


def _style(asked: Asked, target: str | None) -> str:
    """As asked; else what the file's name says, and JSON lines for a program that reads the output."""
    chosen = asked.text_or_none("format")
    if chosen is not None:
        return chosen
    if target is not None:
        return JSON_LINES if target.endswith(f".{JSON_LINES}") else MARKDOWN
    return JSON_LINES if asked.flag("json") else MARKDOWN


def _pour(glance: Glance, ask: Ask, write: Write, file: IO[bytes]) -> Record:
    def take(record: Record) -> None:
        file.write(write(record).encode())

    return each_record(glance, ask, take)


def _json_line(record: Record) -> str:
    return f"{one_line(json.dumps(record, ensure_ascii=False, separators=(',', ':')))}\n"


_STYLES: Final[dict[str, Write]] = {MARKDOWN: markdown, JSON_LINES: _json_line}
