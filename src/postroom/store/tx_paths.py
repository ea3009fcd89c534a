"""Paths: reading them step by step, and the two moves that cut one, with their events."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, DeliveryKey, MessageKey, NodeKey
from postroom.domain.node import Node
from postroom.domain.path import Sealed, Step
from postroom.domain.session import Branch
from postroom.store.tx_log import LogTx


class PlacedMail(NamedTuple):
    """A delivery that stands in a conversation."""

    delivery: DeliveryKey
    state: str
    message_id: str


class GivenTask(NamedTuple):
    """An open task, and the round that gave it."""

    task: MessageKey
    turn: int
    round: int
    description: str
    agent: str
    session_id: str
    state: str


class MadeAgent(NamedTuple):
    """An agent, and the round that made it."""

    turn: int
    round: int
    agent: str
    session_id: str


class BegunWork(NamedTuple):
    """Work in progress, and the round that began it."""

    turn: int
    round: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A head about to move back: where to, how long the context is there, and the mail read behind it."""

    head: NodeKey | None
    chars: int
    read: tuple[DeliveryKey, ...]


class PathTx(LogTx):
    """Paths in the store."""

    __slots__ = ()

    def steps_to_head(self, head: int | None) -> list[Step]:
        """The nodes of a path, oldest first, without their texts."""
        rows = [] if head is None else self._all("steps_to_head", head)
        return [Step._make(row) for row in reversed(rows)]

    def nodes_behind(self, head: int | None, node: int | None) -> list[Node]:
        """The part of a path behind a node, oldest first; all of it when there is no node."""
        if head is None or head == node:
            return []
        return [Node._make(row) for row in reversed(self._all("nodes_behind", head, node or 0))]

    def branch_public_id(self, branch: int) -> str:
        """The public id of a branch."""
        return self._text("branch_public_id", branch)

    def sealed_branches(self, session: int) -> list[Sealed]:
        """The paths that reverts in a session have left, oldest first."""
        return self._each("sealed_branches", Sealed._make, session)

    def cut_path(self, row: Branch, cut: Cut) -> tuple[BranchKey, str]:
        """Move a head back; what it leaves becomes a sealed branch, whose key and public id this returns."""
        sealed_id = self.new_id()
        sealed = self._insert(
            "insert_sealed_branch", sealed_id, row.session, row.profile, row.head, row.context_chars,
            self.now_us, row.key, self.now_us,
        )  # fmt: skip
        self._do("set_head", cut.head, cut.chars, row.key)
        for delivery in cut.read:
            self._do("set_reverted", delivery)
        event = {
            "branch": row.key, "head": cut.head, "chars": cut.chars, "sealed": sealed, "read": list(cut.read),
        }  # fmt: skip
        self.event(row.session, EventKind.BRANCH_REVERTED, json.dumps(event), actor="person")
        return BranchKey(sealed), sealed_id

    def begin_fork(
        self, session: int, branch: int, source: int, head: int | None, chars: int, *, actor: str = "person"
    ) -> None:
        """A new session begins where another one stood; `source` is the branch whose path it was.

        Its mailbox numbers go on from those that its conversation shows: no two mean different messages.
        """
        numbers = self.numbers_shown(source)
        self._do("set_head", head, chars, branch)
        self._do("set_fork", head, session)
        self._do("begin_numbers", numbers, branch)
        event = {
            "session": session, "branch": branch, "source": source, "head": head, "chars": chars,
            "seq": numbers,
        }  # fmt: skip
        self.event(session, EventKind.SESSION_FORKED, json.dumps(event), actor=actor)

    def numbers_shown(self, branch: int) -> int:
        """The highest number of mail that may stand in the conversation of an agent, or of a path it left."""
        return self._number("numbers_shown", branch)

    def forked_from(self, session: int) -> str | None:
        """The public id of the session whose node a fork begins at."""
        return self._value("forked_from", str, session)

    def mail_at_nodes(self, branch: int, nodes: Iterable[int]) -> list[PlacedMail]:
        """The mail of an agent that stands at some nodes."""
        return self._each("mail_at_nodes", PlacedMail._make, branch, json.dumps(list(nodes)))

    def open_tasks_of_turns(self, branch: int, turns: Sequence[int]) -> list[GivenTask]:
        """The open tasks that an agent has given in some turns."""
        return self._each("open_tasks_of_turns", GivenTask._make, json.dumps(list(turns)), branch)

    def agents_made_by(self, branch: int) -> list[MadeAgent]:
        """The agents that one has made, in their order."""
        return self._each("agents_made_by", MadeAgent._make, branch)

    def open_work_of_branch(self, branch: int) -> list[BegunWork]:
        """What is being worked on for an agent."""
        return self._each("open_work_of_branch", BegunWork._make, branch)
