"""The graph that `why` shows against the one that the tables hold, edge by edge."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, astuple
from pathlib import Path
from typing import cast

from postroom.clock import SystemClock
from postroom.domain.turn import call_id
from postroom.ids import SystemIds
from postroom.observe.why import why
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx

Edge = tuple[str, str]
LINKS = frozenset(
    (
        "message_id", "turn_id", "call_id", "ask_id", "ask_ids", "task_id", "result_id", "answers_id",
        "under_task_id", "awaits_id", "returned_id", "work_id", "given_in_id", "previous_id", "next_id",
        "cancelled_ids", "cancelled_call_id",
    )
)  # fmt: skip
"""The fields of the view that lead to another view."""

MESSAGES = "SELECT id, public_id FROM message"
TURNS = "SELECT id, public_id FROM turn"
ASKS = "SELECT id, public_id FROM ask"
CALLS = "SELECT id, turn_id, round, position FROM call"
EDGES = {
    "written in a turn": ("message", "turn", "SELECT id, sender_turn_id FROM message"),
    "sent by a call": ("message", "call", "SELECT id, call_id FROM message"),
    "sends a message": ("call", "message", "SELECT id, message_id FROM call"),
    "answers a message": ("message", "message", "SELECT id, reply_to_message_id FROM message"),
    "read in a turn": ("message", "turn", "SELECT message_id, turn_id FROM delivery"),
    "task of a turn": ("message", "turn", "SELECT id, turn_id FROM task"),
    "task that a turn gave": ("message", "turn", "SELECT id, dispatcher_turn_id FROM task"),
    "task of a turn that started": (
        "turn", "message", """SELECT turn_id, json_extract(payload, '$.task') FROM event
        WHERE kind = 'turn.started'""",
    ),
    "result of a task": ("message", "message", "SELECT id, result_message_id FROM task"),
    "made in a turn": ("call", "turn", "SELECT id, turn_id FROM call"),
    "asked by a call": ("ask", "call", "SELECT id, call_id FROM ask"),
    "asked in a turn": ("ask", "turn", "SELECT id, turn_id FROM ask"),
    "end of work": ("message", "call", "SELECT message_id, call_id FROM producer"),
    "turn after turn": (
        "turn", "turn", """SELECT a.id, (SELECT max(b.id) FROM turn b WHERE b.branch_id = a.branch_id
        AND b.id < a.id) FROM turn a""",
    ),
}  # fmt: skip
"""What hangs together, as the tables say: (kind, kind, pairs of keys)."""


def flaws(folder: Path) -> list[str]:
    """Where the views and the tables of a store differ: every link is at both of its ends."""
    names, edges = _tables(folder)
    store = SqliteStore.open(folder, SystemClock(), SystemIds(), read_only=True)
    try:
        links = {name: store.look(links_of, name) for name in names}
    finally:
        store.close()
    wrong = [f"{a} leads to {b}, which there is not" for a, found in links.items() for b in found - names]
    wrong += [
        f"{a} and {b} hang together ({what}), and one does not lead to the other"
        for what, a, b in edges
        if b not in links[a] or a not in links[b]
    ]
    return wrong


SPENT = """SELECT sum(rounds), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
    sum(cache_write_tokens), sum(cost_micros), sum(unpriced) FROM spend"""


def totals(folder: Path) -> list[str]:
    """Where the cost of all turns is not what was spent."""
    with closing(sqlite3.connect(f"file:{folder / 'postroom.db'}?mode=ro", uri=True)) as connection:
        ids = [name for _, name in connection.execute(TURNS)]
        spent = [number or 0 for number in connection.execute(SPENT).fetchone()]
    store = SqliteStore.open(folder, SystemClock(), SystemIds(), read_only=True)
    try:
        turns = [turn for name in ids if (turn := store.look(why, name).turn) is not None]
    finally:
        store.close()
    told = [sum(column) for column in zip(*(astuple(turn.spent) for turn in turns), strict=True)]
    return [] if told == spent else [f"spent {spent}, and turns tell of {told}"]


def links_of(tx: Tx, reference: str) -> frozenset[str]:
    """Every id that a view leads to, but its own."""
    return frozenset(_ids(asdict(why(tx, reference)))) - {reference, ""}


def _ids(value: object, name: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, below in cast("Mapping[str, object]", value).items():
            yield from _ids(below, key)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _ids(item, name)
    elif isinstance(value, str) and name in LINKS:
        yield value


def _tables(folder: Path) -> tuple[set[str], list[tuple[str, str, str]]]:
    """Every id that a view may be asked for, and what hangs together: (why, id, id)."""
    with closing(sqlite3.connect(f"file:{folder / 'postroom.db'}?mode=ro", uri=True)) as connection:
        ids: dict[str, dict[int, str]] = {
            "message": dict(connection.execute(MESSAGES)), "turn": dict(connection.execute(TURNS)),
            "ask": dict(connection.execute(ASKS)),
            "call": {key: call_id(*place) for key, *place in connection.execute(CALLS)},
        }  # fmt: skip
        edges = [
            (what, ids[one][a], ids[other][b])
            for what, (one, other, pairs) in EDGES.items()
            for a, b in connection.execute(pairs)
            if a is not None and b is not None
        ]
    return {name for named in ids.values() for name in named.values()}, edges
