"""Tells by the looks of its files whether a folder says what it said when it was read; none is opened."""

from pathlib import Path
from typing import Final, TypeAlias

Stamp: TypeAlias = tuple[int, int, int]
"""When a file was changed, how long it is, and which file it is."""
NO_FILE: Final[Stamp] = (0, 0, 0)
FolderStamp: TypeAlias = tuple[tuple[str, Stamp], ...]
"""The files of a folder by name, each with its stamp."""


def stamp_of(file: Path) -> Stamp:
    """How a file looks now; `NO_FILE` where there is none."""
    try:
        found = file.stat()
    except OSError:
        return NO_FILE
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def folder_stamp(folder: Path, *patterns: str) -> FolderStamp:
    """How the files that match one of the patterns look now."""
    files = (file for pattern in patterns for file in sorted(folder.glob(pattern)))
    return tuple((str(file), stamp_of(file)) for file in files)
