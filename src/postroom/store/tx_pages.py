"""What pages for people are made of: sessions, their branches, and the teams that they are of."""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, NodeKey, PolicyKey, SessionKey
from postroom.store.tx_base import BaseTx
from postroom.store.tx_lists import ToldTask


class ShownSession(NamedTuple):
    """A session as a page of them shows it."""

    session: SessionKey
    public_id: str
    root_id: str
    handle: str | None
    title: str
    cwd: str
    team: str
    policy: PolicyKey
    origin: str
    created_us: int
    last_active_us: int
    branch_id: str
    profile: str
    turn_state: str
    last_turn_state: str
    paused_by: BranchKey | None
    archived_us: int | None
    unread: int
    open_asks: int


class ShownBranch(NamedTuple):
    """A branch of a session."""

    branch: BranchKey
    public_id: str
    name: str
    name_source: str
    profile: str
    parent_id: str | None
    head: NodeKey | None
    said: int
    context_chars: int
    turn_state: str | None
    last_turn_state: str
    paused_by: BranchKey | None
    archived_us: int | None
    archived_reason: str
    merged_head: NodeKey | None
    internal: int
    sealed_us: int | None
    unread: int
    created_us: int


class WholeTask(NamedTuple):
    """A task with its text, its result and what it was given for."""

    told: ToldTask
    body: str
    result: str
    background: int
    task: int
    turn_id: str
    parent_id: str
    result_id: str


class ShownNotice(NamedTuple):
    """Something that the person was told."""

    notice: int
    session_id: str
    agent: str
    code: str
    body: str
    created_us: int
    seen_us: int | None


class DeadLetter(NamedTuple):
    """A delivery that ended unread."""

    delivery: int
    message_id: str
    kind: str
    mode: str
    sender: int
    sender_address: str
    recipient: int
    state: str
    reason: str
    created_us: int
    ended_us: int
    attempts: int
    body_chars: int
    excerpt: str
    retried_as: str
    is_archived: int
    facts: str


class Waited(NamedTuple):
    """A message as it was accepted by one of its recipients."""

    kind: str
    accepted_us: int


class StandingNow(NamedTuple):
    """How much there is of all that comes and goes."""

    running: int
    waiting: int
    suspended: int
    paused: int
    unread: int
    held: int
    parked: int
    unseen: int
    oldest_us: int
    """When the oldest unread message was accepted; 0 where there is none."""


class PageTx(BaseTx):
    """Reading statements of pages."""

    __slots__ = ()

    def sessions_page(self, active_us: int, session: int, limit: int) -> list[ShownSession]:
        """Sessions behind a place in the order of activity, the newest first; no deleted ones."""
        return self._each("sessions_page", ShownSession._make, active_us, session, limit)

    def roots_page(self, active_us: int, session: int, limit: int) -> list[ShownSession]:
        """The same for the sessions that the person began."""
        return self._each("roots_page", ShownSession._make, active_us, session, limit)

    def shown_session(self, session: int) -> ShownSession | None:
        """One session."""
        return self._find("shown_session", ShownSession._make, session)

    def every_branch(self, session: int) -> list[ShownBranch]:
        """Every branch of a session, oldest first."""
        return self._each("every_branch", ShownBranch._make, session)

    def team_behind(self, team: str) -> str | None:
        """The next team that a session is of, by name."""
        return self._value("team_behind", str, team)

    def has_team(self, team: str) -> bool:
        """Whether a session is of a team."""
        return self._one("has_team", team) is not None

    def told_task(self, task_id: str) -> WholeTask | None:
        """One task by its id."""
        row = self._one("told_task", task_id)
        if row is None:
            return None
        n = len(ToldTask._fields)
        return WholeTask._make((ToldTask._make(row[:n]), *row[n:]))

    def tasks_given_for(self, task: int, limit: int) -> list[ToldTask]:
        """The tasks that were given in the course of one, oldest first."""
        return self._each("tasks_given_for", ToldTask._make, task, limit)

    def chains_before(self, chain: int, limit: int) -> list[int]:
        """The chains before a key, newest first."""
        return self._values("chains_before", int, chain, limit)

    def branch_of_chain(self, chain: int) -> int | None:
        """The first agent that has spent something in a chain."""
        return self._value("branch_of_chain", int, chain)

    def unseen_notices(self, before: int, limit: int) -> list[ShownNotice]:
        """What the person was told and has not read, newest first."""
        return self._each("unseen_notices", ShownNotice._make, before, limit)

    def seen_notices(self, before: int, limit: int) -> list[ShownNotice]:
        """What the person was told and has read, newest first."""
        return self._each("seen_notices", ShownNotice._make, before, limit)

    def count_unseen(self, most: int) -> int:
        """How much the person has not read; `most` for that and more."""
        return self._number("count_unseen", most)

    def dead_letters(self, before: int, excerpt_chars: int, limit: int) -> list[DeadLetter]:
        """Mail that ended unread, newest first."""
        return self._each("dead_letters", DeadLetter._make, excerpt_chars, before, limit)

    def waited_of_delivery(self, delivery: int) -> Waited | None:
        """How a message was accepted by one of its recipients."""
        return self._find("waited_of_delivery", Waited._make, delivery)

    def standing_now(self) -> StandingNow:
        """How much there is of all that comes and goes."""
        return StandingNow._make(self._one("standing_now") or (0,) * len(StandingNow._fields))

    def open_asks_by_kind(self) -> dict[str, int]:
        """How many asks of each kind are open."""
        return {str(kind): int(str(n)) for kind, n in self._all("open_asks_by_kind")}
