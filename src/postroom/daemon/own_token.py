"""`daemon.token` in the store's folder: the secret for programs of the same person on this machine.

Each daemon makes its own when it starts and takes the file away when it ends. Who can read the file could
read the store beside it, so it gives nothing that was not there before.
"""

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import Final

from postroom.daemon.told_file import told_file
from postroom.domain.token import SECRET_CHARS_MAX
from postroom.ids import new_secret

TOKEN_NAME: Final = "daemon.token"


@contextlib.contextmanager
def own_token(folder: Path) -> Generator[str]:
    """A new secret, in the file for as long as the context lasts. The caller owns the store.

    Raises `StoreReadOnly` or `StoreFull`.
    """
    secret = new_secret()
    with told_file(folder / TOKEN_NAME, f"{secret}\n"):
        yield secret


def read_own_token(folder: Path) -> str | None:
    """The secret of the daemon that runs this store; nothing where the file cannot be read."""
    try:
        with (folder / TOKEN_NAME).open(encoding="utf-8") as file:
            return file.read(SECRET_CHARS_MAX).strip() or None
    except (OSError, UnicodeDecodeError):
        return None
