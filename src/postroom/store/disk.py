"""Files beside the database: written so that they last, and named so that none replaces another."""

import os
from datetime import UTC, datetime
from pathlib import Path


def sync(path: Path) -> None:
    """What was written to a file, or renamed in a folder, survives power loss from here on."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def free_name(folder: Path, name: str) -> Path:
    """`NAME-N.db` with the first number that nothing in the folder has."""
    number = 1
    while (target := folder / f"{name}-{number}.db").exists():
        number += 1
    return target


def stamp(now_us: int) -> str:
    """A time as a part of a name: `20261130T140359Z`."""
    return datetime.fromtimestamp(now_us / 1_000_000, UTC).strftime("%Y%m%dT%H%M%SZ")
