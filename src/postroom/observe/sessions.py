"""Sessions and their branches, as pages show them."""

from dataclasses import asdict, dataclass
from typing import Final

from postroom.domain.keys import NEWEST
from postroom.domain.policy import Policy
from postroom.domain.session import Session
from postroom.errors import NotFound
from postroom.observe.asks import RightsView, rights
from postroom.observe.find import find_agent
from postroom.rules.naming import SHOWN_CHARS, of_branch
from postroom.rules.standing import agent_state
from postroom.store.tx import Tx
from postroom.store.tx_pages import ShownBranch, ShownSession

_LIMITED: Final = ("_max", "_cap", "_window", "concurrency")
"""How the limits among the fields of a policy are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """A conversation: whose it is, how its agent stands, and what waits in it."""

    session_id: str
    root_session_id: str
    """The session at the root of its tree; its own id for one that the person began."""
    title: str
    handle: str
    """Empty for a session without one."""
    surface: str
    """Which set of tools and words its agents have."""
    profile: str
    origin: str
    """`person`, or `delegation` of an agent."""
    team: str
    cwd: str
    state: str
    """How its agent stands."""
    active_branch_id: str
    created_us: int
    last_active_us: int
    unread: int
    """Messages that wait in it."""
    open_asks: int
    """What its agents ask the person; at the root of a tree, what all agents of the tree ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage:
    """Sessions, the last active first. `next` is what the following page begins behind, if there is one."""

    sessions: list[SessionView]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCounts:
    """How many agents a session has, and how they stand."""

    agents: int
    """Those that nobody has archived."""
    archived: int
    busy: int
    """Those that have a turn."""
    paused: int
    branches: int
    """All branches, with those of calls and the paths that reverts have left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDetail:
    """One session with its rights, its numbers and its limits."""

    session: SessionView
    rights: RightsView
    """Those of its whole tree."""
    counts: SessionCounts
    policy: str
    """The name of the choices that it was made with: those of its surface, with the settings of its team."""
    limits: dict[str, int | None]
    """The limits among these choices, by the names of their settings; nothing is no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchView:
    """A branch: an agent, or a path of one that a revert has left."""

    branch_id: str
    name: str
    """Empty while nobody has given it one."""
    address: str
    """What means it: the id or handle of the session that it is of, else `SESSION:BRANCH`."""
    profile: str
    parent_branch_id: str
    """The branch that made it; empty for one that the person began."""
    state: str
    head: int | None
    """The newest node of its conversation."""
    said: int
    """Texts and answers of its conversation."""
    chars: int
    """How long what is sent of it to a model is."""
    unread: int
    created_us: int
    active: bool
    """Whether it is the agent that its session is of."""
    internal: bool
    """Whether an agent made it, and not the person: a picker of branches leaves it out."""
    merged: bool
    """Whether what it has said so far has come back to where it was made from."""
    sealed: bool
    """Whether it is a path that a revert has left."""
    archived_us: int | None
    archived_reason: str


def session_page(tx: Tx, before: tuple[int, int] | None, limit: int, *, roots: bool) -> SessionPage:
    """At most `limit` sessions behind a place; with `roots` only those that the person began."""
    read = tx.roots_page if roots else tx.sessions_page
    rows = read(*(before or (NEWEST, NEWEST)), limit + 1)
    shown = rows[:limit]
    rest = f"{shown[-1].last_active_us}-{shown[-1].session}" if len(rows) > limit else None
    return SessionPage(sessions=[_session(tx, row) for row in shown], next=rest)


def session_detail(tx: Tx, reference: str) -> SessionDetail:
    """One session, by itself or by one of its agents. Raises `NotFound`."""
    row = tx.shown_session(find_agent(tx, reference).session.key)
    if row is None:
        raise NotFound(f"no session is called {reference[:SHOWN_CHARS]!r}", remedy="look at the sessions")
    policy = tx.policy(row.policy)
    return SessionDetail(
        session=_session(tx, row), rights=rights(tx, row.public_id), counts=_counts(tx, row),
        policy=policy.surface, limits=_limits(policy),
    )  # fmt: skip


def branch_list(tx: Tx, reference: str) -> list[BranchView]:
    """Every branch of a session, oldest first. Raises `NotFound`."""
    session = find_agent(tx, reference).session
    return [_branch(row, session) for row in tx.every_branch(session.key)]


def _limits(policy: Policy) -> dict[str, int | None]:
    named: dict[str, int | str | None] = {n: v for n, v in asdict(policy).items() if n.endswith(_LIMITED)}
    return {name: value for name, value in named.items() if not isinstance(value, str)}


def _counts(tx: Tx, row: ShownSession) -> SessionCounts:
    branches = tx.every_branch(row.session)
    own = [one for one in branches if one.sealed_us is None]
    return SessionCounts(
        agents=sum(one.archived_us is None for one in own),
        archived=sum(one.archived_us is not None for one in own),
        busy=sum(bool(one.turn_state) for one in own),
        paused=sum(one.paused_by is not None for one in own), branches=len(branches),
    )  # fmt: skip


def _session(tx: Tx, row: ShownSession) -> SessionView:
    return SessionView(
        session_id=row.public_id, root_session_id=row.root_id, title=row.title, handle=row.handle or "",
        surface=tx.policy(row.policy).surface, profile=row.profile, origin=row.origin, team=row.team,
        cwd=row.cwd, state=_state(row), active_branch_id=row.branch_id, created_us=row.created_us,
        last_active_us=row.last_active_us, unread=row.unread, open_asks=row.open_asks,
    )  # fmt: skip


def _branch(row: ShownBranch, session: Session) -> BranchView:
    is_active, own = row.branch == session.active_branch, session.handle or session.public_id
    address = own if is_active else of_branch(session.public_id, row.public_id)
    return BranchView(
        branch_id=row.public_id, name=row.name if row.name_source else "", address=address,
        profile=row.profile, parent_branch_id=row.parent_id or "", state=_state(row), head=row.head,
        said=row.said, chars=row.context_chars, unread=row.unread, created_us=row.created_us,
        active=is_active, internal=bool(row.internal),
        merged=row.merged_head is not None and row.merged_head == row.head,
        sealed=row.sealed_us is not None, archived_us=row.archived_us, archived_reason=row.archived_reason,
    )  # fmt: skip


def _state(row: ShownSession | ShownBranch) -> str:
    return agent_state(
        row.turn_state, row.last_turn_state, is_archived=row.archived_us is not None,
        is_paused=row.paused_by is not None,
    )  # fmt: skip
