"""Who is called how: branches by id, by name and by the nodes that they go through."""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, MessageKey, SessionKey, TurnKey
from postroom.errors import IllegalMove
from postroom.store.rows import Mail, mail
from postroom.store.tx_base import Row
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
        row = self._one("branch_of_public_id", public_id.lower(), session)
        return None if row is None else _key(row)

    def branches_named(self, session: int, name: str, limit: int) -> list[BranchKey]:
        """The branches of one session that are called exactly so."""
        return list(map(_key, self._all("branches_named", session, name, session, name, limit)))

    def branches_labelled(self, session: int, label: str, limit: int) -> list[BranchKey]:
        """The branches of one session that were called exactly so when they were made."""
        return list(map(_key, self._all("branches_labelled", session, label, limit)))

    def branches_named_like(self, session: int, prefix: str, limit: int) -> list[BranchKey]:
        """The branches of one session whose given names begin so."""
        return list(map(_key, self._all("branches_named_like", session, prefix, prefix + LAST, limit)))

    def branches_named_elsewhere(
        self, but: int, name: str, limit: int, *, is_prefix: bool
    ) -> list[BranchKey]:
        """The branches of other sessions that are called exactly so, or whose names begin so."""
        end = name + (LAST if is_prefix else "\0")
        return list(map(_key, self._all("branches_named_elsewhere", name, end, but, limit)))

    def tips_of_session(self, session: int) -> list[Tip]:
        """Where the branches of a session stand."""
        return [Tip._make(row) for row in self._all("tips_of_session", session)]

    def branches_through(self, session: int, node: int) -> list[BranchKey]:
        """The branches of a session whose conversations go through a node."""
        return list(map(_key, self._all("branches_through", session, node, node, node)))

    def party(self, branch: int) -> Party:
        """An agent that is known to exist, with where it works and what it comes from."""
        row = self._one("party", branch)
        if row is None:
            raise IllegalMove(f"branch {branch} is not in the store")
        return Party._make(row)

    def is_above(self, above: int, below: int) -> bool:
        """Whether one agent made another, or one of those that made it."""
        return self._one("is_above", below, above) is not None

    def sessions_named(self, root: int, name: str, limit: int) -> list[BranchKey]:
        """The agents of one tree that are called exactly so."""
        return list(map(_key, self._all("sessions_named", name, root, limit)))

    def waiting_copy(self, recipient: int, sender: int, body: str, since_us: int) -> str | None:
        """The id of an unread copy of a text that was accepted after a time."""
        row = self._one("waiting_copy", recipient, sender, since_us, body)
        return None if row is None else str(row[0])

    def line_length(self, branch: int) -> int:
        """How much agent mail and how many tasks wait in a mailbox."""
        row = self._one("line_length", branch)
        return int(str(row[0])) if row else 0

    def oldest_of_line(self, branch: int, limit: int) -> list[Mail]:
        """The oldest of them."""
        return [mail(row) for row in self._all("oldest_of_line", branch, limit)]

    def sender_of_message(self, message: int) -> Writer:
        """Who wrote a message that is known to exist."""
        row = self._one("sender_of_message", message)
        return Writer(None, None, None, None, None) if row is None else Writer._make(row)

    def terms_of_message(self, message: int) -> Terms:
        """On which terms a message that is known to exist was written."""
        row = self._one("terms_of_message", message)
        return Terms(None, "", None) if row is None else Terms._make(row)


def _key(row: Row) -> BranchKey:
    return BranchKey(int(str(row[0])))
