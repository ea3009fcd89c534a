"""The other end of `match_process`: a matcher that ends in time, whatever the pattern."""

import json
import re
import struct
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from postroom.tools.files.paths import PathRefused

_PROGRAM: Final = Path(__file__).with_name("match_process.py")


class SearchEnded(PathRefused):
    """The process was ended by its alarm, or by its bound on memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to look for, line by line."""

    pattern: str
    plain: bool
    ignore_case: bool
    matches_max: int
    limit_s: float
    """For everything together; the process ends itself then."""


@dataclass(slots=True)
class Matcher:
    """A process that waits for text."""

    query: Query
    process: subprocess.Popen[bytes]

    def lines(self, data: bytes) -> list[tuple[int, str]]:
        """Number and excerpt of each line that fits. Raises `SearchEnded` when it takes too long."""
        return cast("list[tuple[int, str]]", self.ask(struct.pack(">I", len(data)) + data))

    def ask(self, data: bytes) -> object:
        """Send, and wait for the answer; the wait ends when the process does. Raises `SearchEnded`."""
        source, answers = cast("tuple[IO[bytes], IO[bytes]]", (self.process.stdin, self.process.stdout))
        with suppress(BrokenPipeError):
            source.write(data)
            source.flush()
        if not (answer := answers.readline()):
            raise SearchEnded(
                f"the search was ended: the pattern needs more than {self.query.limit_s:g} s or too much "
                "memory here; search fewer files, or a simpler pattern, or with plain=true"
            )
        return cast("object", json.loads(answer))


@contextmanager
def matcher(query: Query) -> Generator[Matcher, None, None]:
    """A process for one search, ended with it. Raises `PathRefused` when the pattern is none."""
    # Alone with the standard library and without our environment: the pattern is foreign.
    command = [sys.executable, "-I", "-S", str(_PROGRAM)]
    process = subprocess.Popen(  # noqa: S603 -- our own program
        command, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    one = Matcher(query, process)
    try:
        if wrong := one.ask(_opening(query)):
            raise PathRefused(f"the pattern is no regular expression: {wrong}; plain=true takes it as it is")
        yield one
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(BrokenPipeError):
                cast("IO[bytes]", pipe).close()


def _opening(query: Query) -> bytes:
    asked = {
        "pattern": re.escape(query.pattern) if query.plain else query.pattern,
        "ignore_case": query.ignore_case, "limit_s": query.limit_s, "matches_max": query.matches_max,
    }  # fmt: skip
    return json.dumps(asked).encode() + b"\n"
