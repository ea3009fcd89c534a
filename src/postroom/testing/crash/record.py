"""Every row of a small store in memory, read by statements of its own, not by the store's code."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import cast

from postroom.domain.event import EventKind
from postroom.domain.node import is_joined, parts_of
from postroom.store.connect import open_reader

_HEAD = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


class Row:
    """One row by column name. A column read as a number or text that is none is a fault of the audit."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def num(self, name: str) -> int:
        """A number."""
        value = self._values[name]
        if not isinstance(value, int):
            raise TypeError(f"{name} is {value!r}")
        return value

    def key(self, name: str) -> int | None:
        """A number or nothing."""
        return None if self._values[name] is None else self.num(name)

    def txt(self, name: str) -> str:
        """A text; nothing reads as empty."""
        return str(self._values[name] or "")

    def has(self, name: str) -> bool:
        """Whether there is anything."""
        return self._values[name] is not None


def shown(node: Row) -> list[int]:
    """The messages that a node shows: none, one, or all that share it."""
    if node.has("message_id"):
        return [node.num("message_id")]
    return [one.message for one in parts_of(node.txt("parts"))] if is_joined(node.txt("parts")) else []


class Logged:
    """One event with its payload read."""

    __slots__ = ("facts", "kind", "seq", "session", "turn")

    def __init__(self, row: Row) -> None:
        self.kind = row.txt("kind")
        self.session = row.num("session_id")
        self.seq = row.num("seq")
        self.turn = row.key("turn_id")
        self.facts = cast("dict[str, int | str | None]", json.loads(row.txt("payload")))

    def num(self, name: str) -> int:
        """A number of the payload, 0 when it has none."""
        value = self.facts.get(name)
        return value if isinstance(value, int) else 0


class Record:
    """A store, read whole on one snapshot."""

    def __init__(self, folder: Path) -> None:
        with closing(open_reader(folder)) as connection:
            connection.execute("BEGIN")
            found = {name: _rows(connection, sql) for name, sql in _statements()}
        self.messages = found["message"]
        self.deliveries = found["delivery"]
        self.branches = found["branch"]
        self.turns = found["turn"]
        self.nodes = {row.num("id"): row for row in found["node"]}
        self.calls = found["call"]
        self.tasks = found["task"]
        self.chains = found["chain"]
        self.waits = found["wait"]
        self.buses = found["bus"]
        self.events = [Logged(row) for row in found["event"]]
        self.deleted = {
            event.num("session")
            for kind in (EventKind.SESSION_DELETED, EventKind.SESSION_PRUNED)
            for event in self.of_kind(kind)
        }
        """Sessions that the person has deleted or pruned: their texts are gone."""
        self.broken_pages = [row.txt("integrity_check") for row in found["broken_pages"]]

    def path(self, branch: Row) -> list[Row]:
        """The nodes of a branch, oldest first."""
        path: list[Row] = []
        key = branch.key("head_node_id")
        while key is not None:
            path.append(self.nodes[key])
            key = self.nodes[key].key("predecessor_id")
        return path[::-1]

    @property
    def pruned(self) -> set[int]:
        """Messages whose every recipient was deleted or pruned."""
        gone = {b.num("id") for b in self.branches if b.num("session_id") in self.deleted}
        kept = {d.num("message_id") for d in self.deliveries if d.num("recipient_branch_id") not in gone}
        return {m.num("id") for m in self.messages} - kept

    def of_kind(self, kind: str) -> Iterator[Logged]:
        """The events of one kind."""
        return (event for event in self.events if event.kind == kind)


def _statements() -> list[tuple[str, str]]:
    text = files("postroom.testing.crash").joinpath("audit.sql").read_text("utf-8")
    parts = _HEAD.split(text)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def _rows(connection: sqlite3.Connection, sql: str) -> list[Row]:
    cursor = connection.execute(sql)
    names = [str(column[0]) for column in cursor.description]
    return [Row(dict(zip(names, values, strict=True))) for values in cursor.fetchall()]
