"""What a command prints: text for people, or JSON for programs, and one line for what went wrong."""

import json
import re
import sys
from collections.abc import Sequence
from typing import Final, TextIO

from postroom.daemon.wire import Failure
from postroom.domain.plain import Json
from postroom.rules.text import scrub

_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
"""Embeddings, overrides and isolates, which reorder a line for the eye, and the separators of lines."""
_OBEYED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Output:
    """Results go to standard output, everything else to standard error."""

    def __init__(self, *, as_json: bool, verbose: bool) -> None:
        self.as_json = as_json
        self.verbose = verbose

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at standard output."""
        return sys.stdout.isatty()

    def document(self, value: Json) -> None:
        """One JSON document."""
        _write(
            sys.stdout,
            one_line(json.dumps(value, ensure_ascii=False, indent=2 if self.is_terminal else None)),
        )

    def json_line(self, value: Json) -> None:
        """One of many JSON documents."""
        _write(sys.stdout, one_line(json.dumps(value, ensure_ascii=False)))

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
        text = json.dumps({"error": failure.as_json()}, ensure_ascii=False)
        _write(sys.stderr, text if self.as_json else shown(failure.describe()))

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns as wide as their widest cell; the last one as it is."""
        widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header) - 1)]
        for row in (header, *rows):
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            self.line("  ".join([*cells, row[-1]]).rstrip())


def _write(stream: TextIO, text: str, *, end: str = "\n") -> None:
    """A line, out at once; what the terminal's alphabet lacks is shown as an escape."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + end)
    stream.flush()


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
