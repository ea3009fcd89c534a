"""Texts that are wrapped and still cannot leave their place: no line that is continued looks like a new one.

Whoever writes a text chooses where it is wrapped. So what stands behind the bar has it on every line of the
screen, and the rest of one of our own lines is set in.
"""

from collections.abc import Iterator
from typing import Final

from rich.console import Console, ConsoleOptions
from rich.text import Text

BAR: Final = "│ "
INSET: Final = " " * 4
NARROWEST: Final = 8
"""Columns that are left for a text at the least."""


class Walled:
    """A text of several lines, some of which begin with the bar."""

    def __init__(self, text: Text) -> None:
        self.text = text

    def __str__(self) -> str:
        """What it says, without a screen."""
        return self.text.plain

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Its lines, as wide as there is room."""
        for line in self.text.split("\n", allow_blank=True):
            if line.plain.startswith(BAR):
                yield from _wrapped(console, line[len(BAR) :], options.max_width, first=BAR, rest=BAR)
            else:
                yield from _wrapped(console, line, options.max_width, first="", rest=INSET)


def _wrapped(console: Console, line: Text, width: int, *, first: str, rest: str) -> Iterator[Text]:
    room = max(width - len(rest), NARROWEST)
    for number, part in enumerate(line.wrap(console, room, overflow="fold") or [Text()]):
        yield Text(rest if number else first, style=line.style, end="").append_text(part).append("\n")
