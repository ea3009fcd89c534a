"""Paths as text: what a model writes, taken apart, and what it reads, kept on one line."""

import json
import os
import posixpath
import unicodedata
from typing import Final

from postroom.llm.port import Json
from postroom.rules.text import scrub

PATH_CHARS_MAX: Final = 4096


class PathRefused(Exception):
    """A path that leads nowhere, or where it must not. The text is meant for the model."""


class PathMissing(PathRefused):
    """Something on the path is not there."""


def split(path: str, cwd: str) -> tuple[str, ...]:
    """The names that lead from the session's directory to `path`; none for the directory itself.

    `..` is resolved in the text, which is right because no link is ever followed. A path from the root
    may be given when it begins with the directory. Raises `PathRefused` for one that leads out.
    """
    if "\x00" in path or len(path) > PATH_CHARS_MAX:
        raise PathRefused("the path holds a NUL or is too long")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise PathRefused("the path holds characters that no file name can hold") from None
    parts: list[str] = []
    for part in _below(path, cwd).split("/"):
        if part == ".." and not parts:
            raise PathRefused(_outside(path, cwd))
        if part == "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return tuple(parts)


def _below(path: str, cwd: str) -> str:
    """The path from the session's directory on; text only, for what it means is seen when it is opened."""
    if not path.startswith("/"):
        return path
    whole = os.path.normpath(path)
    # A shell may call the directory by the name that is left when its links are resolved.
    for base in (os.path.normpath(cwd), os.path.realpath(cwd)):
        if whole == base or whole.startswith(base.rstrip("/") + "/"):
            return whole[len(base) :]
    raise PathRefused(_outside(path, cwd))


def path_resource(path: Json, cwd: str) -> str:
    """How rules and the person call a path: from the session's directory on, `.` for itself; in full where it
    leads out of it. Anything that is no path is no resource: the tool will refuse it.
    """
    if not isinstance(path, str) or "\x00" in path:
        return ""
    try:
        return scrub("/".join(split(path, cwd)) or ".")
    except PathRefused:
        return scrub(posixpath.normpath(posixpath.join(cwd, path)))


def shown_path(parts: tuple[str, ...]) -> str:
    """A path as the model reads it: quoted when a name in it could be taken for something else."""
    return shown_name("/".join(parts)) if parts else "."


def shown_name(name: str) -> str:
    """A name that cannot break its line: quoted with escapes if it holds controls or is no UTF-8."""
    plain = name.isprintable() and name == name.strip() and not name.startswith('"')
    return name if plain else json.dumps(name)


def is_git(name: str) -> bool:
    """Whether some file system takes the name for `.git`: case and invisible marks may not count."""
    seen = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", seen).casefold().rstrip(". ") == ".git"


def _outside(path: str, cwd: str) -> str:
    return f"{shown_name(path)} leads out of the session's directory {cwd}; give a path from there"
