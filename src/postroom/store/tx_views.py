"""Looks at the store that no use case needs: for people, exports and tests. They write nothing."""

from typing import NamedTuple

from postroom.store.tx_base import BaseTx


class AgentRow(NamedTuple):
    """One agent of a tree with what it does and what waits for it."""

    session_id: str
    handle: str | None
    profile: str
    title: str
    turn_state: str
    last_turn_state: str
    paused_by: int | None
    n_steer: int
    n_queue: int
    n_notice: int
    n_parked: int
    branch: int
    session: int
    depth: int
    branch_id: str
    name: str
    name_source: str
    parent_branch: int | None
    is_active: int
    archived_us: int | None


class LabelRow(NamedTuple):
    """How an agent is shown to the person, and where it is."""

    label: str
    session_id: str
    session: int
    branch_id: str


class StandingRow(NamedTuple):
    """How a message stands with its recipient, and how the turn that read it ended."""

    state: str
    parked: int
    attempts: int
    round: int | None
    reason: str
    branch: int
    paused_by: int | None
    turn_state: str
    end_reason: str
    turn_id: str
    turn: int


class MessageRow(NamedTuple):
    """One message with its sender, its state and where it was read."""

    public_id: str
    kind: str
    mode: str
    body: str
    sender_branch: int | None
    sender_address: str
    created_us: int
    recipient_branch: int | None
    state: str | None
    parked: int | None
    attempts: int | None
    round: int | None
    reason: str | None
    turn_id: str
    reverted: int | None


class NoticeRow(NamedTuple):
    """Something the person should read."""

    key: int
    session: int
    code: str
    body: str
    created_us: int


class FullCallRow(NamedTuple):
    """One call with its arguments and its result."""

    position: int
    tool: str
    arguments: str
    state: str
    ended_by: str
    result: str | None
    is_error: int
    message_id: str
    images: str | None
    changed_arguments: str | None
    changed_by: str | None


class ViewTx(BaseTx):
    """Reading statements."""

    __slots__ = ()

    def agents_of_tree(self, root: int) -> list[AgentRow]:
        """Every agent of one tree, oldest first."""
        return self._each("agents_of_tree", AgentRow._make, root)

    def newest_roots(self, limit: int) -> list[int]:
        """The person's newest conversations."""
        return self._values("newest_roots", int, limit)

    def moves_of_tree(self, root: int) -> int:
        """How much of a tree goes on or ends without a word of the person."""
        return self._number("moves_of_tree", root)

    def open_turns_of_tree(self, root: int) -> int:
        """How many turns of a tree have not ended."""
        return self._number("open_turns_of_tree", root)

    def delivery_of_message(self, message: int) -> StandingRow | None:
        """How a message stands."""
        return self._find("delivery_of_message", StandingRow._make, message)

    def answer_of_turn(self, turn: int) -> str | None:
        """The parts of the newest answer of a turn."""
        return self._value("answer_of_turn", str, turn)

    def ended_turn_of_branch(self, branch: int) -> tuple[int, str, str] | None:
        """(turn, state, reason) of the newest turn that has ended."""
        row = self._one("ended_turn_of_branch", branch)
        return None if row is None else (int(str(row[0])), str(row[1]), str(row[2]))

    def branch_label(self, branch: int) -> LabelRow | None:
        """A branch as people see it."""
        return self._find("branch_label", LabelRow._make, branch)

    def session_label(self, session: int) -> LabelRow | None:
        """A session as people see it: the agent that it is of."""
        return self._find("session_label", LabelRow._make, session)

    def branch_of_turn(self, turn: int) -> int | None:
        """Whose turn it is."""
        return self._value("branch_of_turn", int, turn)

    def branch_of_delivery(self, delivery: int) -> int | None:
        """Whom a message went to."""
        return self._value("branch_of_delivery", int, delivery)

    def message_view(self, message: int, to: int | None = None) -> MessageRow | None:
        """One message, at one of its recipients or at its first."""
        row = self._one("message_view", message) if to is None else self._one("message_view_at", message, to)
        return None if row is None else MessageRow._make(row)

    def message_id_of_delivery(self, delivery: int) -> str:
        """The public id of the message that a delivery is of, empty when there is none."""
        return self._text("message_id_of_delivery", delivery)

    def message_id(self, message: int) -> str:
        """The public id of a message, empty when there is none."""
        return self._text("message_id", message)

    def messages_of_branch(self, branch: int, limit: int) -> list[int]:
        """The newest messages that an agent was sent."""
        return self._values("messages_of_branch", int, branch, limit)

    def person_notices_after(self, key: int, limit: int) -> list[NoticeRow]:
        """What the person should read."""
        return self._each("person_notices_after", NoticeRow._make, key, limit)

    def answer_of_round(self, turn: int, round_: int) -> str | None:
        """The parts of the answer of one round."""
        return self._value("answer_of_round", str, turn, round_)

    def calls_in_full(self, turn: int, round_: int) -> list[FullCallRow]:
        """The calls of one round in call order."""
        return self._each("calls_in_full", FullCallRow._make, turn, round_)
