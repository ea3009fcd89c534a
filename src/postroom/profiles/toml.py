"""Reads a TOML file into settings. `tomllib` gives values without lines; a scan finds the lines."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias, cast

from postroom.profiles.located import Problem, Setting
from postroom.profiles.source import read_text

KeyPath: TypeAlias = tuple[str, ...]

# Tokens as far as the lines of keys need them: a string is one token, so that a bracket, a hash or
# an equals sign inside of it means nothing.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[^\"'\#\[\]{}=\n]+"
    r"|.",
    re.DOTALL,
)
_ERROR_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")


def read_toml(path: Path, shown: str) -> Setting | Problem:
    """The file as one table of settings, else the one thing that keeps it from being read."""
    text = read_text(path, shown)
    if isinstance(text, Problem):
        return text
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as cause:
        return _syntax_problem(shown, text, str(cause))
    except RecursionError:
        return Problem(file=shown, line=0, key="", message="is nested too deeply")
    return _table(values, (), shown, _key_lines(text))


def _syntax_problem(shown: str, text: str, cause: str) -> Problem:
    place = _ERROR_PLACE.search(cause)
    line = int(place["line"]) if place and place["line"] else text.count("\n") + 1
    message = f"is not TOML: {_ERROR_PLACE.sub('', cause)}"
    return Problem(file=shown, line=line, key="", message=message, remedy='texts need quotes: key = "text"')


def _table(values: Mapping[str, object], at: KeyPath, shown: str, lines: Mapping[KeyPath, int]) -> Setting:
    table = {key: _setting(value, (*at, key), shown, lines) for key, value in values.items()}
    return Setting(file=shown, line=_line(at, lines), key=".".join(at), table=table)


def _setting(value: object, at: KeyPath, shown: str, lines: Mapping[KeyPath, int]) -> Setting:
    if isinstance(value, dict):
        return _table(cast("dict[str, object]", value), at, shown, lines)
    key, line = ".".join(at), _line(at, lines)
    if isinstance(value, list):
        items = tuple(_setting(item, at, shown, lines) for item in cast("list[object]", value))
        return Setting(file=shown, line=line, key=key, items=items)
    return Setting(file=shown, line=line, key=key, value=value)


def _line(at: KeyPath, lines: Mapping[KeyPath, int]) -> int:
    """The line of a key, else that of the nearest table around it (keys of inline tables)."""
    while at and at not in lines:
        at = at[:-1]
    return lines.get(at, 0)


def _key_lines(text: str) -> dict[KeyPath, int]:
    """Where each key and each table header of a valid document stands, first place first."""
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for line, head, is_header in _statements(text):
        path = _path(head)
        if is_header:
            table = path
        full = path if is_header else (*table, *path)
        for length in range(1, len(full) + 1):
            lines.setdefault(full[:length], line)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str, bool]]:
    """Line, dotted key and whether it is a header, of each statement."""
    line, depth, head, seen_equals, begins = 1, 0, "", False, 1
    for token in [*_TOKEN.findall(text), "\n"]:
        if token == "\n" and depth == 0:
            if head.strip():
                is_header = not seen_equals
                yield begins, head.strip().strip("[]") if is_header else head, is_header
            head, seen_equals, begins = "", False, line + 1
        elif token == "=" and depth == 0:
            seen_equals = True
        elif not seen_equals and not token.startswith("#"):
            head += token
        elif seen_equals:
            depth += (token in "[{") - (token in "]}")
        line += token.count("\n")


def _path(head: str) -> KeyPath:
    """A dotted key as its parts; `tomllib` itself knows the quoting."""
    path: list[str] = []
    value: object = tomllib.loads(f"{head} = 0")
    while isinstance(value, dict):
        [(key, value)] = cast("dict[str, object]", value).items()
        path.append(key)
    return tuple(path)
