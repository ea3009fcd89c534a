"""Search over mail, answers and results of tools: all words must be in one text, best match first.

`"two words"` in quotes stand next to each other, `begin*` finds every word that begins so. Upper and
lower case and accents make no difference.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from postroom.domain.receipt import Code
from postroom.errors import Refused
from postroom.store.tx import Tx
from postroom.store.tx_words import Found

PAGE = 200
LOOKED_AT_MAX = 5_000
"""Texts that one search looks at; a word that is nearly everywhere finds the best of these."""
EXCERPT_CHARS = 160
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"\w+", re.UNICODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One text that holds all the words."""

    session_id: str
    title: str
    """What its conversation is called."""
    agent: str
    """The agent that read or wrote it: its handle or session id, else `SESSION:BRANCH`."""
    where: str
    """`mail`, `answer` or `result`."""
    id: str
    """The message's id, or that of the turn that wrote it."""
    at_us: int
    who: str
    """Who wrote it; for a result the agent and its tool."""
    excerpt: str
    """The text around the first word that was found, on one line."""


def search(tx: Tx, words: str, *, limit: int = 20, root: int | None = None) -> list[Hit]:
    """At most `limit` texts, of one tree or of the whole store, among those that are in the index.

    `service.words.index_words` brings it up to date first; `Postroom.search` does so.

    Raises `Refused` (`invalid_query`) when there is no word in `words`.
    """
    terms = _terms(words)
    if not terms:
        raise Refused(Code.INVALID_QUERY, "there is no word to search for")
    query = " AND ".join(f'"{text}"{"*" if begins else ""}' for text, begins in terms)
    hits: list[Hit] = []
    for found in _all_found(tx, query):
        if root in (None, found.root):
            hits.append(_hit(found, terms))
        if len(hits) == limit:
            break
    return hits


def _all_found(tx: Tx, query: str) -> Iterator[Found]:
    for offset in range(0, LOOKED_AT_MAX, PAGE):
        page = tx.found_words(query, PAGE, offset)
        for source, key in page:
            if (found := tx.found_text(source, key)) is not None:
                yield found
        if len(page) < PAGE:
            return


def _terms(words: str) -> list[tuple[str, bool]]:
    """(text, whether it is only a beginning) of each term; what holds no letter or digit is no term."""
    found: list[tuple[str, bool]] = []
    for match in _TERM.finditer(words):
        phrase, word = match.groups()
        text = (phrase if phrase is not None else word).replace('"', " ").replace("\0", " ")
        if _WORD.search(text):
            found.append((text, phrase is None and text.endswith("*")))
    return found


def _hit(found: Found, terms: list[tuple[str, bool]]) -> Hit:
    return Hit(
        session_id=found.session_id, title=found.title, agent=found.address, where=found.where,
        id=found.public_id, at_us=found.at_us, who=found.who, excerpt=_excerpt(found.text, terms),
    )  # fmt: skip


def _excerpt(text: str, terms: list[tuple[str, bool]]) -> str:
    plain, words = _plain(text), [w for term, _ in terms for w in _WORD.findall(_plain(term))]
    places = [place for word in words if (place := plain.find(word)) >= 0]
    start = max(min(places, default=0) - EXCERPT_CHARS // 3, 0)
    cut = " ".join(text[start : start + EXCERPT_CHARS].split())
    return f"{'…' if start else ''}{cut}{'…' if start + EXCERPT_CHARS < len(text) else ''}"


def _plain(text: str) -> str:
    """Lower case without accents, letter for letter, so that places in it are places in the text."""
    return "".join(unicodedata.normalize("NFD", char)[0].lower()[:1] or char for char in text)
