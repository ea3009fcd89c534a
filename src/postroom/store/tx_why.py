"""Looks at why something happened: the log by turn and by delivery, and rows that never change."""

from typing import NamedTuple

from postroom.domain.event import Event
from postroom.store.tx_base import BaseTx


class Written(NamedTuple):
    """A message with all that it hangs on."""

    key: int
    public_id: str
    kind: str
    mode: str
    body: str
    facts: str
    sender: int | None
    address: str
    turn: int | None
    call: int | None
    task: int | None
    answers: int | None
    chain: int
    messages: int
    generations: int
    created_us: int


class Addressed(NamedTuple):
    """To whom a message went."""

    key: int
    branch: int
    recipient_state: str


class Origin(NamedTuple):
    """What is fixed when a turn is opened."""

    key: int
    public_id: str
    branch: int
    session: int
    root: int
    trigger: str
    opened_us: int


class MadeCall(NamedTuple):
    """A call as the model made it, and what a hook made of it."""

    key: int
    turn: int
    round: int
    position: int
    tool: str
    arguments: str
    changed_arguments: str | None
    changed_by: str | None
    is_error: int


class GivenGrant(NamedTuple):
    """What the person has allowed for a tree, and from when to when."""

    key: int
    action: str
    resource: str
    recipient: int | None
    tool: str
    ask: int
    granted_us: int
    revoked_us: int | None


class WhyTx(BaseTx):
    """Reading statements."""

    __slots__ = ()

    def events_of_turn(self, turn: int) -> list[Event]:
        """Everything that the log tells of one turn."""
        return self._each("events_of_turn", Event._make, turn)

    def events_of_delivery(self, delivery: int) -> list[Event]:
        """The life of one delivery."""
        return self._each("events_of_delivery", Event._make, delivery)

    def rare_events_of_session(self, session: int) -> list[Event]:
        """The reverts, reminders and grants of one session."""
        return self._each("rare_events_of_session", Event._make, session)

    def written(self, message: int) -> Written | None:
        """What a sender wrote."""
        return self._find("written", Written._make, message)

    def addressed(self, message: int) -> list[Addressed]:
        """To whom a message went."""
        return self._each("addressed", Addressed._make, message)

    def message_of_delivery(self, delivery: int) -> int | None:
        """The message that a delivery is of."""
        return self._value("message_of_delivery", int, delivery)

    def answers_to(self, message: int) -> list[int]:
        """The messages that were written because of a message."""
        return self._values("answers_to", int, message)

    def turn_origin(self, turn: int) -> Origin | None:
        """What is fixed when a turn is opened."""
        return self._find("turn_origin", Origin._make, turn)

    def first_step_of_turn(self, turn: int) -> Event | None:
        """What came first in a turn: a claim when it read something, else its first answer."""
        return self._find("first_step_of_turn", Event._make, turn)

    def turn_before(self, branch: int, turn: int) -> str:
        """The public id of the turn that an agent had before this one; empty when it is the first."""
        return self._text("turn_before", branch, turn)

    def turn_after(self, branch: int, turn: int) -> str:
        """The public id of the turn that an agent had after this one; empty when it is the newest."""
        return self._text("turn_after", branch, turn)

    def calls_made(self, turn: int) -> list[MadeCall]:
        """The calls of one turn, round by round."""
        return self._each("calls_made", MadeCall._make, turn)

    def call_made(self, call: int) -> MadeCall | None:
        """One call."""
        return self._find("call_made", MadeCall._make, call)

    def call_at(self, turn: int, round_: int, position: int) -> MadeCall | None:
        """One call by its place."""
        return self._find("call_at", MadeCall._make, turn, round_, position)

    def grants_of_root(self, root: int) -> list[GivenGrant]:
        """What the person has ever allowed for one tree."""
        return self._each("grants_of_root", GivenGrant._make, root)

    def call_of_work(self, message: int) -> int | None:
        """The call that began the work whose end a message tells."""
        return self._value("call_of_work", int, message)

    def message_of_work(self, producer: int) -> int | None:
        """The message that tells the end of a piece of work."""
        return self._value("message_of_work", int, producer)

    def goal_id(self, goal: int) -> str:
        """The public id of a goal."""
        return self._text("goal_id", goal)
