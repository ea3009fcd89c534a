"""What events of the log count for: one pass over a page of them, in a reading thread."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from postroom.domain.ask import AskKind
from postroom.domain.event import Event, EventKind
from postroom.store.tx import Tx

PAGE: Final = 500
"""Events of one page."""
Facts: TypeAlias = Mapping[str, str | int | None]
Labels: TypeAlias = tuple[str, ...]
MICROS: Final = 1_000_000
TOKENS: Final = ("input", "output", "cache_read", "cache_write")


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was counted of a page: the name of a metric and its labels -> how much."""

    counts: Counter[tuple[str, Labels]] = field(default_factory=Counter[tuple[str, Labels]])
    cost_micros: int = 0
    waits_s: list[float] = field(default_factory=list[float])
    """Seconds from the acceptance of each message to the answer that has read it."""

    def add(self, name: str, *labels: str, by: int = 1) -> None:
        """Count something."""
        self.counts[name, labels] += by


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How much there is of all that comes and goes; by the name of its metric and its one label."""

    gauges: Mapping[tuple[str, str], int]
    """A label is empty where the metric has none."""
    oldest_us: int
    """When the oldest unread message was accepted; 0 where there is none."""


def standing(tx: Tx) -> Standing:
    """What is there now, from indexes that hold nothing else."""
    now, asks = tx.standing_now(), tx.open_asks_by_kind()
    agents = {("agents", s): getattr(now, s) for s in ("running", "waiting", "suspended", "paused")}
    mail = {("messages_waiting", s): getattr(now, s) for s in ("unread", "held", "parked")}
    asked = {("open_asks", str(kind)): asks.get(kind, 0) for kind in AskKind}
    others = {("unseen_notices", ""): now.unseen, ("log_position", ""): tx.last_pos()}
    return Standing(gauges={**agents, **mail, **asked, **others}, oldest_us=now.oldest_us)


def tally(tx: Tx, pos: int) -> tuple[Tally, int, bool]:
    """A page of the log behind a position, the position of its last event, and whether it was the last."""
    found, rows = Tally(), tx.events_after(pos, PAGE)
    for row in rows:
        count = _COUNTED.get(row.kind)
        if count is not None:
            count(tx, found, row, cast("Facts", json.loads(row.payload)))
    return found, rows[-1].pos if rows else pos, len(rows) < PAGE


def _accepted(_tx: Tx, found: Tally, _row: Event, facts: Facts) -> None:
    found.add("messages_accepted", _word(facts, "kind"), _word(facts, "mode"))


def _consumed(tx: Tx, found: Tally, row: Event, facts: Facts) -> None:
    waited = tx.waited_of_delivery(_number(facts, "delivery"))
    if waited is not None:
        found.add("messages_consumed", waited.kind)
        found.waits_s.append(max(row.ts_us - waited.accepted_us, 0) / MICROS)


def _dropped(tx: Tx, found: Tally, row: Event, facts: Facts) -> None:
    waited = tx.waited_of_delivery(_number(facts, "delivery"))
    is_late = row.kind == EventKind.MESSAGE_UNDELIVERED
    if waited is not None:
        found.add("messages_discarded", waited.kind, "undelivered" if is_late else _word(facts, "reason"))


def _refused(_tx: Tx, found: Tally, _row: Event, facts: Facts) -> None:
    found.add("refusals", _word(facts, "code"))


def _ended(_tx: Tx, found: Tally, _row: Event, facts: Facts) -> None:
    found.add("turns_ended", _word(facts, "state"))


def _answered(_tx: Tx, found: Tally, _row: Event, facts: Facts) -> None:
    found.add("answers")
    _spent(found, facts)


def _side_called(_tx: Tx, found: Tally, _row: Event, facts: Facts) -> None:
    found.add("side_calls", _word(facts, "purpose"), _word(facts, "outcome"))
    _spent(found, facts)


def _asked(_tx: Tx, found: Tally, _row: Event, facts: Facts) -> None:
    found.add("asks_opened", _word(facts, "kind"))


def _decided(_tx: Tx, found: Tally, _row: Event, facts: Facts) -> None:
    found.add("asks_ended", _word(facts, "state"))


def _spent(found: Tally, facts: Facts) -> None:
    for name in TOKENS:
        if n := _number(facts, f"{name}_tokens"):
            found.add("tokens", name, by=n)
    found.cost_micros += _number(facts, "cost_micros")


def _word(facts: Facts, name: str) -> str:
    return str(facts.get(name) or "")


def _number(facts: Facts, name: str) -> int:
    value = facts.get(name)
    return value if isinstance(value, int) else 0


_COUNTED: Final[Mapping[str, Callable[[Tx, Tally, Event, Facts], None]]] = {
    EventKind.MESSAGE_ACCEPTED: _accepted,
    EventKind.MESSAGE_CONSUMED: _consumed,
    EventKind.MESSAGE_DISCARDED: _dropped,
    EventKind.MESSAGE_UNDELIVERED: _dropped,
    EventKind.MESSAGE_REFUSED: _refused,
    EventKind.DELEGATION_REFUSED: _refused,
    EventKind.TURN_ENDED: _ended,
    EventKind.ANSWER_COMMITTED: _answered,
    EventKind.SIDE_CALL_MADE: _side_called,
    EventKind.ASK_OPENED: _asked,
    EventKind.ASK_ENDED: _decided,
}
