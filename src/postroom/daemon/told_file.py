"""A file in the store's folder that is there while the daemon is: how it tells others of itself."""

import contextlib
import os
from collections.abc import Generator
from pathlib import Path

from postroom.errors import unwritable


@contextlib.contextmanager
def told_file(path: Path, text: str) -> Generator[None]:
    """The file, for as long as the context lasts, in place of one that a killed daemon has left.

    It appears whole, and only its owner can read it, from the first byte on. The caller owns the store.
    Raises `StoreReadOnly` or `StoreFull`.
    """
    try:
        _write(path, text)
    except OSError as error:
        raise unwritable(
            error, f"{path} cannot be written", remedy="check the rights of the store's folder"
        ) from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.new")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    partial.replace(path)
