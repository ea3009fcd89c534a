"""One event of the log as a person or program sees it, with names in place of keys."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from postroom.domain.event import Event, branch_in
from postroom.store.tx import Tx


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
    ask_id: str = ""
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
    return [view_of(tx, names, row) for row in tx.events_after(pos, limit)]


def read_session_events(tx: Tx, names: Names, session: int, seq: int, limit: int) -> list[EventView]:
    """One session's events behind a number, as views."""
    return [view_of(tx, names, row) for row in tx.events_of_session(session, seq, limit)]


def view_of(tx: Tx, names: Names, row: Event) -> EventView:
    """One event with names in place of keys."""
    facts = cast("dict[str, str | int | None]", json.loads(row.payload))
    agent, session_id = names.session(tx, row.session)
    target = facts.get("to") or facts.get("branch") or facts.get("target")
    agent_key = branch_in(row.actor)
    actor = row.actor if agent_key is None else names.branch(tx, agent_key)
    return EventView(
        pos=row.pos, session_id=session_id, agent=agent, seq=row.seq, ts_us=row.ts_us, kind=row.kind,
        actor=actor, to=names.branch(tx, target) if isinstance(target, int) else "",
        message_id=_message_id(tx, facts), ask_id=_ask_id(tx, facts), facts=facts,
    )  # fmt: skip


def _message_id(tx: Tx, facts: Mapping[str, str | int | None]) -> str:
    """So that a message can be followed by its id through every kind of event."""
    message, delivery = facts.get("message"), facts.get("delivery")
    if isinstance(message, int):
        return tx.message_id(message)
    return tx.message_id_of_delivery(delivery) if isinstance(delivery, int) else ""


def _ask_id(tx: Tx, facts: Mapping[str, str | int | None]) -> str:
    """So that whoever reads that the person is asked can decide it."""
    ask = facts.get("ask")
    row = tx.ask_row(ask) if isinstance(ask, int) else None
    return row.public_id if row else ""
