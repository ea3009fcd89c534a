"""Pruning: which sessions are over, what of them goes, and what is left of a body."""

import json
from typing import Final, NamedTuple

from postroom.domain.event import EventKind
from postroom.domain.keys import MessageKey, NodeKey, SessionKey
from postroom.domain.plain import Json
from postroom.store.tx_base import Row
from postroom.store.tx_shelf import ShelfTx, Written

PRUNED_POS: Final = "pruned_pos"
ALL: Final = -1
"""As many as there are."""


class Activity(NamedTuple):
    """Whether a session may be over."""

    root: SessionKey
    last_active_us: int
    is_gone: int
    """It is deleted, or pruned already."""


class Prunable(NamedTuple):
    """A session that keeps its texts, in the order in which they go."""

    last_active_us: int
    session: SessionKey


class Body(NamedTuple):
    """The text of a message that came to a session."""

    message: MessageKey
    text: str
    holders: frozenset[SessionKey]
    """Other sessions that it came to and that have their texts."""
    ghosts: frozenset[SessionKey]
    """Other sessions that it came to and whose texts are gone."""


class PruneTx(ShelfTx):
    """What goes of sessions that are over."""

    __slots__ = ()

    def prunable_sessions(self, before_us: int, behind: Prunable, limit: int) -> list[Prunable]:
        """Sessions in which nothing has happened since before a time, longest ago first."""
        rows = self._all("prunable_sessions", before_us, *behind, limit)
        return [Prunable._make(row) for row in rows]

    def oldest_prunable_us(self) -> int | None:
        """When the session that has been quiet for longest was last active."""
        return self._value("oldest_prunable", int)

    def is_over(self, session: int, before_us: int) -> bool:
        """Nothing has happened in its tree since before a time, and nothing in it can go on by itself."""
        row = self._one("activity_of_session", session)
        if row is None:
            return False
        found = Activity._make(row)
        if found.is_gone or found.last_active_us >= before_us:
            return False
        if self._one("tree_active_since", found.root, before_us) is not None:
            return False
        return self._one("tree_is_busy", found.root) is None

    def bodies_of_session(self, session: int, behind: int = 0, limit: int = ALL) -> list[Body]:
        """Messages behind one that came to a session or stand on its buses, as far as they have a text."""
        return self._each("bodies_of_session", _body, session, session, behind, session, behind, limit)

    def texts_of_session(self, session: int, behind: int = 0, limit: int = ALL) -> list[Written]:
        """The nodes behind one that a session's own turns have written."""
        return self._each("texts_of_session", Written._make, session, behind, limit)

    def prune_body(self, message: int, body: str, body_sha256: str) -> None:
        """The text of a message goes; its size and its hash stay."""
        self._do("keep_digest", message, len(body.encode()), body_sha256)
        self.blank_message(message, body)

    def digest_of_body(self, message: int) -> tuple[int, str] | None:
        """Size in bytes and SHA-256 of a body that was pruned."""
        row = self._one("digest_of_body", message)
        return None if row is None else (int(str(row[0])), str(row[1]))

    def note_pruned(self, session: int, counts: dict[str, Json], actor: str) -> None:
        """Say in the log how many texts of a session went, and that others may follow."""
        event = {"session": session, **counts, "done": 0}
        self.event(session, EventKind.SESSION_PRUNED, json.dumps(event), actor=actor)

    def prune_session(self, session: int, counts: dict[str, Json], actor: str) -> None:
        """The last texts of a session went; who stands before this event in its log begins anew."""
        seq = self.last_seq(session)
        self._do("prune_session", self.now_us, seq, session)
        self.set_meta(PRUNED_POS, str(self.last_pos()))
        event = {"session": session, **counts, "done": 1}
        self.event(session, EventKind.SESSION_PRUNED, json.dumps(event), actor=actor)

    def pruned_seq(self, session: int) -> int:
        """Up to which of its events the texts of a session are gone; 0 while it has them."""
        return self._number("pruned_seq", session)

    def pruned_pos(self) -> int:
        """Up to which position of the log texts are gone."""
        return int(self.meta_value(PRUNED_POS) or 0)


def _body(row: Row) -> Body:
    others: list[tuple[int, int]] = json.loads(str(row[2]))
    return Body(
        message=MessageKey(int(str(row[0]))), text=str(row[1]),
        holders=frozenset(SessionKey(session) for session, is_gone in others if not is_gone),
        ghosts=frozenset(SessionKey(session) for session, is_gone in others if is_gone),
    )  # fmt: skip


FIRST: Final = Prunable(-1, SessionKey(-1))
"""Before all of them."""
NO_NODE: Final = NodeKey(0)
NO_MESSAGE: Final = MessageKey(0)
