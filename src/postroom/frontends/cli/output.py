"""What a command prints: text for people, or JSON for programs, and one line for what went wrong."""

import errno
import io
import json
import os
import re
import stat
import sys
from collections.abc import Sequence
from typing import Final, TextIO

from postroom.daemon.wire import Failure
from postroom.domain.plain import Json
from postroom.errors import Fault
from postroom.rules.text import scrub

_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
"""Embeddings, overrides and isolates, which reorder a line for the eye, and the separators of lines."""
_OBEYED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_GONE: Final = frozenset((errno.EPIPE, errno.EIO))
"""A reader that has seen enough, and a terminal that is gone."""


class OutputFailed(Fault):
    """What a command printed could not be written, such as to a full disk. What it did is done."""

    code = "output_failed"


class Output:
    """Results go to standard output, everything else to standard error."""

    def __init__(self, *, as_json: bool, verbose: bool) -> None:
        self.as_json = as_json
        self.verbose = verbose

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at standard output."""
        return sys.stdout.isatty()

    @property
    def is_drawn(self) -> bool:
        """Whether that is a screen on which a line can be written anew."""
        return self.is_terminal and not self.as_json and os.environ.get("TERM") != "dumb"

    def document(self, value: Json) -> None:
        """One JSON document."""
        _write(sys.stdout, _json(sys.stdout, value, indent=2 if self.is_terminal else None))

    def json_line(self, value: Json) -> None:
        """One of many JSON documents."""
        _write(sys.stdout, _json(sys.stdout, value))

    def line(self, text: str = "") -> None:
        """A line of the result."""
        _write(sys.stdout, shown(text))

    def piece(self, text: str) -> None:
        """A piece of the result that ends no line of its own."""
        _write(sys.stdout, text, end="")

    def note(self, text: str) -> None:
        """A line beside the result; programs that asked for JSON do not get it."""
        if not self.as_json:
            _write(sys.stderr, shown(text))

    def fail(self, failure: Failure) -> None:
        """What went wrong, on one line."""
        error: Json = {"error": failure.as_json()}
        _write(sys.stderr, _json(sys.stderr, error) if self.as_json else shown(failure.describe()))

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns as wide as their widest cell; the last one as it is."""
        widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header) - 1)]
        for row in (header, *rows):
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            self.line("  ".join([*cells, row[-1]]).rstrip())


def prepare() -> None:
    """Let the standard streams take every text: what the terminal's alphabet lacks is shown as an escape.

    One that was closed before the start leads nowhere, so that no other file gets its number.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        stream = getattr(sys, name)
        if stream is None:
            _lead_nowhere(number)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_gone(error: BaseException) -> bool:
    """Whether it says no more than that nobody reads our output any longer."""
    return isinstance(error, OSError) and error.errno in _GONE


def let_go() -> None:
    """What could not be written is dropped, or the interpreter would complain of it at its end."""
    for number, stream in enumerate((sys.stdout, sys.stderr), start=1):
        try:
            stream.flush()
        except OSError:
            _lead_nowhere(number)


def _lead_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, number)
    if nowhere != number:
        os.close(nowhere)


def _write(stream: TextIO, text: str, *, end: str = "\n") -> None:
    """A line, out at once. Raises `OutputFailed`, and `OSError` where nobody reads it any longer."""
    try:
        stream.write(text + end)
        stream.flush()
    except OSError as error:
        if is_gone(error) and not _is_file(stream):
            raise
        raise OutputFailed(
            f"the output cannot be written: {error.strerror}", remedy="print it elsewhere"
        ) from error


def _is_file(stream: TextIO) -> bool:
    """Whether it leads into a file. There the error of a terminal that is gone says that a disk fails."""
    return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)


def _json(stream: TextIO, value: Json, indent: int | None = None) -> str:
    """JSON on one line; the escapes of a terminal that lacks a letter would be none."""
    is_ascii = not (stream.encoding or "utf-8").lower().startswith("utf")
    return one_line(json.dumps(value, ensure_ascii=is_ascii, indent=indent))


def one_line(text: str) -> str:
    """JSON whose texts end no line and steer no terminal: what some reader might obey is an escape."""
    return text if text.isascii() and "\x7f" not in text else _OBEYED.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def shown(text: str) -> str:
    """Text of agents on a terminal: what steers it is shown and not obeyed, halves of pairs too.

    That is every control character, and what turns the direction of the text beside it or ends its line.
    """
    return text if text.isascii() and text.isprintable() else "".join(_visible(c) for c in text)


class Pieces:
    """Text that comes in pieces: half a character waits for its other half (O-27)."""

    def __init__(self) -> None:
        self._held = ""

    def add(self, piece: str) -> str:
        """What can be shown now."""
        text = self._held + piece
        self._held = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        return shown(scrub(text.removesuffix(self._held)))


def _visible(char: str) -> str:
    code = ord(char)
    is_control = code < ord(" ") or 0x7F <= code <= 0x9F  # noqa: PLR2004 -- C0, DEL and C1
    if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 -- the surrogates, which no encoder takes
        return "\N{REPLACEMENT CHARACTER}"
    if char in _TURNING:
        return f"\\u{{{code:x}}}"
    return f"\\x{code:02x}" if is_control and char not in "\n\t" else char
