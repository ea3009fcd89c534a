"""Tells whoever watches a tree of its asks: each once when it opens, and once when it ends.

A child's ask is told where its root is watched: nobody else may be looking.
"""

from collections.abc import Callable

from postroom.domain.event import EventKind
from postroom.frontends.cli import ask_texts
from postroom.frontends.cli.texts import Row, text
from postroom.frontends.cli.watched import Watched
from postroom.observe.tail import EventView


class AskTeller:
    """`note` writes a line; `command` makes the words with which an ask is decided from elsewhere."""

    def __init__(self, note: Callable[[str], None], command: Callable[[str, str], str]) -> None:
        self._note = note
        self._command = command
        self._told: set[str] = set()

    async def look(self, room: Watched, session_id: str) -> None:
        """Tell of what is open in the tree and was not told of before."""
        for row in await room.asks(session_id):
            if text(row, "ask_id") in self._told:
                continue
            self._told.add(text(row, "ask_id"))
            self._note(ask_texts.one_line(row))
            for line in ask_texts.option_lines(row):
                self._note(f"  {line}")
            self._note(f"decide elsewhere: {self._how(row)}")

    def _how(self, ask: Row) -> str:
        short = ask_texts.short_id(text(ask, "ask_id"))
        if ask_texts.is_question(ask):
            return f"{self._command('answer', short)} TEXT"
        return f"{self._command('approve', short)} (or deny)"

    async def hear(self, room: Watched, session_id: str, event: EventView) -> None:
        """Something has happened somewhere in the store."""
        if event.kind == EventKind.ASK_OPENED:
            await self.look(room, session_id)
        elif event.kind == EventKind.ASK_ENDED and event.ask_id in self._told:
            self._note(f"{ask_texts.short_id(event.ask_id)} {ask_texts.ended(event.facts)}")
