"""Who is called how: branches by id, by name and by the nodes that they go through."""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, MessageKey, SessionKey, TurnKey
from postroom.store.rows import Mail, mail
from postroom.store.tx_log import LogTx

LAST = "\U0010ffff"
"""Behind every other character: the end of what begins with a prefix."""


class Tip(NamedTuple):
    """Where a branch stands."""

    branch: BranchKey
    head: int | None
    merged_head: int | None

    @property
    def is_merged(self) -> bool:
        """Whether another branch has taken over what it says; one that runs again has a new head."""
        return self.merged_head is not None and self.head == self.merged_head


class Party(NamedTuple):
    """An agent as those who might reach it, or whom it might reach, look at it."""

    branch: BranchKey
    parent_branch: BranchKey | None
    root: SessionKey
    session_id: str
    cwd: str
    place: str
    """The directory in one spelling, fixed when the agent was made; empty where there was none then."""
    is_subagent: int
    """Whether its session was made by an agent."""


class Writer(NamedTuple):
    """Who wrote a message, and how the turn stands that wrote it."""

    branch: BranchKey | None
    turn: TurnKey | None
    task: MessageKey | None
    generations: int | None
    turn_state: str | None


class Terms(NamedTuple):
    """Under which task a message was written, as whom its recipient runs, and the parent of a told task."""

    task: MessageKey | None
    profile: str
    parent_of_task: MessageKey | None


class AddressTx(LogTx):
    """Addresses in the store."""

    __slots__ = ()

    def branch_of_public_id(self, session: int, public_id: str) -> BranchKey | None:
        """The branch of one session with this public id."""
        return self._value("branch_of_public_id", BranchKey, public_id.lower(), session)

    def branches_named(self, session: int, name: str, limit: int) -> list[BranchKey]:
        """The branches of one session that are called exactly so."""
        return self._values("branches_named", BranchKey, session, name, session, name, limit)

    def branches_labelled(self, session: int, label: str, limit: int) -> list[BranchKey]:
        """The branches of one session that were called exactly so when they were made."""
        return self._values("branches_labelled", BranchKey, session, label, limit)

    def branches_named_like(self, session: int, prefix: str, limit: int) -> list[BranchKey]:
        """The branches of one session whose given names begin so."""
        return self._values("branches_named_like", BranchKey, session, prefix, prefix + LAST, limit)

    def branches_named_elsewhere(
        self, but: int, name: str, limit: int, *, is_prefix: bool
    ) -> list[BranchKey]:
        """The branches of other sessions that are called exactly so, or whose names begin so."""
        end = name + (LAST if is_prefix else "\0")
        return self._values("branches_named_elsewhere", BranchKey, name, end, but, limit)

    def tips_of_session(self, session: int) -> list[Tip]:
        """Where the branches of a session stand."""
        return self._each("tips_of_session", Tip._make, session)

    def branches_through(self, session: int, node: int) -> list[BranchKey]:
        """The branches of a session whose conversations go through a node."""
        return self._values("branches_through", BranchKey, session, node, node, node)

    def party(self, branch: int) -> Party:
        """An agent that is known to exist, with where it works and what it comes from."""
        return self._known("party", "branch", Party._make, branch)

    def is_above(self, above: int, below: int) -> bool:
        """Whether one agent made another, or one of those that made it."""
        return self._one("is_above", below, above) is not None

    def sessions_named(self, root: int, name: str, limit: int) -> list[BranchKey]:
        """The agents of one tree that are called exactly so."""
        return self._values("sessions_named", BranchKey, name, root, limit)

    def waiting_copy(self, recipient: int, sender: int, body: str, since_us: int) -> str | None:
        """The id of an unread copy of a text that was accepted after a time."""
        return self._value("waiting_copy", str, recipient, sender, since_us, body)

    def line_length(self, branch: int) -> int:
        """How much agent mail and how many tasks wait in a mailbox."""
        return self._number("line_length", branch)

    def oldest_of_line(self, branch: int, limit: int) -> list[Mail]:
        """The oldest of them."""
        return self._each("oldest_of_line", mail, branch, limit)

    def sender_of_message(self, message: int) -> Writer:
        """Who wrote a message that is known to exist."""
        row = self._one("sender_of_message", message)
        return Writer(None, None, None, None, None) if row is None else Writer._make(row)

    def terms_of_message(self, message: int) -> Terms:
        """On which terms a message that is known to exist was written."""
        row = self._one("terms_of_message", message)
        return Terms(None, "", None) if row is None else Terms._make(row)
