"""Handles on folders that cannot be led out of a session's directory.

A path that was taken apart as text (`paths`) is opened one name at a time, each relative to the handle
of the folder before it, and never through a symbolic link. Nothing is checked by its path and opened by it
afterwards, so a link that is swapped in between is met as a link and refused (docs/why/0018).
"""

import difflib
import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self, TypeAlias

from postroom.tools.files.paths import PathMissing, PathRefused, is_git, shown_path

_HINT_NAMES_MAX: Final = 5_000
_GIT: Final = "it belongs to git, which runs what lies there"
_FIXED: Final = "it belongs to the team's settings"
_CLOSED: Final = "it belongs to Postroom or to the system"

Identity: TypeAlias = tuple[int, int]
"""Device and inode: what a file is, whatever it is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Files and folders that are not the agent's, wherever its directory lies."""

    closed: tuple[Path, ...] = ()
    """Neither read nor changed, such as the folder of the store."""
    fixed: tuple[Path, ...] = ()
    """Read but never changed, such as the settings of the team."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marks:
    """Bounds as what the file system knows it by."""

    closed: frozenset[Identity]
    fixed: frozenset[Identity]
    processes: int | None = None
    """Device of `/proc`, whose files show the environment of processes, our own among them."""

    def is_closed(self, about: os.stat_result) -> bool:
        """Whether nothing of it may be seen."""
        return identity(about) in self.closed or about.st_dev == self.processes


def identity(about: os.stat_result) -> Identity:
    """What the file is, whatever it is called."""
    return about.st_dev, about.st_ino


@dataclass(slots=True)
class Folder:
    """An open folder inside the session's directory. Use it in a `with`: it holds a file handle."""

    fd: int
    parts: tuple[str, ...]
    marks: _Marks = field(repr=False)
    fixed_because: str = ""
    """Why nothing in it may be changed; empty if it may."""

    def __enter__(self) -> Self:
        """Keep it open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the handle go."""
        self.close()

    def close(self) -> None:
        """Let the handle go."""
        os.close(self.fd)

    def shown(self, name: str) -> str:
        """The path of an entry, from the session's directory on."""
        return shown_path((*self.parts, name))

    def about(self, name: str) -> os.stat_result:
        """What an entry is, a link as a link. Raises `PathRefused` when there is none."""
        try:
            return os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except OSError as error:
            raise self._refusal(name, error) from None

    def enter(self, name: str) -> "Folder":
        """The folder of that name, never through a link. Raises `PathRefused`."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            fd = os.open(name, flags, dir_fd=self.fd)
        except OSError as error:
            raise self._refusal(name, error, wanted="folder") from None
        about = os.fstat(fd)
        if self.marks.is_closed(about):
            os.close(fd)
            raise PathRefused(f"{self.shown(name)} is closed: {_CLOSED}")
        because = self.fixed_because or (_GIT if is_git(name) else "")
        if not because and identity(about) in self.marks.fixed:
            because = _FIXED
        return Folder(fd=fd, parts=(*self.parts, name), marks=self.marks, fixed_because=because)

    def open_file(self, name: str) -> BinaryIO:
        """The bytes of a plain file; whatever else there is, is not even opened. Raises `PathRefused`."""
        self.check_file(name, self.about(name))
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        try:
            stream = os.fdopen(os.open(name, flags, dir_fd=self.fd), "rb")
        except OSError as error:
            raise self._refusal(name, error) from None
        try:
            # It may have become something else since.
            self.check_file(name, os.fstat(stream.fileno()))
        except PathRefused:
            stream.close()
            raise
        return stream

    def check_file(self, name: str, about: os.stat_result) -> None:
        """Raises `PathRefused` with what it is, unless it is a plain file that may be read."""
        if self.marks.is_closed(about):
            raise PathRefused(f"{self.shown(name)} is closed: {_CLOSED}")
        if not stat.S_ISREG(about.st_mode):
            raise PathRefused(self._what(name, about.st_mode))

    def check_changeable(self, name: str, about: os.stat_result | None) -> None:
        """Raises `PathRefused` unless an entry of that name may be made, or replaced if it is there."""
        because = self.fixed_because or (_GIT if is_git(name) else "")
        if not because and about is not None and identity(about) in self.marks.fixed:
            because = _FIXED
        if because:
            raise PathRefused(f"{self.shown(name)} is not changed: {because}")
        if about is not None:
            self.check_file(name, about)

    def _refusal(self, name: str, error: OSError, *, wanted: str = "file") -> PathRefused:
        """The reason in words. A look at the entry serves the words only; nothing is opened after it."""
        if error.errno == errno.ENOENT:
            close = difflib.get_close_matches(name, self._some_names(), n=1)
            hint = f"; did you mean {self.shown(close[0])}?" if close else ""
            return PathMissing(f"there is no {self.shown(name)}{hint}")
        if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}:
            with suppress(OSError):
                mode = os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode
                if not stat.S_ISREG(mode) or wanted == "folder":
                    return PathRefused(self._what(name, mode))
        return PathRefused(f"{self.shown(name)}: {error.strerror}")

    def _some_names(self) -> list[str]:
        with suppress(OSError), os.scandir(self.fd) as entries:
            return [entry.name for entry, _ in zip(entries, range(_HINT_NAMES_MAX), strict=False)]
        return []

    def _what(self, name: str, mode: int) -> str:
        shown = self.shown(name)
        if stat.S_ISLNK(mode):
            return f"{shown} is a symbolic link, and links are not followed: name what it stands for"
        if stat.S_ISDIR(mode):
            return f"{shown} is a folder, not a file: list_files shows what is in it"
        if stat.S_ISREG(mode):
            return f"{shown} is a file, not a folder"
        return f"{shown} is neither a file nor a folder but a pipe, socket or device: it is not opened"


@contextmanager
def session_folder(cwd: str, bounds: Bounds) -> Generator[Folder, None, None]:
    """The session's directory, opened by the path that the person gave. Raises `PathRefused`."""
    if os.open not in os.supports_dir_fd:
        raise PathRefused("file tools need Linux or macOS: this system opens no file relative to a folder")
    try:
        fd = os.open(cwd, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise PathRefused(f"the session's directory {cwd} cannot be opened: {error.strerror}") from None
    marks = _Marks(closed=_identities(bounds.closed), fixed=_identities(bounds.fixed), processes=_processes())
    with Folder(fd=fd, parts=(), marks=marks) as root:
        if marks.is_closed(os.fstat(fd)):
            raise PathRefused(f"the session's directory is closed: {_CLOSED}")
        if identity(os.fstat(fd)) in marks.fixed:
            root.fixed_because = _FIXED
        yield root


@contextmanager
def inner_folder(root: Folder, parts: tuple[str, ...]) -> Generator[Folder, None, None]:
    """The folder at the end of these names. Raises `PathRefused`."""
    here = root
    try:
        for name in parts:
            above, here = here, here.enter(name)
            if above is not root:
                above.close()
        yield here
    finally:
        if here is not root:
            here.close()


def _identities(paths: tuple[Path, ...]) -> frozenset[Identity]:
    found: set[Identity] = set()
    for path in paths:
        with suppress(OSError):  # what is not there needs no bounds
            found.add(identity(path.stat()))
    return frozenset(found)


def _processes() -> int | None:
    with suppress(OSError):
        device = Path("/proc").stat().st_dev
        return device if device != Path("/").stat().st_dev else None
    return None
