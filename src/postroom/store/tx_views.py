"""Looks at the store that no use case needs: for people, exports and tests. They write nothing."""

from typing import NamedTuple

from postroom.store.tx_base import BaseTx, Row


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
        return [AgentRow._make(r) for r in self._all("agents_of_tree", root)]

    def newest_roots(self, limit: int) -> list[int]:
        """The person's newest conversations."""
        return [int(str(r[0])) for r in self._all("newest_roots", limit)]

    def moves_of_tree(self, root: int) -> int:
        """How much of a tree goes on or ends without a word of the person."""
        row = self._one("moves_of_tree", root)
        return int(str(row[0])) if row else 0

    def open_turns_of_tree(self, root: int) -> int:
        """How many turns of a tree have not ended."""
        row = self._one("open_turns_of_tree", root)
        return int(str(row[0])) if row else 0

    def delivery_of_message(self, message: int) -> StandingRow | None:
        """How a message stands."""
        row = self._one("delivery_of_message", message)
        return None if row is None else StandingRow._make(row)

    def answer_of_turn(self, turn: int) -> str | None:
        """The parts of the newest answer of a turn."""
        row = self._one("answer_of_turn", turn)
        return None if row is None else str(row[0])

    def ended_turn_of_branch(self, branch: int) -> tuple[int, str, str] | None:
        """(turn, state, reason) of the newest turn that has ended."""
        row = self._one("ended_turn_of_branch", branch)
        return None if row is None else (int(str(row[0])), str(row[1]), str(row[2]))

    def branch_label(self, branch: int) -> LabelRow | None:
        """A branch as people see it."""
        return _label(self._one("branch_label", branch))

    def session_label(self, session: int) -> LabelRow | None:
        """A session as people see it: the agent that it is of."""
        return _label(self._one("session_label", session))

    def branch_of_turn(self, turn: int) -> int | None:
        """Whose turn it is."""
        row = self._one("branch_of_turn", turn)
        return None if row is None else int(str(row[0]))

    def branch_of_delivery(self, delivery: int) -> int | None:
        """Whom a message went to."""
        row = self._one("branch_of_delivery", delivery)
        return None if row is None else int(str(row[0]))

    def message_view(self, message: int, to: int | None = None) -> MessageRow | None:
        """One message, at one of its recipients or at its first."""
        row = self._one("message_view", message) if to is None else self._one("message_view_at", message, to)
        return None if row is None else MessageRow._make(row)

    def message_id_of_delivery(self, delivery: int) -> str:
        """The public id of the message that a delivery is of, empty when there is none."""
        row = self._one("message_id_of_delivery", delivery)
        return "" if row is None else str(row[0])

    def message_id(self, message: int) -> str:
        """The public id of a message, empty when there is none."""
        row = self._one("message_id", message)
        return "" if row is None else str(row[0])

    def messages_of_branch(self, branch: int, limit: int) -> list[int]:
        """The newest messages that an agent was sent."""
        return [int(str(r[0])) for r in self._all("messages_of_branch", branch, limit)]

    def person_notices_after(self, key: int, limit: int) -> list[NoticeRow]:
        """What the person should read."""
        return [NoticeRow._make(r) for r in self._all("person_notices_after", key, limit)]

    def answer_of_round(self, turn: int, round_: int) -> str | None:
        """The parts of the answer of one round."""
        row = self._one("answer_of_round", turn, round_)
        return None if row is None else str(row[0])

    def calls_in_full(self, turn: int, round_: int) -> list[FullCallRow]:
        """The calls of one round in call order."""
        return [FullCallRow._make(row) for row in self._all("calls_in_full", turn, round_)]


def _label(row: Row | None) -> LabelRow | None:
    return None if row is None else LabelRow._make(row)
