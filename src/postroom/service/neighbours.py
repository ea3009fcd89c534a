"""Who is beside an agent: the sessions that it may reach, as lists and cards show them.

Sending, listing, inspecting and waiting ask the same question of both sides (`service.meeting`), and who may
not be reached is not there. What is absent costs the same reads as what is denied, so neither can be told
from the other (DS-7).
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from postroom.domain.keys import BranchKey
from postroom.domain.turn import TurnState
from postroom.rules.permissions import Effect, read_overlay
from postroom.rules.reach import Why
from postroom.service.facts import AgentFacts
from postroom.service.meeting import Vantage, reach_of, relation_of, vantage_of
from postroom.store.rows import RecipientRow
from postroom.store.tx import Tx
from postroom.store.tx_neighbours import ARCHIVED, IDLE, PAUSED, Neighbour

LISTED_MAX = 200
"""Sessions that one list shows at most (issue of the surface; systems.md 4.5)."""
LOOKED_AT_MAX = 2_000
"""Sessions that one list looks at, among which there may be many that are out of reach."""
PAGE = 100
FAR_FUTURE_US = 1 << 62
STATUSES = (IDLE, *(str(state) for state in TurnState), PAUSED, ARCHIVED)
"""How a session may stand."""


class Scope(StrEnum):
    """Which of the sessions in reach are listed."""

    LIVE = "live"  # those that this process holds in memory
    WORKSPACE = "workspace"  # those in the directory of the one that asks
    ALL = "all"


class PeerKind(StrEnum):
    """Where a session comes from. Its surface makes no difference."""

    DERIVED = "derived"  # an agent made it, or the person forked it
    TEAM = "team"  # the person opened it from the same team folder
    PEER = "peer"  # any other


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The agent that looks. What the person has laid over its rights is read whenever it looks."""

    branch: BranchKey
    facts: AgentFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerLine:
    """One session in reach. Texts are as they are stored."""

    session_id: str
    title: str
    cwd: str
    status: str
    kind: PeerKind
    last_active_us: int


class View(NamedTuple):
    """Where a viewer stands, with its rights of this moment."""

    viewer: Viewer
    own: RecipientRow
    at: Vantage
    overlay: str


def view_of(tx: Tx, viewer: Viewer) -> View:
    """Where the agent stands that looks."""
    own = tx.recipient_by_branch(None, viewer.branch)
    return View(viewer, own, vantage_of(own), tx.tree_rights(own.root).overlay)


def list_neighbours(tx: Tx, viewer: Viewer, scope: Scope, limit: int) -> list[PeerLine]:
    """The sessions in reach, the most recently active first; the viewer's own is none of them."""
    view = view_of(tx, viewer)
    found: list[PeerLine] = []
    for row in _ROWS[scope](tx, view):
        if len(found) >= min(limit, LISTED_MAX):
            break
        if is_beside(tx, view, row):
            found.append(line_of(view, row))
    return found


def is_alone(tx: Tx, viewer: Viewer) -> bool:
    """Whether there is nobody in reach."""
    view = view_of(tx, viewer)
    return not any(is_beside(tx, view, row) for row in _everywhere(tx, view))


def is_beside(tx: Tx, view: View, row: Neighbour) -> bool:
    """Whether a session is in reach and takes mail; the viewer's own is not."""
    return not row.is_archived and why_not(tx, view, row) is None


def why_not(tx: Tx, view: View, row: Neighbour) -> Why | None:
    """Why a session is out of reach, for the operator; nothing where it may be reached, also with leave."""
    found = reach_of(tx, view.at, Vantage(row.branch, row.session, row.root, row.policy))
    label = relation_of(tx, view.at, view.own.parent_branch, row)
    own = view.viewer.facts.effect(read_overlay(view.overlay), "message", label)
    if row.session == view.own.session:
        return Why.SELF
    if found.effect is Effect.DENY:
        return found.why
    return Why.RULES if own is Effect.DENY else None


def find_neighbour(tx: Tx, view: View, session_id: str) -> Neighbour | Why:
    """The session that an id names, or why it may not be seen. Either costs the same reads."""
    row, own = tx.neighbour_by_public_id(session_id.lower()), tx.neighbour_of_branch(view.own.branch)
    assert own is not None  # noqa: S101 -- the viewer has a turn, so it exists
    judged = own if row is None else row
    for policy in (view.own.policy, judged.policy):
        tx.load_policy(policy)  # a policy that is read for the first time must not show
    why = why_not(tx, view, judged)
    if row is None:
        return Why.ABSENT
    return why or (Why.ARCHIVED if row.is_archived else row)


def line_of(view: View, row: Neighbour) -> PeerLine:
    """A session as a list shows it."""
    return PeerLine(
        session_id=row.session_id, title=row.title or row.name, cwd=row.cwd, status=row.status,
        kind=kind_of(view, row), last_active_us=row.last_active_us,
    )  # fmt: skip


def kind_of(view: View, row: Neighbour) -> PeerKind:
    """Where a session comes from, as its row says it for good."""
    if row.origin == "delegation" or row.is_fork:
        return PeerKind.DERIVED
    return PeerKind.TEAM if row.team == view.own.team else PeerKind.PEER


_Page = Callable[[int, int, int], list[Neighbour]]


def _paged(page: _Page) -> Iterator[Neighbour]:
    """Page by page, newest first, and no further back than a list looks."""
    place, looked = (FAR_FUTURE_US, 0), 0
    while looked < LOOKED_AT_MAX and (rows := page(*place, PAGE)):
        yield from rows
        looked += len(rows)
        place = (rows[-1].last_active_us, rows[-1].session)


def _resident(tx: Tx, view: View) -> Iterator[Neighbour]:
    del view
    epoch = int(tx.meta_value("epoch") or 0)
    return _paged(lambda us, key, limit: tx.resident_neighbours(epoch, us, key, limit))


def _in_place(tx: Tx, view: View) -> Iterator[Neighbour]:
    """Nobody where the own directory is not there any more."""
    place = tx.place_of_agent(view.own.branch)
    if not place:
        return iter(())
    return _paged(lambda us, key, limit: tx.neighbours_in_place(place, us, key, limit))


def _everywhere(tx: Tx, view: View) -> Iterator[Neighbour]:
    """Also those of the own directory that are older than what a list looks at elsewhere.

    Nobody is looked for elsewhere where only whom the agent has made could be reached.
    """
    policy = tx.policy(view.own.policy)
    is_bound = policy.authorisation == "directory" and not (policy.crosses_workspace or policy.allow_list)
    elsewhere = _made(tx, view) if is_bound else _paged(tx.neighbours_before)
    return _once(heapq.merge(_in_place(tx, view), elsewhere, key=_newest_first))


def _made(tx: Tx, view: View) -> Iterator[Neighbour]:
    made = tx.neighbours_made_by(view.own.branch, LOOKED_AT_MAX)
    return iter(sorted(made, key=_newest_first))


def _newest_first(row: Neighbour) -> tuple[int, int]:
    return (-row.last_active_us, -row.session)


def _once(rows: Iterable[Neighbour]) -> Iterator[Neighbour]:
    before = 0
    for row in rows:
        if row.session != before:
            yield row
        before = row.session


_ROWS: Mapping[Scope, Callable[[Tx, View], Iterator[Neighbour]]] = {
    Scope.LIVE: _resident,
    Scope.WORKSPACE: _in_place,
    Scope.ALL: _everywhere,
}
