"""A long text by lines: every page can be read at once, and together they are the text, byte for byte."""

from dataclasses import dataclass

LINE_CHARS = 4_000
"""A longer line is shown as several, or no page could be small."""
PAGE_CHARS = 30_000
"""What one page holds at most, however many lines were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some lines of a text, with their ends. Numbers count from 0; `end` is behind the last one shown."""

    text: str
    first: int
    end: int
    total: int
    cut: tuple[tuple[int, int], ...]
    """Where lines shown here are parts of one long line: its first part, and what is behind its last."""


def page(text: str, offset: int, limit: int) -> Page:
    """At most `limit` lines from `offset` on, and no more of them than a page holds."""
    lines, cut = _lines(text)
    end, chars = min(offset, len(lines)), 0
    while end < min(offset + limit, len(lines)) and (chars == 0 or chars + len(lines[end]) <= PAGE_CHARS):
        chars += len(lines[end])
        end += 1
    shown = tuple((a, b) for a, b in cut if a < end and b > offset)
    return Page(text="".join(lines[offset:end]), first=offset, end=end, total=len(lines), cut=shown)


def _lines(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The lines with their ends, the long ones in parts; and where these are."""
    lines: list[str] = []
    cut: list[tuple[int, int]] = []
    for line in text.splitlines(keepends=True):
        first = len(lines)
        lines += [line[at : at + LINE_CHARS] for at in range(0, len(line), LINE_CHARS)]
        if len(lines) > first + 1:
            cut.append((first, len(lines)))
    return lines, cut
