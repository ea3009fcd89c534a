"""Changing files whole or not at all: the new content is complete on disk before it takes the name."""

import difflib
import os
import re
import secrets
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

from postroom.rules.text import is_encodable
from postroom.tools.files.confine import Folder, identity, inner_folder
from postroom.tools.files.paths import PathMissing, PathRefused
from postroom.tools.files.reading import SNIFF_BYTES, check_text, decoded

EDIT_BYTES_MAX: Final = 8 * 1024 * 1024
_STRIPES: Final = 64
_HINT_LINES_MAX: Final = 5_000
_HINT_CHARS_MAX: Final = 200
_PLACES_SHOWN: Final = 10
_NUMBERED: Final = re.compile(r"\s*\d+\t")
_BOM: Final = "\ufeff"


class Writer:
    """Writes and edits. One for all agents, so that two who change one file come after each other."""

    def __init__(self) -> None:
        # Whoever reads a file to replace it holds the stripe of its name until the new one is there.
        # Waiting has no deadline: the holder only reads and writes one file.
        self._stripes = tuple(threading.Lock() for _ in range(_STRIPES))

    def write(self, root: Folder, parts: tuple[str, ...], content: str, *, make_folders: bool) -> str:
        """Give a file this content; says what was done. Durable on return. Raises `PathRefused`."""
        _check_content(content)
        try:
            with _folder_of(root, parts, make_folders=make_folders) as folder:
                return self._write(folder, parts[-1], content.encode())
        except PathMissing as missing:
            raise PathRefused(f"{missing}; make_folders=true makes the folders") from None

    def _write(self, folder: Folder, name: str, data: bytes) -> str:
        with self._alone(folder, name):
            before = _present(folder, name)
            folder.check_changeable(name, before)
            _replace(folder, name, data, before)
            was = "a new file" if before is None else f"it had {before.st_size}"
            return f"wrote {len(data)} bytes to {folder.shown(name)} ({was})"

    def edit(self, root: Folder, parts: tuple[str, ...], old: str, new: str, *, replace_all: bool) -> str:
        """Replace a text in a file; says where. Durable on return. Raises `PathRefused`."""
        _check_content(new)
        if old in {"", new}:
            raise PathRefused("old_text is empty or the same as new_text; write_file writes a whole file")
        with _folder_of(root, parts, make_folders=False) as folder, self._alone(folder, parts[-1]):
            before, text = _read(folder, parts[-1])
            changed, said = _edited(text, old, new, folder.shown(parts[-1]), replace_all=replace_all)
            now = _present(folder, parts[-1])
            if now is None or _version(now) != _version(before):
                raise PathRefused(f"{folder.shown(parts[-1])} was changed meanwhile; read it again")
            _replace(folder, parts[-1], changed.encode(), before)
            return said

    @contextmanager
    def _alone(self, folder: Folder, name: str) -> Generator[None, None, None]:
        place = hash((identity(os.fstat(folder.fd)), name.casefold()))
        with self._stripes[place % _STRIPES]:
            yield


def _check_content(text: str) -> None:
    if not is_encodable(text):
        raise PathRefused("the text holds NUL or half a surrogate pair, which no text file can hold")


@contextmanager
def _folder_of(root: Folder, parts: tuple[str, ...], *, make_folders: bool) -> Generator[Folder, None, None]:
    if not parts:
        raise PathRefused("that is the session's directory, not a file")
    if make_folders:
        _make_folders(root, parts[:-1])
    with inner_folder(root, parts[:-1]) as folder:
        yield folder


def _make_folders(root: Folder, parts: tuple[str, ...]) -> None:
    for depth, name in enumerate(parts):
        with inner_folder(root, parts[:depth]) as above:
            if _present(above, name) is None:
                above.check_changeable(name, None)
                with suppress(FileExistsError):  # made meanwhile; what it is shows when it is entered
                    os.mkdir(name, dir_fd=above.fd)


