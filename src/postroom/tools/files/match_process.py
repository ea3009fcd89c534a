"""Runs a regular expression in a process of its own: it alone can be ended while it is at work.

`re` may need more time than there is for a short pattern and a short line, and it lets nobody else
run meanwhile. This file is started by its path and imports nothing of Postroom. It reads a line of
JSON, then pieces of text, each behind its length; it answers each with a line of JSON.
"""

import json
import re
import signal
import struct
import sys
from contextlib import suppress
from typing import BinaryIO

MEMORY_BYTES_MAX = 1024 * 1024 * 1024
EXCERPT_CHARS = 300


def main(source: BinaryIO, answers: BinaryIO) -> None:
    """Answer until there is nothing more to search."""
    asked = json.loads(source.readline())
    _limit(asked["limit_s"])
    try:
        pattern = re.compile(asked["pattern"], re.IGNORECASE if asked["ignore_case"] else 0)
    except (re.error, OverflowError, RecursionError) as error:
        _answer(answers, str(error))
        return
    _answer(answers, "")
    while length := source.read(4):
        text = source.read(struct.unpack(">I", length)[0]).decode(errors="replace").removeprefix("\ufeff")
        _answer(answers, _matches(pattern, text, asked["matches_max"]))


def _limit(limit_s: float) -> None:
    """The alarm has no handler: the system ends the process, however deep in `re` it is."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    with suppress(ImportError, ValueError, OSError):  # not every system limits memory
        import resource  # noqa: PLC0415 -- see above

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))


def _matches(pattern: re.Pattern[str], text: str, matches_max: int) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for number, ended in enumerate(text.split("\n"), 1):
        line = ended.removesuffix("\r")
        match = pattern.search(line)
        if match is not None:
            found.append((number, _excerpt(line, match.start())))
        if len(found) == matches_max:
            break
    return found


def _excerpt(line: str, at: int) -> str:
    if len(line) <= EXCERPT_CHARS:
        return line
    start = max(0, min(at - EXCERPT_CHARS // 3, len(line) - EXCERPT_CHARS))
    cut = line[start : start + EXCERPT_CHARS]
    return f"{'... ' if start else ''}{cut}{' ...' if start + EXCERPT_CHARS < len(line) else ''}"


def _answer(answers: BinaryIO, value: object) -> None:
    answers.write(json.dumps(value).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
