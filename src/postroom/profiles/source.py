"""Reads a settings file as text: what can be wrong with it before anybody looks at its keys."""

from pathlib import Path

from postroom.profiles.located import Problem

# A profile or settings file larger than this is a mistake, and no model's window holds it.
FILE_BYTES_MAX = 1_000_000
_NOT_THERE = "create it, name a team that is there with `--team DIR`, or make one: `postroom init DIR`"


def read_text(path: Path, shown: str) -> str | Problem:
    """The file's text, without a byte order mark and with plain line ends; else what is wrong."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return _problem(shown, "there is no such file", _NOT_THERE)
    except OSError as cause:
        return _problem(shown, f"cannot be read: {cause.strerror or cause}", "check its rights")
    if len(raw) > FILE_BYTES_MAX:
        return _problem(shown, f"is larger than {FILE_BYTES_MAX} bytes", "shorten it")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        line = raw.count(b"\n", 0, cause.start) + 1
        return _problem(shown, "is not valid UTF-8", "save it as UTF-8", line)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return _problem(shown, "holds the character U+0000", "remove it", line)
    return text.replace("\r\n", "\n")


def _problem(shown: str, message: str, remedy: str, line: int = 0) -> Problem:
    return Problem(file=shown, line=line, key="", message=message, remedy=remedy)
