"""The baselines: the four rows of one accepted message, inserted by nothing but `sqlite3`.

A message, its delivery and two events: the very columns, texts and indexes that accept writes. The
values are made before the clock starts, so the baseline pays for the inserts alone.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple, Self, TypeAlias

from benches.world import BODY_512, Worker, make_root, make_workers, start_turns
from postroom.clock import SystemClock
from postroom.domain.keys import SessionKey
from postroom.ids import SystemIds
from postroom.store.connect import open_writer
from postroom.store.queries import statements
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx

Execute: TypeAlias = Callable[[str, tuple[object, ...]], sqlite3.Cursor]
ROWS_PER_MESSAGE = 4
"""Rows inserted for one message; accept changes three more: branch, pair and call."""


class Rows(NamedTuple):
    """The values of the four rows, but for the keys that the inserts give."""

    message: tuple[object, ...]
    delivery: tuple[object, ...]
    sent: tuple[object, ...]
    accepted: tuple[object, ...]


class RowMaker:
    """Makes rows between agents that exist; each session's events stay numbered without gaps."""

    def __init__(self, pairs: Sequence[tuple[Worker, Worker]], first_seqs: Mapping[SessionKey, int]) -> None:
        self._pairs = pairs
        self._seqs: dict[int, int] = {**first_seqs}
        self._ids = SystemIds()

    def make(self, count: int) -> list[Rows]:
        """Rows for that many messages, spread over the pairs."""
        return [self._one(*self._pairs[i % len(self._pairs)]) for i in range(count)]

    def _one(self, sender: Worker, to: Worker) -> Rows:
        assert sender.turn is not None
        message = (
            self._ids.public(), "mail", "steer", BODY_512, "", sender.branch, sender.handle, sender.turn.key,
            1_000_000, None, None, None, 1, 1, 0, 1_800_000_000_000_000, 0, "",
        )  # fmt: skip
        now_us, actor = 1_800_000_000_000_000, f"branch:{sender.branch}"
        sent = f'{{"message":1000000,"to":{to.branch},"call":1000000}}'
        accepted = (
            f'{{"message":1000000,"delivery":1000000,"branch":{to.branch},'
            f'"sender":{sender.branch},"kind":"mail","mode":"steer","seq":100000,"rounds_at":0}}'
        )
        return Rows(
            message,
            (to.branch, sender.branch, "mail", "steer", self._next(-to.branch), "running", now_us, 0, None),
            (
                sender.session,
                self._next(sender.session),
                now_us,
                "message.sent",
                actor,
                sender.turn.key,
                sent,
            ),
            (to.session, self._next(to.session), now_us, "message.accepted", actor, None, accepted),
        )

    def _next(self, log: int) -> int:
        self._seqs[log] = self._seqs.get(log, 0) + 1
        return self._seqs[log]


class BareWriter:
    """A connection of its own and the three inserts, each found once."""

    def __init__(self, folder: Path) -> None:
        self._connection = open_writer(folder)
        self._sql = statements()

    def run(self, rows: Sequence[Rows], batch: int) -> float:
        """Insert all rows, `batch` messages a commit; the seconds that took."""
        connection, sql = self._connection, self._sql
        began_s = perf_counter()
        for first in range(0, len(rows), batch):
            connection.execute("BEGIN IMMEDIATE")
            insert(connection.execute, sql, rows[first : first + batch])
            connection.execute("COMMIT")
        return perf_counter() - began_s

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()


class BareCommits:
    """One bare message a commit, one at a time, in a store of its own."""

    def __init__(self, writer: BareWriter, maker: RowMaker) -> None:
        self._writer = writer
        self._maker = maker

    @classmethod
    async def open(cls, folder: Path) -> Self:
        """Two agents in a new store, one of which writes to the other."""
        store = SqliteStore.open(folder, SystemClock(), SystemIds())
        pair = await store.write(_pair)
        seqs = {worker.session: await store.read(Tx.last_seq, worker.session) for worker in pair}
        store.close()
        return cls(BareWriter(folder), RowMaker([pair], seqs))

    def next_s(self) -> float:
        """Seconds that the next message takes."""
        rows = self._maker.make(1)
        return self._writer.run(rows, 1)

    def close(self) -> None:
        """Let the file go."""
        self._writer.close()


def _pair(tx: Tx) -> tuple[Worker, Worker]:
    root = make_root(tx)
    sender, recipient = make_workers(tx, root, 2)
    start_turns(tx, root, (sender, recipient))
    return sender, recipient


def insert(run: Execute, sql: Mapping[str, str], rows: Iterable[Rows]) -> None:
    """The four inserts of each message."""
    for row in rows:
        key = run(sql["insert_message"], row.message).lastrowid
        run(sql["insert_delivery"], (key, *row.delivery))
        run(sql["insert_event"], row.sent)
        run(sql["insert_event"], row.accepted)


def insert_one(tx: Tx, row: Rows) -> None:
    """The same inserts as a transaction function, for the store's own writer."""
    insert(tx._run, tx._sql, (row,))  # noqa: SLF001 - below the statements with a name there is no door
