"""The index of words: which texts hold them, and how far it goes.

It is written behind the mail, not with it: see `docs/why/0020-search-catches-up.md`. How far it goes moves
in the transaction that adds the words, so it never claims more than it holds.
"""

from enum import IntEnum
from typing import NamedTuple

from postroom.store.tx_log import LogTx


class Source(IntEnum):
    """Whose words a row of the index holds; part of the row's number (migration 2)."""

    MESSAGE = 0
    NODE = 1


class Found(NamedTuple):
    """A text that holds the words. `public_id` is of the message, or of the turn that wrote it."""

    session_id: str
    root: int
    public_id: str
    at_us: int
    who: str
    text: str
    where: str
    address: str
    """Of the agent that read or wrote it, as a person types it."""
    title: str
    """What the conversation of the person is called that it is of."""


class WordsTx(LogTx):
    """Words and where they stand."""

    __slots__ = ()

    def texts_to_index(self, source: Source, limit: int) -> list[tuple[int, str]]:
        """(key, text) of what cannot be searched for yet, oldest first."""
        mark = self.indexed_to(source)
        if source is Source.MESSAGE:
            rows = self._all("messages_to_index", mark, limit)
        else:
            rows = self._all("nodes_to_index", mark, limit)
        return [(int(str(key)), str(text or "")) for key, text in rows]

    def indexed_to(self, source: Source) -> int:
        """The key of the newest text that can be searched for."""
        return int(self.meta_value(_mark(source)) or 0)

    def add_words(self, source: Source, texts: list[tuple[int, str]]) -> None:
        """The next texts can be searched for, and the index says so."""
        for key, text in texts:
            if text:
                self._do("add_words", key * len(Source) + source, text)
        self.set_meta(_mark(source), str(texts[-1][0]))

    def found_words(self, query: str, limit: int, offset: int) -> list[tuple[Source, int]]:
        """Where words stand, best match first; `query` is in the language of FTS5."""
        rows = self._values("found_words", int, query, limit, offset)
        return [(Source(row % len(Source)), row // len(Source)) for row in rows]

    def found_text(self, source: Source, key: int) -> Found | None:
        """The text behind a row of the index."""
        if source is Source.MESSAGE:
            return self._find("found_message", Found._make, key)
        return self._find("found_node", Found._make, key)


def _mark(source: Source) -> str:
    return f"words_{source.name.lower()}"
