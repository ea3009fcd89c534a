"""A store with a past: many messages that were accepted, read and answered long ago, by bulk SQL."""

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benches.world import BODY_512, Worker
from postroom.store.connect import DATABASE_NAME

_PARTS = re.split(r"-- name: (\w+)\n", Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
SQL = dict(zip(_PARTS[1::2], _PARTS[2::2], strict=True))
SENT = '{"message":%d,"to":%d,"call":1000000}'
ACCEPTED = '{"message":%d,"branch":%d,"sender":1000,"kind":"mail","mode":"steer","seq":100000}'


def fill(folder: Path, workers: Sequence[Worker], first: int, last: int) -> None:
    """Store the messages numbered from `first` to `last`, each with its delivery and its two events.

    The store must not be open: its writer remembers where each log ends.
    """
    connection = sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")  # a past that is lost can be made again
    connection.execute("PRAGMA cache_size = -200000")
    connection.execute("BEGIN IMMEDIATE")
    _insert(connection, workers, {"first": first, "last": last, "workers": len(workers), "body": BODY_512})
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _insert(connection: sqlite3.Connection, workers: Sequence[Worker], values: dict[str, int | str]) -> None:
    values["key"] = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM message").fetchone()[0]
    _name(connection, workers)
    connection.execute(SQL["message"], values)
    connection.execute(SQL["delivery"], values)
    connection.execute(SQL["event"], {**values, "kind": "message.sent", "payload": SENT})
    _name(connection, workers)  # each log is longer now
    connection.execute(SQL["event"], {**values, "kind": "message.accepted", "payload": ACCEPTED})


def _name(connection: sqlite3.Connection, workers: Sequence[Worker]) -> None:
    """The agents by number, each with its peer and with the end of its log as it is now."""
    connection.execute("DROP TABLE IF EXISTS temp.worker")
    connection.execute(SQL["workers"])
    for number, worker in enumerate(workers):
        turn = worker.turn.key if worker.turn else None
        peer = workers[(number + 1) % len(workers)].branch
        row = (number, worker.session, worker.branch, worker.handle, turn, peer)
        connection.execute(SQL["worker"], row)
