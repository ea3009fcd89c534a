"""All tables of a store in memory, beside what its log folds to. One pass, linear in their size."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from postroom.domain.event import Event
from postroom.rules.fold import Folded, fold, rows
from postroom.store.tx import Tx
from postroom.store.tx_doctor import NodeShape

T = TypeVar("T")
PAGE = 2_000
"""Rows read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Rows by key: as they stand, or as they should."""

    branches: dict[int, rows.Branch]
    deliveries: dict[int, rows.Delivery]
    turns: dict[int, rows.Turn]
    tasks: dict[int, rows.Task]
    calls: dict[int, rows.Call]
    waits: dict[int, rows.Wait]
    chains: dict[int, rows.Chain]
    pairs: dict[tuple[int, int], rows.Pair]
    producers: dict[int, rows.Producer]
    timers: dict[int, rows.Timer]
    spends: dict[tuple[int, int, int], rows.Spend]
    sessions: dict[int, rows.Session]
    asks: dict[int, rows.Ask]
    grants: dict[int, rows.Grant]
    goals: dict[int, rows.Goal]
    todos: dict[int, rows.Todo]
    buses: dict[int, rows.Bus]
    readers: dict[int, rows.Reader]
    tokens: dict[int, rows.Token]
    notices: dict[int, rows.Notice]


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
    return Tables(
        branches=dict(_pages(tx.branches_after)), deliveries=dict(_pages(tx.deliveries_after)),
        turns=dict(_pages(tx.turns_after)), tasks=dict(_pages(tx.tasks_after)),
        calls=dict(_pages(tx.calls_after)), waits=dict(_pages(tx.waits_after)),
        chains=dict(_pages(tx.chains_after)), pairs=dict(_pairs(tx)),
        producers=dict(_pages(tx.producers_after)), timers=dict(_pages(tx.timers_after)),
        spends=dict(_spends(tx)), sessions=dict(_pages(tx.rights_after)),
        asks=dict(_pages(tx.asks_after)), grants=dict(_pages(tx.grants_after)),
        goals=dict(_pages(tx.goals_after)), todos=dict(_pages(tx.todos_after)),
        buses=dict(_pages(tx.buses_after)), readers=dict(_pages(tx.readers_after)),
        tokens=dict(_pages(tx.tokens_after)),
        notices=dict(_pages(tx.notices_after)),
    )  # fmt: skip


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


def _pairs(tx: Tx) -> Iterator[tuple[tuple[int, int], rows.Pair]]:
    pair = (0, 0)
    while page := tx.pairs_after(pair, PAGE):
        yield from page
        pair = page[-1][0]


def _spends(tx: Tx) -> Iterator[tuple[tuple[int, int, int], rows.Spend]]:
    key = (0, 0, 0)
    while page := tx.spends_after(key, PAGE):
        yield from page
        key = page[-1][0]
