"""One event of the log as a person or program sees it, with names in place of keys."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from postroom.domain.event import Event, EventKind, branch_in, visibility_of
from postroom.store.tx import Tx
from postroom.store.tx_views import LabelRow

EVENTS_AT_ONCE: Final = 500
"""Events that are looked through at once for those of one agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """One event as a person or program sees it. `agent` and `to` are labels, `body` is never there.

    `to` of a message on a bus is what it was written to.
    """

    pos: int
    session_id: str
    agent: str
    """Whom of its session it is about."""
    seq: int
    ts_us: int
    kind: str
    actor: str
    visibility: str
    """`agent`, or `operator`: for the person alone."""
    branch_id: str = ""
    to: str = ""
    message_id: str = ""
    ask_id: str = ""
    facts: dict[str, str | int | None] = field(default_factory=dict[str, str | int | None])
    """Keys, codes and numbers. Where an event holds a list, such as rules, it stands here as JSON."""


_ON_A_BUS: Final = frozenset((EventKind.BUS_POSTED, EventKind.MESSAGE_UNDELIVERED))
_STORE: Final = LabelRow("store", "", 0, "")
"""The store's own log is of no agent."""


class Names:
    """Labels of agents and whose turns are whose: each is read once, and anew when an agent is renamed."""

    def __init__(self) -> None:
        self._branches: dict[int, LabelRow] = {}
        self._sessions: dict[int, LabelRow] = {}
        self._turns: dict[int, int | None] = {}

    def label(self, tx: Tx, key: int) -> LabelRow:
        """A branch as people see it."""
        if key not in self._branches:
            self._branches[key] = tx.branch_label(key) or LabelRow(f"branch {key}", "", 0, "")
        return self._branches[key]

    def branch(self, tx: Tx, key: int) -> str:
        """A branch's handle or name, or its profile when it has neither."""
        return self.label(tx, key).label

    def session(self, tx: Tx, key: int) -> LabelRow:
        """A session as people see it."""
        if key not in self._sessions:
            self._sessions[key] = tx.session_label(key) or _STORE
        return self._sessions[key]

    def turn(self, tx: Tx, key: int) -> int | None:
        """Whose turn it is."""
        if key not in self._turns:
            self._turns[key] = tx.branch_of_turn(key)
        return self._turns[key]

    def forget(self, branch: int, session: int) -> None:
        """It is called something else now."""
        self._branches.pop(branch, None)
        self._sessions.pop(session, None)


def read_events(tx: Tx, names: Names, pos: int, limit: int) -> list[EventView]:
    """The events behind a position, as views."""
    return [view_of(tx, names, row) for row in tx.events_after(pos, limit)]


def read_session_events(tx: Tx, names: Names, session: int, seq: int, limit: int) -> list[EventView]:
    """One session's events behind a number, as views."""
    return [view_of(tx, names, row) for row in tx.events_of_session(session, seq, limit)]


def read_branch_events(
    tx: Tx, names: Names, session: int, branch_id: str, seq: int, limit: int
) -> list[EventView]:
    """The events of a session behind a number that are about one of its agents, as views."""
    found = list[EventView]()
    while len(found) < limit and (rows := tx.events_of_session(session, seq, EVENTS_AT_ONCE)):
        seq = rows[-1].seq
        found += [view for row in rows if (view := view_of(tx, names, row)).branch_id == branch_id]
    return found[:limit]


def view_of(tx: Tx, names: Names, row: Event) -> EventView:
    """One event with names in place of keys."""
    facts = _facts(row.payload)
    if row.kind == EventKind.BRANCH_NAMED and isinstance(branch := facts.get("branch"), int):
        names.forget(branch, row.session)
    about = _about(tx, names, row, facts)
    target = facts.get("to") or facts.get("branch") or facts.get("target")
    agent_key = branch_in(row.actor)
    actor = row.actor if agent_key is None else names.branch(tx, agent_key)
    return EventView(
        pos=row.pos, session_id=names.session(tx, row.session).session_id, agent=about.label, seq=row.seq,
        ts_us=row.ts_us, kind=row.kind, visibility=visibility_of(row.kind), actor=actor,
        branch_id=about.branch_id,
        to=names.branch(tx, target) if isinstance(target, int) and target else _selector(tx, row, facts),
        message_id=_message_id(tx, facts), ask_id=_ask_id(tx, facts), facts=facts,
    )  # fmt: skip


def _facts(payload: str) -> dict[str, str | int | None]:
    said = cast("dict[str, str | int | list[object] | None]", json.loads(payload))
    return {name: json.dumps(fact) if isinstance(fact, list) else fact for name, fact in said.items()}


def _selector(tx: Tx, row: Event, facts: Mapping[str, str | int | None]) -> str:
    """What a message on a bus was written to, where the event names no reader."""
    message = facts.get("message")
    post = tx.post_row(message) if row.kind in _ON_A_BUS and isinstance(message, int) else None
    return post.selector if post else ""


def _about(tx: Tx, names: Names, row: Event, facts: Mapping[str, str | int | None]) -> LabelRow:
    """The agent of this session that an event is about; where nothing says so, the one that it is of."""
    delivery = facts.get("delivery")
    keys = (
        facts.get("branch"),
        None if row.turn is None else names.turn(tx, row.turn),
        tx.branch_of_delivery(delivery) if isinstance(delivery, int) and row.turn is None else None,
    )
    labels = (names.label(tx, key) for key in keys if isinstance(key, int))
    return next((label for label in labels if label.session == row.session), names.session(tx, row.session))


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
