"""Whether a process runs a store, without a look into it: a file of its own, which loads almost nothing."""

from pathlib import Path

from postroom.store.lock import holder_of, is_held


def is_run(folder: Path) -> bool:
    """Whether a process runs the store now."""
    return is_held(folder)


def runner_of(folder: Path) -> int | None:
    """The pid of the process that runs the store, as that process said; nothing when none does."""
    return holder_of(folder)
