"""Looks at why something happened: the log by turn and by delivery, and rows that never change."""

from typing import NamedTuple

from postroom.domain.event import Event
from postroom.store.tx_base import BaseTx, Row


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
        return [Event._make(r) for r in self._all("events_of_turn", turn)]

    def events_of_delivery(self, delivery: int) -> list[Event]:
        """The life of one delivery."""
        return [Event._make(r) for r in self._all("events_of_delivery", delivery)]

    def rare_events_of_session(self, session: int) -> list[Event]:
        """The reverts, reminders and grants of one session."""
        return [Event._make(r) for r in self._all("rare_events_of_session", session)]

    def written(self, message: int) -> Written | None:
        """What a sender wrote."""
        row = self._one("written", message)
        return None if row is None else Written._make(row)

    def addressed(self, message: int) -> list[Addressed]:
        """To whom a message went."""
        return [Addressed._make(r) for r in self._all("addressed", message)]

    def message_of_delivery(self, delivery: int) -> int | None:
        """The message that a delivery is of."""
        return _maybe(self._one("message_of_delivery", delivery))

    def answers_to(self, message: int) -> list[int]:
        """The messages that were written because of a message."""
        return [int(str(r[0])) for r in self._all("answers_to", message)]

    def turn_origin(self, turn: int) -> Origin | None:
        """What is fixed when a turn is opened."""
        row = self._one("turn_origin", turn)
        return None if row is None else Origin._make(row)

    def first_step_of_turn(self, turn: int) -> Event | None:
        """What came first in a turn: a claim when it read something, else its first answer."""
        row = self._one("first_step_of_turn", turn)
        return None if row is None else Event._make(row)

    def turn_before(self, branch: int, turn: int) -> str:
        """The public id of the turn that an agent had before this one; empty when it is the first."""
        row = self._one("turn_before", branch, turn)
        return "" if row is None else str(row[0])

    def turn_after(self, branch: int, turn: int) -> str:
        """The public id of the turn that an agent had after this one; empty when it is the newest."""
        row = self._one("turn_after", branch, turn)
        return "" if row is None else str(row[0])

    def calls_made(self, turn: int) -> list[MadeCall]:
        """The calls of one turn, round by round."""
        return [MadeCall._make(r) for r in self._all("calls_made", turn)]

    def call_made(self, call: int) -> MadeCall | None:
        """One call."""
        return _call(self._one("call_made", call))

    def call_at(self, turn: int, round_: int, position: int) -> MadeCall | None:
        """One call by its place."""
        return _call(self._one("call_at", turn, round_, position))

    def grants_of_root(self, root: int) -> list[GivenGrant]:
        """What the person has ever allowed for one tree."""
        return [GivenGrant._make(r) for r in self._all("grants_of_root", root)]

    def call_of_work(self, message: int) -> int | None:
        """The call that began the work whose end a message tells."""
        return _maybe(self._one("call_of_work", message))

    def message_of_work(self, producer: int) -> int | None:
        """The message that tells the end of a piece of work."""
        return _maybe(self._one("message_of_work", producer))

    def goal_id(self, goal: int) -> str:
        """The public id of a goal."""
        row = self._one("goal_id", goal)
        return "" if row is None else str(row[0])


def _call(row: Row | None) -> MadeCall | None:
    return None if row is None else MadeCall._make(row)


def _maybe(row: Row | None) -> int | None:
    return None if row is None or row[0] is None else int(str(row[0]))
