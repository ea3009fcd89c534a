"""Retiring, merging, naming and deleting: the statements, with their events."""

import json
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, MessageKey, NodeKey, SessionKey
from postroom.domain.plain import Json
from postroom.store.tx_words import Source, WordsTx
from postroom.store.tx_work import TimerRow

NameSource: TypeAlias = Literal["label", "auto", "user"]
"""Who gave a name: the call that made the agent, a model, or the person."""


class Naming(NamedTuple):
    """How a branch is called, and whether that may change."""

    name: str
    source: str
    locked: int
    times: int
    """How often a model has named it."""
    turns: int
    """How many turns of it have ended."""
    archived_us: int | None
    head: NodeKey | None


class ForkRow(NamedTuple):
    """A session that begins at a node of another one."""

    session: SessionKey
    node: NodeKey
    is_gone: int
    """It is deleted, or pruned."""


class Written(NamedTuple):
    """A node with what it says."""

    node: NodeKey
    role: str
    turn: int
    round: int
    message: MessageKey | None
    parts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Who did something: as events name it, and the call that did it, if one did."""

    actor: str = "person"
    branch: BranchKey | None = None
    call: int | None = None
    turn: int | None = None


class ShelfTx(WordsTx):
    """What becomes of agents that are done."""

    __slots__ = ()

    def archive_branch(self, session: int, branch: int, reason: str, by: By) -> bool:
        """An agent is retired; `False` when it was before."""
        if not self._do("archive_branch", self.now_us, reason, branch):
            return False
        event = {"branch": branch, "call": by.call, "cause": reason}
        self.event(session, EventKind.BRANCH_ARCHIVED, json.dumps(event), actor=by.actor, turn=by.turn)
        return True

    def agents_to_retire(self) -> list[BranchKey]:
        """Agents whose task has ended and that were to be archived then."""
        return [BranchKey(int(str(row[0]))) for row in self._all("agents_to_retire")]

    def merge_branch(self, session: int, branch: int, head: int) -> None:
        """What a branch says up to its head has come back to where it was made from."""
        self._do("merge_branch", branch)
        self.event(session, EventKind.BRANCH_MERGED, f'{{"branch":{branch},"head":{head}}}')

    def naming_of_branch(self, branch: int) -> Naming:
        """How a branch that is known to exist is called."""
        row = self._one("naming_of_branch", branch)
        assert row is not None  # noqa: S101 -- its key came from a row
        return Naming._make(row)

    def name_branch(  # noqa: PLR0913 -- a name is written whole
        self, session: int, branch: int, name: str, source: NameSource, *, locked: bool, count: int,
        actor: str,
    ) -> None:  # fmt: skip
        """A branch gets a name. The name itself is not in the log."""
        self._do("name_branch", name, source, int(locked), count, branch)
        event = {"branch": branch, "source": source, "locked": int(locked), "count": count}
        self.event(session, EventKind.BRANCH_NAMED, json.dumps(event), actor=actor)

    def title_session(self, session: int, title: str) -> bool:
        """A session gets a title, which is not in the log; `False` when it was deleted."""
        if not self._do("title_session", title, session):
            return False
        self.event(session, EventKind.SESSION_TITLED, f'{{"session":{session}}}', actor="person")
        return True

    def timers_of_branch(self, branch: int) -> list[TimerRow]:
        """The texts that wait for their time and for one agent."""
        return [TimerRow._make(row) for row in self._all("timers_of_branch", branch)]

    def busy_branches(self, session: int) -> int:
        """How many branches of a session have a turn that runs or waits."""
        row = self._one("busy_branches", session)
        return int(str(row[0])) if row else 0

    def unretired_branches(self, session: int) -> list[BranchKey]:
        """The agents of a session that nobody has archived."""
        return [BranchKey(int(str(row[0]))) for row in self._all("unretired_branches", session)]

    def delete_session(self, session: int, counts: dict[str, Json]) -> None:
        """Its address reads as absent from now on; `counts` says how many texts went with it."""
        self._do("delete_session", self.now_us, session)
        event = {"session": session, **counts}
        self.event(session, EventKind.SESSION_DELETED, json.dumps(event), actor="person")

    def forks_of_session(self, session: int) -> list[ForkRow]:
        """The sessions that begin at a node of this one."""
        return [ForkRow._make(row) for row in self._all("forks_of_session", session)]

    def origin_of_session(self, session: int) -> tuple[SessionKey, bool] | None:
        """The session whose node a fork begins at, and whether it was deleted."""
        row = self._one("origin_of_session", session)
        return None if row is None else (SessionKey(int(str(row[0]))), bool(row[1]))

    def blank_message(self, message: int, body: str) -> None:
        """The text of a message goes, and cannot be found any more."""
        self._forget(Source.MESSAGE, message, body)
        self._do("blank_message", message)

    def blank_node(self, node: Written, parts: str) -> None:
        """The text of a node goes; what its round's calls said and gave goes with its results."""
        row = self._one("words_of_node", node.node)
        self._forget(Source.NODE, node.node, str(row[0] or "") if row else "")
        if parts != node.parts:
            self._do("blank_node", parts, node.node)
        if node.role == "tool":
            self._do("blank_asks", node.turn, node.round)
            self._do("blank_calls", node.turn, node.round)

    def blank_notices(self, session: int) -> None:
        """What the person was told about a session so far loses its words."""
        self._do("blank_notices", session)

    def blank_plans(self, session: int) -> None:
        """Timed texts, tasks that were given, goals, boards and buses of a session lose their words."""
        self._do("blank_reports", session)
        self._do("blank_timers", session)
        self._do("blank_tasks", session)
        self._do("blank_goals", session)
        self._do("blank_todos", session)

    def _forget(self, source: Source, key: int, text: str) -> None:
        if text and key <= self.indexed_to(source):
            self._do("forget_words", key * len(Source) + source, text)
