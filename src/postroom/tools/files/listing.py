"""What is in a folder, a line for each entry."""

import os
import time
from contextlib import closing, suppress
from typing import Final

from postroom.tools.base import May
from postroom.tools.files.confine import Folder, inner_folder
from postroom.tools.files.glob import Glob
from postroom.tools.files.paths import PathRefused, shown_name
from postroom.tools.files.walk import Budget, Found, Kind, is_open, walk

LINES_MAX: Final = 1_000
LIST_S: Final = 10.0


def list_folder(root: Folder, parts: tuple[str, ...], pattern: str, may: May, *, deep: bool) -> str:
    """The entries of a folder by name; with a pattern only those that fit it, at any depth.

    Files that may not be read are left out. Raises `PathRefused`.
    """
    glob = Glob.of(pattern) if pattern else None
    budget = Budget(ends_at_s=time.monotonic() + LIST_S)
    lines: list[str] = []
    with inner_folder(root, parts) as folder, closing(walk(folder, budget, deep=deep or bool(glob))) as found:
        for one in found:
            if glob is not None and not glob.matches((*one.folder.parts[len(parts) :], one.name)):
                continue
            if one.kind is not Kind.FOLDER and not is_open((*one.folder.parts, one.name), may, budget):
                continue
            if len(lines) == LINES_MAX:
                budget.is_spent = True
                break
            lines.append(_line(one))
    notes = [f"[{note}]" for note in budget.notes()]
    nothing = [] if lines else ["(nothing fits the pattern)" if glob else "(the folder is empty)"]
    return "\n".join(lines + nothing + notes)


def _line(found: Found) -> str:
    shown = found.folder.shown(found.name)
    match found.kind:
        case Kind.FOLDER:
            return f"{shown}/"
        case Kind.LINK:
            return f"{shown} -> {_target(found)} (symbolic link, not followed)"
        case Kind.OTHER:
            return f"{shown} (pipe, socket or device)"
        case Kind.FILE:
            return f"{shown}{_file_size(found)}"


def _target(found: Found) -> str:
    with suppress(OSError):
        return shown_name(os.readlink(found.name, dir_fd=found.folder.fd))
    return "?"


def _file_size(found: Found) -> str:
    try:
        return f" ({found.folder.about(found.name).st_size} bytes)"
    except PathRefused:  # gone since
        return ""
