"""Files that a person asks for: durable and whole, or not there."""

import errno
import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from postroom.errors import Fault, FileExists, FileFailed
from postroom.store.connect import DATABASE_NAME
from postroom.store.disk import sync

PARTIAL = ".{name}.partial"
NO_LINKS = frozenset((errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK))
"""What a file system answers that has no second names for a file."""


@contextmanager
def made_beside(target: Path, what: str, *, force: bool) -> Generator[Path]:
    """A file to fill, which becomes `target` when the context ends well; only its owner may read it.

    `what` names it in a complaint. A kill leaves `target` as it was, and beside it a hidden file that the
    next one to the same target goes on with. Raises `FileExists`, unless `force`, and `FileFailed`.
    """
    target = Path(os.path.realpath(target))
    if not force and os.path.lexists(target):
        raise _taken(target)
    partial = target.with_name(PARTIAL.format(name=target.name))
    try:
        owned = _owned(partial, target)
        try:
            yield partial
            os.fsync(owned)
            _put(partial, target, force=force)
            sync(target.parent)
        except BaseException:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            raise
        finally:
            os.close(owned)
    except OSError as error:
        raise failed(error, f"{what} cannot be written to {target}") from error


def failed(cause: OSError, what: str) -> FileFailed:
    """The fault of a file that could not be read or written."""
    return FileFailed(
        f"{what}: {cause.strerror or cause}",
        remedy="name another file, or mend its folder; nothing was changed",
    )


def refuse_the_store(folder: Path, target: Path) -> None:
    """Also with `force`: nobody means to replace a store by something that was made of it."""
    for name in (DATABASE_NAME, f"{DATABASE_NAME}-wal", f"{DATABASE_NAME}-shm"):
        if os.path.realpath(target) == os.path.realpath(folder / name):
            raise FileExists(f"{target} is the store itself", remedy="name another file")


def _owned(partial: Path, target: Path) -> int:
    """The file to fill, empty and ours alone: two at once would make one file of two halves."""
    while True:
        fd = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_named(fd, partial):
                os.ftruncate(fd, 0)
                return fd
        except BlockingIOError as error:
            os.close(fd)
            raise _busy(target) from error
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)  # its owner has finished it meanwhile and given it its name


def _is_named(fd: int, path: Path) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(fd))


def _put(partial: Path, target: Path, *, force: bool) -> None:
    """Give the file its name; a file that has come to be there meanwhile is kept, unless `force`."""
    if not force:
        try:
            os.link(partial, target)
        except FileExistsError as error:
            raise _taken(target) from error
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
        else:
            partial.unlink()
            return
    partial.replace(target)


def _taken(target: Path) -> FileExists:
    return FileExists(
        f"{target} exists already; nothing was written", remedy="name another file, or say --force"
    )


def _busy(target: Path) -> Fault:
    return FileExists(f"another process writes {target} just now", remedy="wait until it has ended")
