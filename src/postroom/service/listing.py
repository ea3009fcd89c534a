"""Which agents there are, for an agent that asks: `list_agents`.

A reader sees whom it could write to: its own tree, and the sessions whose policy lets anybody reach them.
Nothing walks through a history: what is counted stands in the rows of branches and their heads.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from postroom.domain.keys import BranchKey, SessionKey
from postroom.domain.node import Node, said
from postroom.rules.naming import printed
from postroom.rules.text import brief
from postroom.service.meeting import Vantage, can_reach, vantage_at
from postroom.store.tx import Tx
from postroom.store.tx_lists import ListedBranch, ListedSession

SCOPES = ("session", "all", "archived")
SESSIONS_MAX = 200
"""Sessions that one list shows, whatever it was asked for."""
LOOKED_AT_MAX = 2_000
"""Sessions that one list looks at, among which there may be many that the reader does not see."""
PAGE = 100
NODES_OF_PREVIEW = 8
"""How far back a preview looks for a text; a round of calls may have none."""
PREVIEW_CHARS = 70
FAR_FUTURE_US = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The agent that asks."""

    session: SessionKey
    branch: BranchKey


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """A decoded `list_agents`. The last three count for scope `all` only."""

    scope: str = "session"
    limit: int = 20
    profile: str = ""
    """Only sessions that an agent of this profile answers for."""
    origin: str = ""
    """Only sessions that came about in this way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchLine:
    """One agent. Texts are as they are stored."""

    address: str
    name: str
    """Empty where it only has the name that every first branch has."""
    is_busy: bool | None
    """`None`: it is not known."""
    is_own: bool
    turns: int
    chars: int
    state: str
    """`archived`, `merged`, or empty."""
    preview: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """One session with its agents."""

    session_id: str
    profile: str
    title: str
    is_busy: bool | None
    is_current: bool
    branches: tuple[BranchLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What was found, most recently active first."""

    sessions: tuple[SessionLine, ...]

    @property
    def n_branches(self) -> int:
        """How many agents are listed."""
        return sum(len(session.branches) for session in self.sessions)


def list_agents(tx: Tx, reader: Reader, request: ListRequest) -> Listing:
    """The agents of one scope; the caller has checked that it is one."""
    if request.scope == "all":
        return Listing(
            sessions=tuple(_line(tx, reader, row, "all") for row in _sessions(tx, reader, request))
        )
    own = tx.listed_session(reader.session)
    return Listing(sessions=() if own is None else (_line(tx, reader, own, request.scope),))


def may_reach(tx: Tx, reader: Reader, other: Vantage) -> bool:
    """Whether a reader knows of an agent (product.md section 5); of those of its own session it does."""
    return other.session == reader.session or can_reach(tx, vantage_at(tx, reader.branch), other)


def _sessions(tx: Tx, reader: Reader, request: ListRequest) -> Iterator[ListedSession]:
    """The newest active sessions that the reader sees and asks for, page by page."""
    left, looked = min(request.limit, SESSIONS_MAX), 0
    place = (FAR_FUTURE_US, 0)
    while left > 0 and looked < LOOKED_AT_MAX and (page := tx.sessions_before(*place, PAGE)):
        looked += len(page)
        place = (page[-1].last_active_us, page[-1].session)
        for row in page:
            if left > 0 and _is_asked_for(row, request) and may_reach(tx, reader, _where(row)):
                left -= 1
                yield row


def _where(row: ListedSession) -> Vantage:
    return Vantage(row.active_branch, row.session, row.root, row.policy)


def _is_asked_for(row: ListedSession, request: ListRequest) -> bool:
    return request.profile in ("", row.profile) and request.origin in ("", row.origin)


def _line(tx: Tx, reader: Reader, row: ListedSession, scope: str) -> SessionLine:
    everyone, retired = tx.all_branches(row.session), scope == "archived"
    states = {branch.is_busy for branch in everyone}  # of the session, whoever is listed
    return SessionLine(
        session_id=row.public_id, profile=row.profile, title=row.title,
        is_busy=True if True in states else None if None in states else False,
        is_current=row.session == reader.session,
        branches=tuple(
            _branch(tx, reader, row, branch, previews=scope != "all")
            for branch in everyone
            if (branch.archived_us is not None or branch.is_merged) is retired
        ),
    )  # fmt: skip


def _branch(
    tx: Tx, reader: Reader, session: ListedSession, row: ListedBranch, *, previews: bool
) -> BranchLine:
    addressing = tx.policy(tx.session_row(reader.session).policy).addressing
    is_active = row.branch == session.active_branch
    return BranchLine(
        address=printed(addressing, session.public_id, session.handle, row.public_id, is_active=is_active),
        name=row.name if row.name_source else "", is_busy=row.is_busy, is_own=row.branch == reader.branch,
        turns=row.said, chars=row.context_chars,
        state="archived" if row.archived_us is not None else "merged" if row.is_merged else "",
        preview=preview(tx, row.head) if previews else "",
    )  # fmt: skip


def preview(tx: Tx, head: int | None) -> str:
    """The newest text of a conversation on one line, its beginning."""
    nodes = [] if head is None else tx.newest_texts(head, NODES_OF_PREVIEW)
    text = next((found for node in nodes if (found := text_of(node).strip())), "")
    return brief(text[: PREVIEW_CHARS * 8], PREVIEW_CHARS)


def text_of(node: Node) -> str:
    """What an item of a conversation says, without an envelope."""
    if node.body is not None:
        return said(node.parts, node.body)
    return str(json.loads(node.parts).get("text", ""))
