"""Lines of files that fit a pattern."""

import os
import stat
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

from postroom.tools.base import May
from postroom.tools.files.confine import Folder, inner_folder
from postroom.tools.files.glob import Glob
from postroom.tools.files.matching import Matcher, Query, SearchEnded, matcher
from postroom.tools.files.paths import PathRefused, shown_path
from postroom.tools.files.reading import SNIFF_BYTES
from postroom.tools.files.walk import Budget, Kind, is_open, walk

SEARCH_S: Final = 10.0
MATCHES_MAX: Final = 200
FILE_BYTES_MAX: Final = 16 * 1024 * 1024
PATTERN_CHARS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One question to the files below a path."""

    pattern: str
    glob: str
    plain: bool
    ignore_case: bool
    limit_s: float = SEARCH_S


@dataclass(slots=True)
class _Tally:
    """What was found and what was not looked at. Belongs to the one thread that searches."""

    lines: list[str] = field(default_factory=list[str])
    searched: int = 0
    binary: int = 0
    too_large: int = 0

    def notes(self, budget: Budget) -> list[str]:
        """What the model should know of what it does not see."""
        said = budget.notes()
        left_out = {"binary": self.binary, "too large": self.too_large}
        said += [f"not searched: {count} {why}" for why, count in left_out.items() if count]
        if len(self.lines) >= MATCHES_MAX:
            said.append(f"stopped at {MATCHES_MAX} matches: narrow the search")
        return [f"[{note}]" for note in said]


def search(root: Folder, parts: tuple[str, ...], asked: Search, may: May) -> str:
    """A line for each match, `path:number: text`. Files that may not be read are left out.

    Raises `PathRefused`.
    """
    if not 0 < len(asked.pattern) <= PATTERN_CHARS_MAX:
        raise PathRefused(f"the pattern must have 1 to {PATTERN_CHARS_MAX} characters")
    budget = Budget(ends_at_s=time.monotonic() + asked.limit_s)
    query = Query(
        pattern=asked.pattern, plain=asked.plain, ignore_case=asked.ignore_case,
        matches_max=MATCHES_MAX, limit_s=asked.limit_s,
    )  # fmt: skip
    tally = _Tally()
    with matcher(query) as one, closing(_files(root, parts, asked.glob, budget)) as files:
        try:
            for folder, name in files:
                path = (*folder.parts, name)
                if path != parts and not is_open(path, may, budget):
                    continue
                _search_file(folder, name, one, tally)
                if len(tally.lines) >= MATCHES_MAX:
                    break
        except SearchEnded:
            if not tally.lines:
                raise
            budget.is_spent = True
    nothing = [] if tally.lines else [f"(no match in {tally.searched} files)"]
    return "\n".join([*tally.lines[:MATCHES_MAX], *nothing, *tally.notes(budget)])


def _files(
    root: Folder, parts: tuple[str, ...], glob: str, budget: Budget
) -> Generator[tuple[Folder, str], None, None]:
    """The one file that the path names, or all files below the folder that it names."""
    fits = Glob.of(glob) if glob else None
    if parts:
        with inner_folder(root, parts[:-1]) as above:
            if not stat.S_ISDIR(above.about(parts[-1]).st_mode):
                above.open_file(parts[-1]).close()  # a link or pipe is refused here with its reason
                yield above, parts[-1]
                return
    with inner_folder(root, parts) as folder, closing(walk(folder, budget, deep=True)) as found:
        for one in found:
            below = (*one.folder.parts[len(parts) :], one.name)
            if one.kind is Kind.FILE and (fits is None or fits.matches(below)):
                yield one.folder, one.name


def _search_file(folder: Folder, name: str, one: Matcher, tally: _Tally) -> None:
    try:
        with folder.open_file(name) as stream:
            size_bytes = os.fstat(stream.fileno()).st_size
            data = b"" if size_bytes > FILE_BYTES_MAX else stream.read(size_bytes)
    except (PathRefused, OSError):  # gone or closed since the walk saw it
        return
    if size_bytes > FILE_BYTES_MAX:
        tally.too_large += 1
    elif b"\x00" in data[:SNIFF_BYTES]:
        tally.binary += 1
    else:
        tally.searched += 1
        shown = shown_path((*folder.parts, name))
        tally.lines += [f"{shown}:{number}: {text}" for number, text in one.lines(data)]
