"""The index for search catches up with what was written; see `docs/why/0020-search-catches-up.md`."""

from postroom.store.tx import Tx
from postroom.store.tx_words import Source

SLICE = 200
"""Texts of one transaction: 20 to 40 ms, in which senders wait."""


def index_words(tx: Tx) -> bool:
    """Make the next texts searchable; whether there are more."""
    is_behind = False
    for source in Source:
        texts = tx.texts_to_index(source, SLICE)
        if texts:
            tx.add_words(source, texts)
        is_behind = is_behind or len(texts) == SLICE
    return is_behind
