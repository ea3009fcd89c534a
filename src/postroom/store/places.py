"""Directories as they are compared: one spelling for one directory, and none for what is not there."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Places: TypeAlias = Callable[[str], str]
"""Gives a path's canonical directory, or '' where it leads to none now."""


def spelling_of(path: Path) -> str:
    """An absolute path as places are written, whether anything is there or not."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links; a NUL in the path
        real = path
    return _written(real)


def _written(real: Path) -> str:
    return os.path.normcase(real).replace(os.sep, "/")


def place_on_disk(path: str) -> str:
    """The real path with `/` between its segments, in lower case where the system knows no other; '' when
    nothing is there, or no directory.

    A relative path is no directory: it would be another one in another process.
    """
    if not Path(path).is_absolute():
        return ""
    try:
        real = Path(path).resolve(strict=True)
        is_directory = real.is_dir()
    except (OSError, RuntimeError, ValueError):  # a loop of links; a NUL in the path
        return ""
    return _written(real) if is_directory else ""
