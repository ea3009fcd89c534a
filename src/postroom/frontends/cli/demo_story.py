"""What the demo shows, kept as plain facts: who runs, who wrote to whom, how each message stands."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from postroom.domain.event import EventKind
from postroom.frontends.cli.texts import clock
from postroom.observe.event_view import EventView
from postroom.observe.views import MessageView
from postroom.rules.text import brief

_STATES = {
    EventKind.SESSION_CREATED: "idle",
    EventKind.TURN_WAITING: "waiting for a slot",
    EventKind.TURN_STARTED: "running",
    EventKind.TURN_SUSPENDED: "waiting for a task",
    EventKind.TURN_RESUMED: "running",
}
_MAIL = {
    EventKind.MESSAGE_ACCEPTED: "accepted",
    EventKind.MESSAGE_CLAIMED: "claimed",
    EventKind.MESSAGE_RELEASED: "released",
    EventKind.MESSAGE_CONSUMED: "consumed",
    EventKind.MESSAGE_DISCARDED: "discarded",
}
EXCERPT_CHARS = 60


@dataclass(slots=True)
class Letter:
    """One message on its way."""

    number: int
    sender: str
    recipient: str
    kind: str
    excerpt: str
    states: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Story:
    """Everything so far. Changed by `tell` only."""

    agents: dict[str, str] = field(default_factory=dict[str, str])
    """Agent -> what it does."""
    letters: dict[str, Letter] = field(default_factory=dict[str, Letter])
    """Message id -> the message."""

    def tell(self, event: EventView, message: MessageView | None) -> Iterator[str]:
        """Take in one event; the lines that say what has changed."""
        at = clock(event.ts_us)
        state = _STATES.get(EventKind(event.kind))
        if event.kind == EventKind.TURN_ENDED:
            state = str(event.facts.get("state"))
        if state is not None and self.agents.get(event.agent) != state:
            self.agents[event.agent] = state
            yield f"{at}  {event.agent}: {state}"
        if event.kind in _MAIL and message is not None:
            yield f"{at}  {self._mail(event, message)}"

    def _mail(self, event: EventView, message: MessageView) -> str:
        state, new = _MAIL[EventKind(event.kind)], event.message_id not in self.letters
        letter = self.letters.setdefault(event.message_id, self._letter(message))
        letter.states.append(state)
        line = f"#{letter.number} {letter.sender} → {letter.recipient}, {letter.kind}: {state}"
        return f"{line}  “{letter.excerpt}”" if new else line

    def _letter(self, message: MessageView) -> Letter:
        return Letter(
            number=len(self.letters) + 1, sender=message.sender, recipient=message.recipient,
            kind=message.kind, excerpt=brief(message.body, EXCERPT_CHARS),
        )  # fmt: skip
