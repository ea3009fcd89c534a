"""The words of what was written, kept in the transaction that writes it, so that a search misses nothing."""

from enum import IntEnum
from typing import NamedTuple

from postroom.store.tx_base import BaseTx, Row


class Source(IntEnum):
    """Whose words a row of the index holds; part of the row's number."""

    MESSAGE = 0
    ANSWER = 1
    RESULT = 2


_KINDS = 4
"""Room for one more source; the number is in every store (migration 2)."""


class Found(NamedTuple):
    """A text that holds the words. `public_id` is of the message, or of the turn that wrote it."""

    session_id: str
    root: int
    public_id: str
    at_us: int
    who: str
    text: str


class WordsTx(BaseTx):
    """The index of words. A text that no word of can be searched for leaves no row."""

    __slots__ = ()

    def add_words(self, source: Source, key: int, text: str) -> None:
        """The words of a new text can be searched for."""
        if text:
            self._do("add_words", key * _KINDS + source, text)

    def found_words(self, query: str, limit: int, offset: int) -> list[tuple[Source, int]]:
        """Where words stand, best match first; `query` is in the language of FTS5."""
        rows = (int(str(r[0])) for r in self._all("found_words", query, limit, offset))
        return [(Source(row % _KINDS), row // _KINDS) for row in rows]

    def found_text(self, source: Source, key: int) -> Found | None:
        """The text behind a row of the index."""
        match source:
            case Source.MESSAGE:
                return _found(self._one("found_message", key))
            case Source.ANSWER:
                return _found(self._one("found_answer", key))
            case Source.RESULT:
                return _found(self._one("found_result", key))


def _found(row: Row | None) -> Found | None:
    return None if row is None else Found._make(row)
