"""The rows of a conversation on the screen: those that have changed are drawn anew, the others stay.

What is there is always one unbroken piece of the conversation, in its order, so that who was there sees
what sees who comes later.
"""

from collections.abc import Sequence
from typing import Final

from textual.await_remove import AwaitRemove
from textual.containers import VerticalScroll
from textual.widgets import Static

from postroom.frontends.tui.rows import row_text
from postroom.frontends.tui.walled import Walled
from postroom.observe.transcript_rows import Row

ROWS_MAX: Final = 300
"""Rows at once. Whoever goes further back does not see the newest until the end is asked for."""


class Drawn:
    """A row and what shows it."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.widget = Static(Walled(row_text(row)), classes="talk-row", markup=False)

    def draw(self, row: Row) -> None:
        """As it stands now."""
        if row != self.row:
            self.row = row
            self.widget.update(Walled(row_text(row)))


class Sheet(VerticalScroll):
    """The rows, oldest first."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 -- as every widget calls it
        super().__init__(id=id)
        self.older: int | None = None
        """`before` for the page in front of what is shown."""
        self._drawn: dict[str, Drawn] = {}
        self._is_cut = False

    def forget(self) -> None:
        """Begin with nothing."""
        self._drawn, self.older, self._is_cut = {}, None, False
        self.remove_children()

    def to_end(self) -> bool:
        """To the end; whether the newest page is to be asked for, because it is not there."""
        if not self._is_cut:
            self.scroll_end(animate=False)
            return False
        self.forget()
        return True

    async def put(self, rows: Sequence[Row], older: int | None) -> None:
        """The newest page. Rows behind its first that are no part of it are gone, whoever took them back."""
        if self._is_cut:
            return
        is_at_end = self.max_scroll_y - self.scroll_y <= 1
        known = list(self._drawn)
        first = rows[0].id if rows else ""
        start = known.index(first) if first in self._drawn else 0
        if first not in self._drawn:  # so much is new that there would be a gap
            self.older = older
        same = _same(known[start:], rows)
        removing = self._remove(known[start + same :] if first in self._drawn else known)
        for row in rows[:same]:
            self._drawn[row.id].draw(row)
        mounting = self.mount(*self._add(rows[same:]))
        await removing
        await mounting
        if is_at_end:
            self.scroll_end(animate=False)

    async def put_in_front(self, rows: Sequence[Row], older: int | None) -> None:
        """The page before what is shown."""
        self.older = older
        behind, self._drawn = self._drawn, {}
        made = self._add([row for row in rows if row.id not in behind and row.kind != "waiting"])
        self._drawn |= behind
        mounting = self.mount(*made, before=0) if behind else self.mount(*made)
        if len(self._drawn) > ROWS_MAX:
            self._is_cut = True
            await self._remove(list(self._drawn)[ROWS_MAX:])
        await mounting
        self.scroll_home(animate=False)

    def _add(self, rows: Sequence[Row]) -> list[Static]:
        made = {row.id: Drawn(row) for row in rows}
        self._drawn |= made
        return [drawn.widget for drawn in made.values()]

    def _remove(self, ids: Sequence[str]) -> AwaitRemove:
        return self.remove_children([self._drawn.pop(key).widget for key in ids])


def _same(known: Sequence[str], rows: Sequence[Row]) -> int:
    """How many rows at the beginning are those that are there already."""
    pairs = enumerate(zip(known, rows, strict=False))
    return next((n for n, (key, row) in pairs if key != row.id), min(len(known), len(rows)))
