"""Every row of a store, so that a test can say that nothing but the sender's own turn went on."""

import sqlite3
from contextlib import closing
from typing import TypeAlias

from postroom.store.connect import open_reader
from postroom.testing.world import World

Row: TypeAlias = tuple[object, ...]
Tables: TypeAlias = dict[str, list[Row]]
_OWNED_BY = {
    "event": "session_id",
    "node": "session_id",
    "turn": "session_id",
    "branch": "session_id",
    "person_notice": "session_id",
}
"""Where an agent's own turn may write while its call is refused; all else belongs to everybody."""
_ANSWERS = frozenset({"spend", "call", "chain"})
"""What the answers of the refused agent write beside that: its usage and its calls."""


def stored_beside(world: World, session: str) -> Tables:
    """All rows of the store but those that an agent writes by answering, and by being refused."""
    with closing(open_reader(world.folder)) as connection:
        (key,) = connection.execute("SELECT id FROM session WHERE public_id = ?", (session,)).fetchone()
        names = [str(name) for (name,) in connection.execute(_TABLES)]
        found = {name: _rows(connection, name, key) for name in names if name not in _ANSWERS}
        found["chain"] = list(
            connection.execute(
                "SELECT id, turns, turns_max, messages_max, generations_max, fan_out_max FROM chain"
            )
        )
        found["calls of others"] = list(connection.execute(_CALLS, (key,)))
        found["messages of calls"] = list(
            connection.execute("SELECT id, message_id FROM call WHERE message_id")
        )
        return found


_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'words%' AND name <> 'meta'"
_CALLS = 'SELECT c.* FROM call c JOIN "turn" t ON t.id = c.turn_id WHERE t.session_id <> ? ORDER BY c.id'


def _rows(connection: sqlite3.Connection, name: str, session: int) -> list[Row]:
    if name in _OWNED_BY:
        query = f'SELECT * FROM "{name}" WHERE {_OWNED_BY[name]} <> ?'  # noqa: S608 -- names of the schema
        return list(connection.execute(query, (session,)))
    return list(connection.execute(f'SELECT * FROM "{name}"'))  # noqa: S608 -- a name of the schema
