"""Everything in a folder, in order, through handles only and within bounds."""

import os
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from postroom.rules.text import scrub
from postroom.tools.base import May
from postroom.tools.files.confine import Folder
from postroom.tools.files.paths import PathRefused

ENTRIES_MAX: Final = 50_000
DEPTH_MAX: Final = 64
"""Folders inside each other that a walk enters: it holds a handle on each of them."""
SKIPPED: Final = frozenset((
    ".git", ".hg", ".svn", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".venv",
    "__pycache__", "node_modules",
))  # fmt: skip
"""Folders of machines, not of people: entered only when the path names them."""


class Kind(Enum):
    """What an entry is, as the folder says it; a link is a link, wherever it leads."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"  # pipe, socket or device


@dataclass(frozen=True, slots=True)
class Found:
    """One entry. Its folder is open until the walk goes on."""

    folder: Folder
    name: str
    kind: Kind


@dataclass(slots=True, kw_only=True)
class Budget:
    """What a walk may still cost, and what it left out. Belongs to the one thread that walks."""

    ends_at_s: float
    """By the monotonic clock."""
    entries_left: int = ENTRIES_MAX
    is_spent: bool = False
    """The walk was ended before it was through."""
    skipped: set[str] = field(default_factory=set[str])
    """Names of folders that were not entered because of their name."""
    unread: int = 0
    """Folders that could not be entered."""
    kept_back: int = 0
    """Entries that the agent's rules do not let it read."""

    def take(self) -> bool:
        """Whether one more entry may be looked at."""
        self.entries_left -= 1
        if self.entries_left < 0 or time.monotonic() > self.ends_at_s:
            self.is_spent = True
        return not self.is_spent

    def notes(self) -> list[str]:
        """What the model should know of what it does not see."""
        said: list[str] = []
        if self.is_spent:
            said.append("stopped before everything was seen: name a folder or a narrower file pattern")
        if self.skipped:
            said.append(f"not entered: {', '.join(sorted(self.skipped))}")
        if self.unread:
            said.append(f"{self.unread} folders could not be entered")
        if self.kept_back:
            said.append(f"left out by your rules: {self.kept_back}")
        return said


def is_open(path: tuple[str, ...], may: May, budget: Budget) -> bool:
    """Whether the agent may come upon this entry of its directory; counts what it may not."""
    if may(scrub("/".join(path))):
        return True
    budget.kept_back += 1
    return False


def walk(folder: Folder, budget: Budget, *, deep: bool) -> Generator[Found, None, None]:
    """Each entry by name, a folder before what is in it. Close the generator to let its handles go."""
    for name, kind in _entries(folder, budget):
        yield Found(folder, name, kind)
        if not deep or kind is not Kind.FOLDER or budget.is_spent:
            continue
        if name in SKIPPED:
            budget.skipped.add(name)
            continue
        try:
            inner = _enter(folder, name)
        except PathRefused:
            budget.unread += 1
            continue
        with inner:
            yield from walk(inner, budget, deep=True)


def _enter(folder: Folder, name: str) -> Folder:
    if len(folder.parts) >= DEPTH_MAX:
        raise PathRefused(f"{folder.shown(name)} lies deeper than {DEPTH_MAX} folders")
    return folder.enter(name)


def _entries(folder: Folder, budget: Budget) -> list[tuple[str, Kind]]:
    found: list[tuple[str, Kind]] = []
    try:
        with os.scandir(folder.fd) as entries:
            for entry in entries:
                if not budget.take():
                    break
                found.append((entry.name, _kind(entry)))
    except OSError:
        budget.unread += 1
    return sorted(found, key=lambda one: one[0])


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return Kind.LINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.FOLDER
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.OTHER
