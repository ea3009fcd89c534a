"""Accept: messages a second through `Office.send` against the same rows inserted bare, side by side.

64 agents write to 64 others of their tree that are running. Every round measures all variants one
after the other, so that a busy machine slows all of them; a ratio is the median over the rounds.
"""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from benches.bare import ROWS_PER_MESSAGE, BareWriter, RowMaker, Rows, insert_one
from benches.fill import fill
from benches.report import Figure, median
from benches.world import (
    BODY_512,
    Person,
    Worker,
    add_calls,
    directory,
    make_root,
    make_workers,
    start_turns,
)
from postroom.clock import SystemClock
from postroom.domain.keys import SessionKey
from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt
from postroom.ids import SystemIds
from postroom.service.draft import Draft
from postroom.service.office import Office
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.surfaces.tree import send_text

BENCH = "accept (512-byte messages, synchronous=FULL)"
SENDERS = 64
LEAST_OF_BATCHED = 0.35
LEAST_OF_AWAITABLE = 0.45
LEAST_OF_SINGLE = 0.40
MOST_GROWTH = 0.15
"""A rate at most this much lower counts as no growth of the cost: rounds differ by that much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much one run measures."""

    stored: tuple[int, ...]
    rounds: int
    messages: int
    """Messages of one measurement with 64 senders."""
    singles: int
    """Messages of one measurement with one sender."""


@dataclass(slots=True)
class Rates:
    """Messages a second of each variant, one value a round."""

    ours: list[float] = field(default_factory=list[float])
    bare: list[float] = field(default_factory=list[float])
    awaitable: list[float] = field(default_factory=list[float])
    our_single: list[float] = field(default_factory=list[float])
    bare_single: list[float] = field(default_factory=list[float])