def _present(folder: Folder, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder.fd, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _version(about: os.stat_result) -> tuple[tuple[int, int], int, int]:
    return identity(about), about.st_mtime_ns, about.st_size


def _read(folder: Folder, name: str) -> tuple[os.stat_result, str]:
    shown = folder.shown(name)
    with folder.open_file(name) as stream:
        about = os.fstat(stream.fileno())
        folder.check_changeable(name, about)
        data = stream.read(EDIT_BYTES_MAX + 1)
    if len(data) > EDIT_BYTES_MAX:
        raise PathRefused(f"{shown} is too large to be edited: more than {EDIT_BYTES_MAX} bytes")
    check_text(data[:SNIFF_BYTES], shown, len(data))
    return about, decoded(data, shown)


def _edited(text: str, old: str, new: str, shown: str, *, replace_all: bool) -> tuple[str, str]:
    """The new text and what was done. Where every line ends in CRLF, the model need not write it."""
    body = text.removeprefix(_BOM)
    crlf = "\r\n" in body and body.count("\n") == body.count("\r\n")
    if crlf:
        body, old, new = (one.replace("\r\n", "\n") for one in (body, old, new))
    count = body.count(old)
    if count == 0:
        raise PathRefused(f"old_text is not in {shown}{_hint(body, old)}")
    places = _places(body, old)
    if count > 1 and not replace_all:
        raise PathRefused(
            f"old_text is {count} times in {shown} (lines {places}); give more of what is around it, "
            "or set replace_all"
        )
    if len(body) + count * (len(new) - len(old)) > EDIT_BYTES_MAX:
        raise PathRefused(f"{shown} would become too large: more than {EDIT_BYTES_MAX} characters")
    body = body.replace(old, new)
    if crlf:
        body = body.replace("\n", "\r\n")
    times = "once" if count == 1 else f"{count} times"
    mark = _BOM if text.startswith(_BOM) else ""
    return mark + body, f"replaced {times} in {shown} (line{'s' if count > 1 else ''} {places})"


def _places(body: str, old: str) -> str:
    """The lines where the text begins, the first few of them."""
    lines: list[str] = []
    at, line = body.find(old), 1
    start = 0
    while at >= 0 and len(lines) < _PLACES_SHOWN:
        line += body.count("\n", start, at)
        lines.append(str(line))
        start, at = at, body.find(old, at + len(old))
    return ", ".join(lines) + (", ..." if at >= 0 else "")


def _hint(body: str, old: str) -> str:
    """What the model probably meant, found by the first line that says something."""
    if all(_NUMBERED.match(line) for line in old.splitlines()):
        return ": leave out the line numbers that read_file shows in front"
    wanted = next((line.strip() for line in old.splitlines() if line.strip()), "")[:_HINT_CHARS_MAX]
    lines = [line.strip()[:_HINT_CHARS_MAX] for line in body.split("\n")[:_HINT_LINES_MAX]]
    if not wanted:
        return ""
    if wanted in lines:
        number = lines.index(wanted) + 1
        return (
            f"; its first line is line {number}, but the white space or what follows differs: read it again"
        )
    close = difflib.get_close_matches(wanted, lines, n=1)
    return f"; the nearest is line {lines.index(close[0]) + 1}: {close[0]}" if close else ""


def _replace(folder: Folder, name: str, data: bytes, before: os.stat_result | None) -> None:
    """Write beside, flush to the disk, take the name. What had the name is whole until then."""
    if before is not None:
        # Taking a name asks only the folder; whether this file may be written must be asked too.
        os.close(os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder.fd))
    beside = f".postroom-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(beside, flags, 0o666 if before is None else 0o600, dir_fd=folder.fd)
    try:
        with os.fdopen(fd, "wb") as stream:
            if before is not None:
                with suppress(PermissionError):  # only root may give a file away
                    os.fchown(fd, before.st_uid, before.st_gid)
                os.fchmod(fd, before.st_mode & 0o777)
            stream.write(data)
            stream.flush()
            os.fsync(fd)
        os.rename(beside, name, src_dir_fd=folder.fd, dst_dir_fd=folder.fd)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside, dir_fd=folder.fd)
        raise
    os.fsync(folder.fd)
