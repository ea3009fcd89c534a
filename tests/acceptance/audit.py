"""Who did what to whom, rebuilt from nothing but the events of a store (O-13)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from postroom.domain.event import Event, EventKind
from postroom.store.tx import Tx

ALL = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """Something that somebody did, and how it came out. Agents are profiles, the rest are keys of the log."""

    actor: str
    what: str
    target: str
    code: str
    turn: int | None = None
    call: int | None = None
    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A message from the call that sent it to the answer of the turn that it started."""

    message: int
    sent_in: int | None
    read_in: int
    round: int
    started: bool
    replies: tuple[int, ...]
    """The messages that the turn sent which read it."""


@dataclass(slots=True)
class Audit:
    """What the log gives."""

    deeds: list[Deed] = field(default_factory=list[Deed])
    ways: dict[int, Way] = field(default_factory=dict[int, Way])
    branches: dict[int, str] = field(default_factory=dict[int, str])
    delivered: dict[int, int] = field(default_factory=dict[int, int])
    """Message -> the branch that accepted it."""
    mailboxes: dict[int, int] = field(default_factory=dict[int, int])
    """Delivery -> the branch that accepted it."""
    calls: dict[int, int] = field(default_factory=dict[int, int])
    """Call -> the turn that made it."""
    asks: dict[int, "_Facts"] = field(default_factory=dict[int, "_Facts"])
    ended: dict[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    """Task -> (outcome, cause)."""

    def name(self, actor: str) -> str:
        """The profile of an agent, or `person` or `system`."""
        return self.branches[int(actor.removeprefix("branch:"))] if actor.startswith("branch:") else actor


_Facts = dict[str, int | str | None]


def audit(tx: Tx) -> Audit:
    """Read the whole log once."""
    events = tx.events_after(0, ALL)
    found = Audit()
    for event in events:
        _hear(found, event, _facts(event))
    found.ways = {way.message: way for way in _ways(events)}
    return found


def _facts(event: Event) -> _Facts:
    return cast("_Facts", json.loads(event.payload))


def _number(facts: _Facts, name: str) -> int:
    value = facts[name]
    assert isinstance(value, int)
    return value


def _hear(audit: Audit, event: Event, facts: _Facts) -> None:
    match event.kind:
        case EventKind.SESSION_CREATED:
            audit.branches[_number(facts, "branch")] = str(facts["profile"])
        case EventKind.ANSWER_COMMITTED:
            calls = cast("list[int]", facts["calls"])
            audit.calls |= dict.fromkeys(calls, _number(facts, "turn"))
        case EventKind.MESSAGE_ACCEPTED:
            audit.delivered[_number(facts, "message")] = _number(facts, "branch")
            audit.mailboxes[_number(facts, "delivery")] = _number(facts, "branch")
        case EventKind.TASK_ENDED:
            audit.ended[_number(facts, "task")] = (str(facts["outcome"]), str(facts["cause"]))
        case EventKind.ASK_OPENED:
            audit.asks[_number(facts, "ask")] = facts
        case _:
            _judge(audit, event, facts)


def _judge(audit: Audit, event: Event, facts: _Facts) -> None:  # noqa: PLR0915 -- one kind of deed after the other
    """What somebody did."""
    actor, target, code, what, cause = audit.name(event.actor), "", "", event.kind, ""
    call = facts.get("call")
    match event.kind:
        case EventKind.MESSAGE_SENT if facts["kind"] == "mail":
            target, code = audit.branches[_number(facts, "to")], "accepted"
        case EventKind.MESSAGE_REFUSED:
            code = str(facts["code"])
        case EventKind.ASK_ENDED:
            ask = audit.asks[_number(facts, "ask")]
            call, target = ask["call"], audit.branches[_number(ask, "branch")]
            code = str(facts["state"])
        case EventKind.BRANCH_CANCELLED:
            target = audit.branches[_number(facts, "branch")]
            code, cause = audit.ended[_number(facts, "task")]
        case EventKind.BRANCH_ARCHIVED | EventKind.MESSAGE_DISCARDED:
            target, code, cause = _went(audit, event, facts)
        case EventKind.BRANCH_PAUSED:
            target, code = audit.branches[_number(facts, "branch")], "paused"
            cause = audit.branches[_number(facts, "by")]
        case _:
            pass
    if not code:
        return
    key = call if isinstance(call, int) else None
    turn = event.turn or (audit.calls.get(key) if key else None)
    audit.deeds.append(
        Deed(actor=actor, what=what, target=target, code=code, turn=turn, call=key, cause=cause)
    )


def _went(audit: Audit, event: Event, facts: _Facts) -> tuple[str, str, str]:
    """(target, code, cause) of an agent that was archived, or of mail that went with one; else nothing."""
    if event.kind == EventKind.BRANCH_ARCHIVED:
        return audit.branches[_number(facts, "branch")], "archived", str(facts["cause"])
    if facts["reason"] != "archived":
        return "", "", ""
    return audit.branches[audit.mailboxes[_number(facts, "delivery")]], "archived", ""


def _ways(events: Sequence[Event]) -> list[Way]:
    told = [(event, _facts(event)) for event in events]
    deliveries = {f["delivery"]: f["message"] for e, f in told if e.kind == EventKind.MESSAGE_ACCEPTED}
    sent = {f["message"]: e.turn for e, f in told if e.kind == EventKind.MESSAGE_SENT}
    first: dict[int, int] = {}
    for event, facts in told:
        if event.kind == EventKind.MESSAGE_CLAIMED:
            first.setdefault(_number(facts, "turn"), _number(facts, "delivery"))
    return [
        Way(
            message=cast("int", deliveries[facts["delivery"]]),
            sent_in=sent.get(deliveries[facts["delivery"]]),
            read_in=_number(facts, "turn"),
            round=_number(facts, "round"),
            started=first[_number(facts, "turn")] == facts["delivery"],
            replies=tuple(
                _number(f, "message")
                for e, f in told
                if e.kind == EventKind.MESSAGE_SENT and e.turn == facts["turn"]
            ),
        )
        for event, facts in told
        if event.kind == EventKind.MESSAGE_CONSUMED
    ]
