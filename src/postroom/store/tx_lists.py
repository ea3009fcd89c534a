"""What lists of agents and transcripts are made of, and the agents that a reference may name."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from postroom.domain.keys import BranchKey, NodeKey, PolicyKey, SessionKey, TurnKey
from postroom.domain.node import Node
from postroom.domain.turn import OPEN_STATES
from postroom.store.tx_base import BaseTx


class ListedBranch(NamedTuple):
    """An agent as a list shows it."""

    branch: BranchKey
    public_id: str
    name: str
    name_source: str
    profile: str
    head: NodeKey | None
    said: int
    context_chars: int
    turn: TurnKey | None
    turn_state: str | None
    last_turn_state: str
    paused_by: BranchKey | None
    archived_us: int | None
    archived_reason: str
    merged_head: NodeKey | None
    internal: int

    @property
    def is_busy(self) -> bool | None:
        """Whether it has a turn; `None` where the store does not say, because the turn's row is gone."""
        if self.turn is None:
            return False
        return True if self.turn_state in OPEN_STATES else None

    @property
    def is_merged(self) -> bool:
        """Whether what it has said so far has come back to where it was made from."""
        return self.merged_head is not None and self.merged_head == self.head


class ListedSession(NamedTuple):
    """A session as a list shows it."""

    session: SessionKey
    public_id: str
    root: SessionKey
    handle: str | None
    title: str
    origin: str
    policy: PolicyKey
    profile: str
    last_active_us: int
    active_branch: BranchKey


class LineupRow(NamedTuple):
    """An agent as those around it see it."""

    session: SessionKey
    public_id: str
    root: SessionKey
    policy: PolicyKey
    handle: str | None
    last_active_us: int
    branch: BranchKey
    branch_id: str
    is_active: int
    name: str
    profile: str
    paused_by: BranchKey | None
    turn_state: str | None
    last_turn_state: str
    work: str


class TaskResult(NamedTuple):
    """What came of a task."""

    state: str
    outcome: str
    cause: str
    result: str
    dispatcher: BranchKey
    target: BranchKey


class ToldTask(NamedTuple):
    """A task as the person sees it."""

    task_id: str
    state: str
    outcome: str
    cause: str
    description: str
    dispatcher: BranchKey
    target: BranchKey
    message_id: str
    given_us: int
    ended_us: int | None


class LetterText(NamedTuple):
    """The text of a message, with who wrote it and who was sent it."""

    body: str
    sender: BranchKey | None
    recipient: BranchKey
    node: NodeKey | None


class ListTx(BaseTx):
    """Reading statements of lists."""

    __slots__ = ()

    def branch_by_public_id(self, public_id: str) -> BranchKey | None:
        """The agent whose branch has this id."""
        return self._value("branch_by_public_id", BranchKey, public_id.lower())

    def branch_of_task(self, task_id: str) -> BranchKey | None:
        """The agent that a task was given to."""
        return self._value("branch_of_task", BranchKey, task_id)

    def live_branches(self, session: int) -> list[ListedBranch]:
        """The agents of a session that take messages and are not merged, oldest first."""
        return self._each("live_branches", ListedBranch._make, session)

    def retired_branches(self, session: int) -> list[ListedBranch]:
        """The agents of a session that are archived or merged, oldest first."""
        return self._each("retired_branches", ListedBranch._make, session)

    def all_branches(self, session: int) -> list[ListedBranch]:
        """All agents of a session, oldest first."""
        return self._each("all_branches", ListedBranch._make, session)

    def lineup_of_tree(self, root: int, us: int, session: int, branch: int, limit: int) -> list[LineupRow]:
        """The agents of a tree that take messages, behind a place in the order of activity, newest first."""
        return self._each("lineup_of_tree", LineupRow._make, root, us, session, branch, limit)

    def lineup_in_place(self, place: str, us: int, session: int, branch: int, limit: int) -> list[LineupRow]:
        """The same for the sessions of one directory."""
        return self._each("lineup_in_place", LineupRow._make, place, us, session, branch, limit)

    def listed_session(self, session: int) -> ListedSession | None:
        """One session."""
        return self._find("listed_session", ListedSession._make, session)

    def sessions_before(self, active_us: int, session: int, limit: int) -> list[ListedSession]:
        """Sessions behind a place in the order of activity, the newest first; no deleted ones."""
        return self._each("sessions_before", ListedSession._make, active_us, session, limit)

    def readable_branch(self, session: int, public_id: str) -> BranchKey | None:
        """A branch of a session by its id, also a path that a revert has left."""
        return self._value("readable_branch", BranchKey, public_id.lower(), session)

    def said_at(self, node: int) -> tuple[int, SessionKey] | None:
        """How much was said up to a node, and the session that wrote it."""
        row = self._one("said_at", node)
        return None if row is None else (int(str(row[0])), SessionKey(int(str(row[1]))))

    def said_between(self, head: int, first: int, last: int) -> list[tuple[NodeKey, int]]:
        """The nodes of a path that say something, from one number to another, each with its number."""
        rows = self._all("said_between", head, first, last)
        return [(NodeKey(int(str(node))), int(str(said))) for node, said in rows]

    def nodes_by_key(self, nodes: Sequence[int]) -> list[Node]:
        """Some items of conversations, in the order of their keys here."""
        return self._each("nodes_by_key", Node._make, json.dumps(list(nodes)))

    def result_of_task(self, task_id: str) -> TaskResult | None:
        """What came of a task, by its id."""
        return self._find("result_of_task", TaskResult._make, task_id)

    def tasks_of_session(self, session: int, limit: int) -> list[ToldTask]:
        """The tasks that the agents of a session have handed out, newest first."""
        return self._each("tasks_of_session", ToldTask._make, session, limit)

    def tasks_of_branch(self, branch: int, limit: int) -> list[ToldTask]:
        """The tasks that an agent has handed out or was given, newest first."""
        return self._each("tasks_of_branch", ToldTask._make, branch, branch, limit)

    def tasks_before(self, task: int, limit: int) -> list[ToldTask]:
        """The tasks of the store before a key, newest first."""
        return self._each("tasks_before", ToldTask._make, task, limit)

    def address_of_branch(self, branch: int) -> tuple[str, str]:
        """(label, address) of an agent, for people."""
        row = self._one("address_of_branch", branch)
        return ("", "") if row is None else (str(row[0]), str(row[1]))

    def letter_by_id(self, message_id: str) -> LetterText | None:
        """The text of a message, by its id."""
        return self._find("letter_by_id", LetterText._make, message_id)
