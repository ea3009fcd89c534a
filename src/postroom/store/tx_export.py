"""Whole conversations, row by row: an export may be longer than memory, so no list of bodies is made."""

from collections.abc import Iterator
from typing import NamedTuple

from postroom.store.tx import Tx

SESSIONS_AT_ONCE = 100
MAIL_AT_ONCE = 20
"""Bodies in one page: each may have megabytes."""


class SessionRow(NamedTuple):
    """One session of a tree with its agent."""

    key: int
    public_id: str
    parent_id: str | None
    handle: str | None
    title: str
    cwd: str
    team: str
    depth: int
    created_us: int
    branch: int
    head: int | None
    profile: str
    turn_state: str
    last_turn_state: str
    paused_by: int | None


class BesideRow(NamedTuple):
    """An agent of a session beside the one that the session is of."""

    branch: int
    public_id: str
    name: str
    profile: str
    head: int | None
    turn_state: str
    last_turn_state: str
    paused_by: int | None
    created_us: int
    parent_id: str
    archived_us: int | None
    archived_reason: str


class NodeRow(NamedTuple):
    """One item of a conversation with its turn and its message."""

    role: str
    provenance: str
    parts: str
    turn: int
    round: int
    created_us: int
    turn_id: str
    message_id: str
    kind: str
    sender_address: str
    body: str | None


class MailRow(NamedTuple):
    """One message as it stands with its recipient."""

    key: int
    message_id: str
    kind: str
    mode: str
    sender_address: str
    created_us: int
    state: str
    parked: int
    attempts: int
    reason: str
    round: int | None
    turn_id: str
    is_in_conversation: int
    reverted: int
    body: str


class MadeRow(NamedTuple):
    """An agent that a call has made, with its task."""

    position: int
    branch: int
    head: int | None
    profile: str
    paused_by: int | None
    session: int
    session_id: str
    root: int
    address: str
    """Its address on the bus of its turn; empty where there is none."""
    state: str
    outcome: str
    cause: str
    task: str


class ExportTx(Tx):
    """The reads of an export, on one snapshot."""

    __slots__ = ()

    def roots_behind(self, after: int) -> Iterator[int]:
        """The person's conversations behind a key, oldest first."""
        while page := self._all("roots_behind", after, SESSIONS_AT_ONCE):
            for row in page:
                after = int(str(row[0]))
                yield after

    def tree_behind(self, root: int, after: int = 0) -> Iterator[SessionRow]:
        """The sessions of one tree, oldest first."""
        while page := self._all("tree_behind", root, after, SESSIONS_AT_ONCE):
            for row in map(SessionRow._make, page):
                after = row.key
                yield row

    def branches_beside(self, session: int, branch: int) -> list[BesideRow]:
        """The agents of a session but one, oldest first."""
        return self._each("branches_beside", BesideRow._make, session, branch)

    def keys_to_head(self, head: int) -> Iterator[int]:
        """The keys of a conversation, newest first."""
        for row in self._run(self._sql["keys_to_head"], (head,)):
            yield row[0]

    def node_in_full(self, key: int) -> NodeRow:
        """One item of a conversation."""
        row = self._one("node_in_full", key)
        assert row is not None  # noqa: S101 -- the key comes from the same snapshot
        return NodeRow._make(row)

    def mail_behind(self, branch: int, *, every: bool) -> Iterator[MailRow]:
        """An agent's mail, oldest first; unless `every`, only what stands in no conversation."""
        after = 0
        while page := self._all("mail_behind", branch, after, int(every), MAIL_AT_ONCE):
            for row in map(MailRow._make, page):
                after = row.key
                yield row

    def made_in_round(self, turn: int, round_: int) -> list[MadeRow]:
        """The agents that the calls of one round have made, in the order of the calls."""
        return self._each("made_in_round", MadeRow._make, turn, round_)

    def sessions_by_tail(self, tail: str) -> list[tuple[int, str]]:
        """(key, id) of the sessions whose ids end with these six characters, oldest first."""
        return [(int(str(key)), str(public_id)) for key, public_id in self._all("sessions_by_tail", tail)]
