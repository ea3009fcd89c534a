"""A store with a past: many messages that were accepted, read and answered long ago, by bulk SQL."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benches.world import BODY_512, Worker
from postroom.store.connect import DATABASE_NAME

_NUMBERS = "WITH RECURSIVE n (i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :last)"
_MESSAGES = f"""{_NUMBERS}
INSERT INTO message (public_id, kind, mode, body, sender_branch_id, sender_address, sender_turn_id, chain_id,
    messages, generations, created_us)
SELECT printf('00000000-0000-7000-8000-%012x', i), 'mail', 'steer', :body, w.branch, w.handle, w.turn, 1, 1, 0,
    1700000000000000 + i
FROM n JOIN temp.worker w ON w.number = i % :workers"""
_DELIVERIES = f"""{_NUMBERS}
INSERT INTO delivery (message_id, recipient_branch_id, sender_branch_id, kind, mode, state, seq, attempts, turn_id,
    node_id, round, recipient_state, accepted_us, ended_us)
SELECT :key + i - :first, w.peer, w.branch, 'mail', 'steer', 'consumed', i / :workers + 1, 1, w.turn, 1, 1,
    'running', 1700000000000000 + i, 1700000000000001 + i
FROM n JOIN temp.worker w ON w.number = i % :workers"""
_EVENTS = f"""{_NUMBERS}
INSERT INTO event (session_id, seq, ts_us, kind, actor, turn_id, payload)
SELECT w.session, w.seq + (i - :first) / :workers + 1, 1700000000000000 + i, :kind, 'branch:' || w.branch, w.turn,
    printf(:payload, i, w.peer)
FROM n JOIN temp.worker w ON w.number = i % :workers"""
_PAYLOADS = {
    "message.sent": '{"message":%d,"to":%d,"call":1000000}',
    "message.accepted": '{"message":%d,"branch":%d,"sender":1000,"kind":"mail","mode":"steer","seq":100000}',
}


def fill(folder: Path, workers: Sequence[Worker], first: int, last: int) -> None:
    """Store the messages numbered from `first` to `last`, each with its delivery and its two events.

    The store must not be open: its writer remembers where each log ends.
    """
    connection = sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")  # a past that is lost can be made again
    connection.execute("PRAGMA cache_size = -200000")
    connection.execute("BEGIN IMMEDIATE")
    _insert(connection, workers, first, last)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _insert(connection: sqlite3.Connection, workers: Sequence[Worker], first: int, last: int) -> None:
    values = {"first": first, "last": last, "workers": len(workers), "body": BODY_512}
    values["key"] = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM message").fetchone()[0]
    for kind, payload in _PAYLOADS.items():
        _name_workers(connection, workers)
        if kind == "message.sent":
            connection.execute(_MESSAGES, values)
            connection.execute(_DELIVERIES, values)
        connection.execute(_EVENTS, {**values, "kind": kind, "payload": payload})


def _name_workers(connection: sqlite3.Connection, workers: Sequence[Worker]) -> None:
    """The agents by number, each with its peer and with the end of its log as it is now."""
    connection.execute("DROP TABLE IF EXISTS temp.worker")
    connection.execute(
        "CREATE TEMP TABLE worker (number INTEGER PRIMARY KEY, session, branch, handle, turn, peer, seq)"
    )
    for number, worker in enumerate(workers):
        seq = connection.execute(
            "SELECT coalesce(max(seq), 0) FROM event WHERE session_id = ?", (worker.session,)
        ).fetchone()[0]
        turn = worker.turn.key if worker.turn else None
        peer = workers[(number + 1) % len(workers)].branch
        row = (number, worker.session, worker.branch, worker.handle, turn, peer, seq)
        connection.execute("INSERT INTO temp.worker VALUES (?, ?, ?, ?, ?, ?, ?)", row)
