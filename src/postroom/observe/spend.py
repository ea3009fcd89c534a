"""What answers have cost: by agent, by chain, by UTC day. Read from sums that each answer's commit keeps."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Literal, TypeAlias

from postroom.domain.keys import NEWEST
from postroom.store.tx import Tx
from postroom.store.tx_work import Spent

By: TypeAlias = Literal["agent", "chain", "day"]
TITLE_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendView:
    """One line of a bill: rounds, and side calls, which are 0 rounds."""

    key: str
    """The agent's session id or `SESSION:BRANCH`, the chain's number, or the day as `2026-12-01`."""
    title: str
    """The agent's name, or the beginning of what the person wrote to open the chain; empty if another did."""
    rounds: int
    input_tokens: int
    """All tokens that models read, those from a cache included."""
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_micros: int
    """Millionths of a US dollar."""
    unpriced: int
    """Requests without a known price, side calls among them; they cost nothing here."""


def spend(tx: Tx, by: By, *, root: int | None = None, limit: int = 50) -> list[SpendView]:
    """At most `limit` lines, newest first; of one tree, or of the whole store."""
    lines = {"agent": _agents, "chain": _chains, "day": _days}[by](tx, root, limit)
    return list(islice(lines, limit))


def _agents(tx: Tx, root: int | None, limit: int) -> Iterator[SpendView]:
    for one in tx.newest_roots(limit) if root is None else [root]:
        for session, name, spent in tx.spend_of_tree(one):
            yield _view(session, name, spent)


def _chains(tx: Tx, root: int | None, _limit: int) -> Iterator[SpendView]:
    for chain in _all_chains(tx) if root is None else tx.chains_of_tree(root):
        spent, branch = tx.spend_of_chain(chain)
        title = " ".join(tx.opening_text(branch, chain).split())[:TITLE_CHARS]
        yield _view(str(chain), title, spent)


def _days(tx: Tx, root: int | None, _limit: int) -> Iterator[SpendView]:
    for day in _all_days(tx) if root is None else tx.days_of_tree(root):
        spent = tx.spend_of_day(day) if root is None else tx.spend_of_tree_on(root, day)
        yield _view((datetime.fromtimestamp(0, UTC) + timedelta(days=day)).date().isoformat(), "", spent)


def _all_chains(tx: Tx) -> Iterator[int]:
    chain = tx.chain_before(NEWEST)
    while chain is not None:
        yield chain
        chain = tx.chain_before(chain)


def _all_days(tx: Tx) -> Iterator[int]:
    day = tx.day_before(NEWEST)
    while day is not None:
        yield day
        day = tx.day_before(day)


def _view(key: str, title: str, spent: Spent) -> SpendView:
    return SpendView(
        key=key, title=title, rounds=spent.rounds, input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens, cache_read_tokens=spent.cache_read_tokens,
        cache_write_tokens=spent.cache_write_tokens, cost_micros=spent.cost_micros, unpriced=spent.unpriced,
    )  # fmt: skip
