"""Logs of one session that a fold is tried on, event by event."""

import json

from postroom.domain.event import Event, EventKind
from postroom.domain.keys import SessionKey
from postroom.rules.fold import Folded, fold


class Log:
    """Writes events of one session in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, event: str, /, **payload: int | str | list[int] | None) -> "Log":
        """One more event."""
        n = len(self.events) + 1
        self.events.append(Event(n, SessionKey(1), n, 0, event, "system", None, json.dumps(payload)))
        return self

    def fold(self) -> Folded:
        """What it gives."""
        return fold(self.events)


def session() -> Log:
    """A session with branch 1 and a chain."""
    made = Log().add(EventKind.SESSION_CREATED, session=1, branch=1, parent_branch=None, profile="p")
    return made.add(EventKind.CHAIN_BEGAN, chain=1, turns_max=9)


def mail(log: Log, n: int = 1, *, kind: str = "mail", mode: str = "steer", sender: int | None = 7) -> Log:
    """Message n is accepted as delivery n."""
    return log.add(
        EventKind.MESSAGE_ACCEPTED,
        message=n,
        delivery=n,
        branch=1,
        sender=sender,
        kind=kind,
        mode=mode,
        seq=n,
    )


def running(log: Log) -> Log:
    """Turn 1 of branch 1 runs."""
    log.add(EventKind.TURN_WAITING, turn=1, branch=1, chain=1, task=None, trigger="mail")
    return log.add(
        EventKind.TURN_STARTED, turn=1, branch=1, fence=1, chain=1, task=None, messages=2, generations=1
    )


def claimed(log: Log, n: int = 1, node: int | None = 5) -> Log:
    """Delivery n is claimed by turn 1."""
    return log.add(EventKind.MESSAGE_CLAIMED, delivery=n, turn=1, node=node)


def answered(log: Log, round_: int = 1, calls: list[int] | None = None) -> Log:
    """An answer of turn 1 with these calls."""
    return log.add(
        EventKind.ANSWER_COMMITTED, turn=1, round=round_, node=6, calls=calls or [], chain=1, input_tokens=3,
        output_tokens=4,
    )  # fmt: skip


def ended(log: Log, state: str = "finished") -> Log:
    """Turn 1 ends."""
    return log.add(EventKind.TURN_ENDED, turn=1, branch=1, state=state, fence=2, end_reason="answered")
