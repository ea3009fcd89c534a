"""What every part of the view reads: events as facts, agents and ids by their keys."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from postroom.domain.event import Event, EventKind, branch_in
from postroom.domain.turn import call_id
from postroom.observe.why.parts import Who
from postroom.rules.envelope import PLUGIN
from postroom.store.tx import Tx

SHOWN_CHARS = 280
"""How much of a text a view holds."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event with its payload read."""

    pos: int
    at_us: int
    session: int
    kind: str
    actor: str
    turn: int | None
    facts: Mapping[str, object]

    def number(self, name: str) -> int | None:
        """A number of the payload, if it is there."""
        value = self.facts.get(name)
        return value if isinstance(value, int) else None

    def word(self, name: str) -> str:
        """A text of the payload, empty when it is not there."""
        value = self.facts.get(name)
        return value if isinstance(value, str) else ""


@dataclass(slots=True)
class Sight:
    """One look at a store. What was read once is not read again."""

    tx: Tx
    _turns: dict[int, tuple[Entry, ...]] = field(default_factory=dict[int, tuple[Entry, ...]])
    _deliveries: dict[int, tuple[Entry, ...]] = field(default_factory=dict[int, tuple[Entry, ...]])
    _seldom: dict[int, tuple[Entry, ...]] = field(default_factory=dict[int, tuple[Entry, ...]])

    def turn(self, key: int) -> tuple[Entry, ...]:
        """What the log tells of a turn."""
        if key not in self._turns:
            self._turns[key] = entries(self.tx.events_of_turn(key))
        return self._turns[key]

    def delivery(self, key: int) -> tuple[Entry, ...]:
        """The life of a delivery; first its acceptance, or that it was held."""
        if key not in self._deliveries:
            self._deliveries[key] = entries(self.tx.events_of_delivery(key))
        return self._deliveries[key]

    def seldom(self, session: int) -> tuple[Entry, ...]:
        """The reverts, cancels, reminders and grants in the log of a session."""
        if session not in self._seldom:
            self._seldom[session] = entries(self.tx.rare_events_of_session(session))
        return self._seldom[session]

    def agent(self, branch: int) -> Who:
        """An agent by its branch."""
        label = self.tx.branch_label(branch)
        if label is None:
            return Who(by="agent", name=f"branch {branch}")
        return Who(by="agent", name=label.label, session_id=label.session_id, branch_id=label.branch_id)

    def actor(self, actor: str, branch: int | None) -> Who:
        """Who did it, as an event says; `branch` is the agent whose words the person sends again."""
        if (agent := branch_in(actor)) is not None:
            return self.agent(agent)
        if actor.startswith(PLUGIN):
            return Who(by="plugin", name=actor.removeprefix(PLUGIN))
        known = self.agent(branch) if branch is not None else Who(by="")
        return Who(by=actor, name=known.name, session_id=known.session_id)

    def turn_id(self, key: int | None) -> str:
        """The public id of a turn, empty for none."""
        origin = self.tx.turn_origin(key) if key else None
        return origin.public_id if origin else ""

    def call_id(self, key: int | None) -> str:
        """The id of a call, empty for none."""
        call = self.tx.call_made(key) if key else None
        return call_id(call.turn, call.round, call.position) if call else ""

    def message_id(self, key: int | None) -> str:
        """The public id of a message, empty for none."""
        return self.tx.message_id(key) if key else ""


@dataclass(frozen=True, slots=True)
class Canceller:
    """Who ended a task or a turn, and by which call."""

    by: Who | None = None
    call_id: str = ""


def canceller(sight: Sight, branch: int, name: str, key: int) -> Canceller:
    """Who ended an agent's `task` or turn (`ended`), by that agent's log."""
    for entry in sight.seldom(sight.tx.branch_row(branch).session):
        if entry.kind == EventKind.BRANCH_CANCELLED and entry.number(name) == key:
            return Canceller(sight.actor(entry.actor, None), sight.call_id(entry.number("call")))
    return Canceller()


def entries(events: Sequence[Event]) -> tuple[Entry, ...]:
    """Events with their payloads read."""
    return tuple(Entry(e.pos, e.ts_us, e.session, e.kind, e.actor, e.turn, _facts(e)) for e in events)


def _facts(event: Event) -> Mapping[str, object]:
    return cast("dict[str, object]", json.loads(event.payload))


def round_of(told: Sequence[Entry], delivery: int) -> int:
    """The round whose request a delivery entered last in a turn, by what the log tells of the turn."""
    answers, found = 0, 0
    for entry in told:
        if entry.kind == EventKind.ANSWER_COMMITTED:
            answers += 1
        elif entry.kind == EventKind.MESSAGE_CLAIMED and entry.number("delivery") == delivery:
            found = answers + 1
    return found


def returning_call(told: Sequence[Entry], delivery: int) -> int | None:
    """The call of a turn whose result a delivery became."""
    for entry in told:
        if entry.kind == EventKind.CALL_ENDED and entry.number("delivery") == delivery:
            return entry.number("call")
    return None


def excerpt(text: str, chars: int = SHOWN_CHARS) -> str:
    """The beginning of a text."""
    return text if len(text) <= chars else text[: chars - 1] + "…"
