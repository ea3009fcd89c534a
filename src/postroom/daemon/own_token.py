"""`daemon.token` in the store's folder: the secret for programs of the same person on this machine.

Each daemon makes its own when it starts and takes the file away when it ends. Who can read the file could
read the store beside it, so it gives nothing that was not there before.
"""

import contextlib
import os
from collections.abc import Generator
from pathlib import Path
from typing import Final

from postroom.errors import unwritable
from postroom.ids import new_secret

TOKEN_NAME: Final = "daemon.token"
_SECRET_CHARS_MAX: Final = 256


@contextlib.contextmanager
def own_token(folder: Path) -> Generator[str]:
    """A new secret, in the file for as long as the context lasts. The caller owns the store.

    Raises `StoreReadOnly` or `StoreFull`.
    """
    path, secret = folder / TOKEN_NAME, new_secret()
    try:
        _write(path, secret)
    except OSError as error:
        raise unwritable(
            error, f"{path} cannot be written", remedy="check the rights of the store's folder"
        ) from error
    try:
        yield secret
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def read_own_token(folder: Path) -> str | None:
    """The secret of the daemon that runs this store; nothing where the file cannot be read."""
    try:
        with (folder / TOKEN_NAME).open(encoding="utf-8") as file:
            return file.read(_SECRET_CHARS_MAX).strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def _write(path: Path, secret: str) -> None:
    """In one step, and for its owner alone from the first byte on."""
    partial = path.with_name(f".{path.name}.new")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{secret}\n")
    partial.replace(path)
