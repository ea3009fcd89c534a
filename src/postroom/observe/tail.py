"""The log of the store as a stream: from any position, first the past, then live, no gap, no double."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import cast

from postroom.domain.event import Event
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx

PAGE = 500
"""Events read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """One event as a person or program sees it. `agent` and `to` are handles, `body` is never there."""

    pos: int
    session_id: str
    agent: str
    seq: int
    ts_us: int
    kind: str
    actor: str
    to: str = ""
    message_id: str = ""
    facts: dict[str, str | int | None] = field(default_factory=dict[str, str | int | None])


class Names:
    """Labels of branches, sessions and messages; they never change, so each is read once."""

    def __init__(self) -> None:
        self._branches: dict[int, tuple[str, str]] = {}
        self._sessions: dict[int, tuple[str, str]] = {}

    def branch(self, tx: Tx, key: int) -> str:
        """A branch's handle, or its profile when it has none."""
        if key not in self._branches:
            self._branches[key] = tx.branch_label(key) or (f"branch {key}", "")
        return self._branches[key][0]

    def session(self, tx: Tx, key: int) -> tuple[str, str]:
        """(label, public id) of a session; the store's own log has neither."""
        if key not in self._sessions:
            self._sessions[key] = tx.session_label(key) or ("store", "")
        return self._sessions[key]


def read_events(tx: Tx, names: Names, pos: int, limit: int) -> list[EventView]:
    """The events behind a position, as views."""
    return [_view(tx, names, row) for row in tx.events_after(pos, limit)]


def read_session_events(tx: Tx, names: Names, session: int, seq: int, limit: int) -> list[EventView]:
    """One session's events behind a number, as views."""
    return [_view(tx, names, row) for row in tx.events_of_session(session, seq, limit)]


def _view(tx: Tx, names: Names, row: Event) -> EventView:
    facts = cast("dict[str, str | int | None]", json.loads(row.payload))
    agent, session_id = names.session(tx, row.session)
    target = facts.get("to") or facts.get("branch") or facts.get("target")
    message = facts.get("message")
    found = tx.message_view(message) if isinstance(message, int) else None
    actor = row.actor
    if actor.startswith("branch:"):
        actor = names.branch(tx, int(actor.removeprefix("branch:")))
    return EventView(
        pos=row.pos, session_id=session_id, agent=agent, seq=row.seq, ts_us=row.ts_us, kind=row.kind,
        actor=actor, to=names.branch(tx, target) if isinstance(target, int) else "",
        message_id=found.public_id if found else "", facts=facts,
    )  # fmt: skip


async def subscribe(store: SqliteStore, pos: int) -> AsyncIterator[EventView]:
    """Every event behind `pos`, for ever. The reader may stop at any event and come back with its pos."""
    names, listener = Names(), store.doorbell.listen()
    try:
        while True:
            listener.clear()
            page = await store.read(read_events, names, pos, PAGE)
            for event in page:
                pos = event.pos
                yield event
            if not page:
                await listener.wait()
    finally:
        store.doorbell.leave(listener)
