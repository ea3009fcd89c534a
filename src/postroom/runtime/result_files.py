"""The whole of a long answer in a file beside the agent's work, for a reader who is shown its ends only.

It is written before the answer is committed, so a reader who is told of it finds it. Nothing is lost where
it cannot be written: the store holds the text too.
"""

import asyncio
import contextlib
import os
from collections.abc import Generator
from pathlib import Path
from typing import Final

from postroom.domain.turn import Turn
from postroom.rules.markers import neutralise
from postroom.rules.text import scrub
from postroom.service.office import Office

FOLDER: Final = ".postroom"
RESULTS: Final = "results"
IGNORE_FILE: Final = ".gitignore"
ALWAYS_SHOWN_CHARS: Final = 128
"""No setting cuts a text of 256 characters, and a sign may be shown as two."""
_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
"""Only who runs the agents may read what they found."""
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


async def keep_last_text(office: Office, turn: Turn, text: str) -> str:
    """The path of the file that now holds a turn's last text, if its reader will be shown the ends only."""
    if len(text) <= ALWAYS_SHOWN_CHARS:
        return ""
    place = await office.place_of_whole(turn)
    whole = scrub(text)
    if place is None or len(neutralise(whole)) <= place.limit_chars:
        return ""
    return await asyncio.to_thread(keep_whole, Path(place.cwd), place.reference, whole)


def keep_whole(cwd: Path, reference: str, text: str) -> str:
    """Write `CWD/.postroom/results/REFERENCE.txt` and give its path; empty where that cannot be done.

    The file appears whole or not at all, and replaces an earlier one. No link leads out of the directory.
    """
    try:
        with _folder(cwd) as results:
            _replace(results, f"{reference}.txt", text.encode())
    except OSError:
        return ""
    return str(cwd / FOLDER / RESULTS / f"{reference}.txt")


@contextlib.contextmanager
def _folder(cwd: Path) -> Generator[int]:
    """The open folder of results, made where it is missing; the one above it is ignored by git."""
    with _opened(os.open(cwd, _DIRECTORY)) as base, _opened(_inner(base, FOLDER)) as own:
        _ignore(own)
        with _opened(_inner(own, RESULTS)) as results:
            yield results


@contextlib.contextmanager
def _opened(descriptor: int) -> Generator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _inner(parent: int, name: str) -> int:
    """A real folder inside another: a link in its place is refused by the system."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, _FOLDER_MODE, dir_fd=parent)
    return os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)


def _ignore(folder: int) -> None:
    """What lies here is nobody's source."""
    with contextlib.suppress(FileExistsError):
        _write(folder, IGNORE_FILE, b"*\n")


def _replace(folder: int, name: str, content: bytes) -> None:
    """Beside it first, then in its place in one step."""
    draft = f".{name}.part"
    with contextlib.suppress(FileNotFoundError):  # a process that died has left one
        os.unlink(draft, dir_fd=folder)
    try:
        _write(folder, draft, content)
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(draft, dir_fd=folder)
        raise
    os.fsync(folder)


def _write(folder: int, name: str, content: bytes) -> None:
    descriptor = os.open(name, _NEW, _FILE_MODE, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
