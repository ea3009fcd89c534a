"""All tables of a store in memory, beside what its log folds to. One pass, linear in their size."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from postroom.domain.event import Event
from postroom.observe.doctor_tables import TABLES
from postroom.rules.fold import Folded, Tables, fold
from postroom.store.tx import Tx
from postroom.store.tx_doctor import PAGE, NodeShape

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The immutable rows that belong to the log: what events name and never tell."""

    nodes: dict[int, NodeShape]
    messages: frozenset[int]
    textless_calls: tuple[int, ...]
    """Calls that have ended and have no result to show."""


def read_log(tx: Tx) -> Folded:
    """What the whole log folds to."""
    return fold(_events(tx))


def read_tables(tx: Tx) -> Tables:
    """The rows as they stand."""
    found = Tables()
    for table in TABLES:
        table.read(tx, found)
    return found


def read_record(tx: Tx) -> Record:
    """The rows that events name."""
    return Record(
        nodes=dict(_pages(tx.nodes_after)),
        messages=frozenset(_keys(tx.message_keys_after)),
        textless_calls=tuple(_keys(tx.calls_without_text_after)),
    )


def _events(tx: Tx) -> Iterator[Event]:
    pos = 0
    while page := tx.events_after(pos, PAGE):
        yield from page
        pos = page[-1].pos


def _pages(read: Callable[[int, int], list[tuple[int, T]]]) -> Iterator[tuple[int, T]]:
    key = 0
    while page := read(key, PAGE):
        yield from page
        key = page[-1][0]


def _keys(read: Callable[[int, int], list[int]]) -> Iterator[int]:
    key = 0
    while page := read(key, PAGE):
        yield from page
        key = page[-1]