class Town:
    """The agents of this bench and the store they live in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.everybody: list[Worker] = []
        self.senders: list[Worker] = []
        self.recipients: list[Worker] = []
        self.bare_pairs: list[tuple[Worker, Worker]] = []

    def open(self) -> SqliteStore:
        """The store, opened the usual way."""
        return SqliteStore.open(self.folder, SystemClock(), SystemIds())

    async def settle(self) -> None:
        """Make the tree: senders, recipients, and agents for the baselines, all in a turn."""
        store = self.open()
        await store.write(self._settle)
        store.close()

    def _settle(self, tx: Tx) -> None:
        root: Person = make_root(tx)
        workers = make_workers(tx, root, 4 * SENDERS)
        start_turns(tx, root, workers)
        self.everybody = workers
        self.senders, self.recipients = workers[:SENDERS], workers[SENDERS : 2 * SENDERS]
        self.bare_pairs = list(zip(workers[2 * SENDERS : 3 * SENDERS], workers[3 * SENDERS :], strict=True))


async def run(folder: Path, size: Size) -> list[Figure]:
    """Measure at every number of stored messages."""
    town = Town(folder)
    await town.settle()
    figures: list[Figure] = []
    rates: list[Rates] = []
    first = 0
    for stored in size.stored:
        fill(folder, town.everybody, first, stored)
        first = stored
        rates.append(await _measure(town, size))
        figures += _ratios(stored, rates[-1])
    return [*figures, *_growth(size, rates)]


async def _measure(town: Town, size: Size) -> Rates:
    store = town.open()
    seqs = await store.read(_log_ends, town.bare_pairs)
    contest = Contest(town, size, Office(store, directory, SystemClock()), RowMaker(town.bare_pairs, seqs))
    for _ in range(size.rounds):
        await contest.round()
    contest.bare.close()
    store.close()
    return contest.rates


class Contest:
    """All variants over one store."""

    def __init__(self, town: Town, size: Size, office: Office, maker: RowMaker) -> None:
        self._town = town
        self._size = size
        self._office = office
        self._maker = maker
        self.bare = BareWriter(town.folder)
        self.rates = Rates()

    async def round(self) -> None:
        """Measure each variant once."""
        many, few = self._size.messages, self._size.singles
        await self._office.store.write(add_calls, self._town.senders, many // SENDERS)
        self.rates.ours.append(many / await self._send_all())
        self.rates.bare.append(many / self.bare.run(self._maker.make(many), SENDERS))
        self.rates.awaitable.append(many / await self._insert_all(self._maker.make(many)))
        await self._office.store.write(add_calls, self._town.senders[:1], few)
        self.rates.our_single.append(few / await self._send_single())
        self.rates.bare_single.append(few / self.bare.run(self._maker.make(few), 1))

    async def _send_all(self) -> float:
        return await _seconds(*(self._send(i) for i in range(SENDERS)))

    async def _send_single(self) -> float:
        return await _seconds(self._send(0))

    async def _send(self, number: int) -> None:
        """One agent uses up its calls, one after the other, as a turn does."""
        worker, to = self._town.senders[number], self._town.recipients[number].handle
        while worker.calls:
            draft = Draft(
                call=worker.calls.pop(), fence=1, to=to, body=BODY_512, mode=Mode.STEER,
                render=lambda outcome: send_text(to, outcome),
            )  # fmt: skip
            sent = await self._office.send(draft, lambda _: None)
            assert isinstance(sent.outcome, Receipt), sent

    async def _insert_all(self, rows: Sequence[Rows]) -> float:
        return await _seconds(*(self._insert(rows[i::SENDERS]) for i in range(SENDERS)))

    async def _insert(self, rows: Sequence[Rows]) -> None:
        for row in rows:
            await self._office.store.write(insert_one, row)


async def _seconds(*works: Coroutine[object, object, None]) -> float:
    began_s = perf_counter()
    await asyncio.gather(*works)
    return perf_counter() - began_s


def _log_ends(tx: Tx, pairs: Sequence[tuple[Worker, Worker]]) -> dict[SessionKey, int]:
    return {worker.session: tx.last_seq(worker.session) for pair in pairs for worker in pair}


def _ratios(stored: int, rates: Rates) -> Iterator[Figure]:
    at = f"at {stored:,} stored"
    shares = (
        ("64 senders, share of bare in batches of 64", rates.ours, rates.bare, LEAST_OF_BATCHED),
        ("64 senders, share of inserts behind the writer", rates.ours, rates.awaitable, LEAST_OF_AWAITABLE),
        (
            "1 sender, share of bare, one commit a message",
            rates.our_single,
            rates.bare_single,
            LEAST_OF_SINGLE,
        ),
    )
    for name, ours, theirs, least in shares:
        share = median([a / b for a, b in zip(ours, theirs, strict=True)])
        yield Figure(bench=BENCH, name=f"{name}, {at}", value=share, unit="of it", least=least)
    absolute = (
        ("64 senders", rates.ours), ("1 sender", rates.our_single), ("bare, batches of 64", rates.bare),
        ("inserts behind the writer", rates.awaitable), ("bare, one commit a message", rates.bare_single),
    )  # fmt: skip
    for name, values in absolute:
        yield Figure(bench=BENCH, name=f"{name}, {at}", value=median(values), unit="msg/s")


def _growth(size: Size, rates: Sequence[Rates]) -> Iterator[Figure]:
    """Against the baseline of the same round, which grows by what SQLite's own indexes cost."""
    first, last = rates[0], rates[-1]
    change = median(first.ours) / median(last.ours) - median(first.bare) / median(last.bare)
    name = f"cost of accept at {size.stored[-1]:,} stored against {size.stored[0]:,}, beyond the baseline's"
    yield Figure(bench=BENCH, name=name, value=change, unit="more", most=MOST_GROWTH)
    yield Figure(
        bench=BENCH,
        name="rows inserted for one message; three more are changed",
        value=ROWS_PER_MESSAGE,
        unit="rows",
    )
