"""The answer that is being written just now. However fast it comes, it is drawn a few times a second."""

from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from postroom.domain.plain import Json
from postroom.frontends.cli.output import shown
from postroom.frontends.tui.walled import BAR, Walled
from postroom.observe.transcript_rows import Row

DRAW_S: Final = 0.1
CHARS_MAX: Final = 4_000
"""How much of its end is shown; all of it is a row once it is committed."""


class Streaming(VerticalScroll):
    """Shows nothing while nothing streams."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 -- as every widget calls it
        super().__init__(id=id)
        self._shown = Static("", markup=False)
        self.can_focus = False
        self.display = False
        self._which: tuple[Json, Json, Json] = (None, None, None)
        self._text = ""
        self._is_drawn = True

    def compose(self) -> ComposeResult:
        """The text."""
        yield self._shown

    def on_mount(self) -> None:
        """Begin to draw, and stay at the end."""
        self.set_interval(DRAW_S, self._draw)
        self.anchor()

    def take(self, piece: dict[str, Json]) -> None:
        """Some more of it; another turn, round or attempt begins it anew."""
        which = (piece.get("turn_id"), piece.get("round"), piece.get("attempt"))
        if which != self._which:
            self._which, self._text = which, ""
        self._text = f"{self._text}{piece.get('text')}"[-CHARS_MAX:]
        self._is_drawn = False

    def settle(self, rows: list[Row]) -> None:
        """It is a row of its own now, or its turn has ended without one."""
        turn, number, _ = self._which
        for row in rows:
            is_answer = row.kind in {"answer", "calls"} and row.turn_id == turn
            if (is_answer and getattr(row, "round", None) == number) or (
                row.kind == "turn_end" and row.turn_id == turn
            ):
                self.forget()

    def forget(self) -> None:
        """Nothing streams."""
        self._which, self._text, self._is_drawn = (None, None, None), "", False
        self._draw()

    def _draw(self) -> None:
        if self._is_drawn:
            return
        self._is_drawn = True
        self.display = bool(self._text)
        lines = shown(self._text).splitlines()
        text = Text("\n".join(f"{BAR}{line}" for line in lines), style="italic")
        self._shown.update(Walled(text))
