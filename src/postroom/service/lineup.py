"""The agents around one: those of its tree, or of its directory, with what each of them works on.

Whom an agent may reach only with leave is shown as well; whom it may not reach is not there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from postroom.domain.turn import TurnState
from postroom.rules.naming import printed
from postroom.rules.text import brief
from postroom.service.listing import Reader
from postroom.service.meeting import Vantage, can_reach, vantage_at
from postroom.store.tx import Tx
from postroom.store.tx_lists import LineupRow

SCOPES: Final = ("tree", "directory")
LINES_MAX: Final = 200
"""Agents that one list shows, whatever it was asked for."""
LOOKED_AT_MAX: Final = 2_000
PAGE: Final = 100
WORK_CHARS: Final = 80
FAR_FUTURE_US: Final = 1 << 62
_STATUS: Final = {
    TurnState.WAITING: "waits for a slot",
    TurnState.RUNNING: "works",
    TurnState.SUSPENDED: "waits",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLine:
    """One agent of a list. Texts are as they are stored."""

    address: str
    name: str
    profile: str
    status: str
    """`works`, `waits`, `waits for a slot`, `stopped`, `idle`, or how its last turn ended."""
    work: str
    """What it works on, or was made for; empty where nobody said so."""
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """The agents of one scope, the most recently active sessions first."""

    lines: tuple[AgentLine, ...] = field(default=())
    is_whole: bool = True
    """Whether there is nobody beyond them."""
    n_sessions: int = 0
    """How many sessions they are in."""


def line_up(tx: Tx, reader: Reader, scope: str, limit: int) -> Lineup:
    """The agents of one of `SCOPES` that take messages, the reader itself among them."""
    own = vantage_at(tx, reader.branch)
    most = min(limit, LINES_MAX)
    shown = (row for row in _rows(tx, own, scope) if _is_shown(tx, own, row))
    rows = list(islice(shown, most + 1))
    return Lineup(
        lines=tuple(_line(tx, own, row) for row in rows[:most]), is_whole=len(rows) <= most,
        n_sessions=len({row.session for row in rows[:most]}),
    )  # fmt: skip


def _rows(tx: Tx, own: Vantage, scope: str) -> Iterator[LineupRow]:
    """Page by page, and no further back than a list looks."""
    place = tx.place_of_agent(own.branch) if scope == "directory" else ""
    if scope == "directory" and not place:
        return
    behind, looked = (FAR_FUTURE_US, 0, 0), 0
    while looked < LOOKED_AT_MAX:
        rows = (
            tx.lineup_in_place(place, *behind, PAGE) if place else tx.lineup_of_tree(own.root, *behind, PAGE)
        )
        if not rows:
            return
        yield from rows
        looked += len(rows)
        behind = (rows[-1].last_active_us, rows[-1].session, rows[-1].branch)


def _is_shown(tx: Tx, own: Vantage, row: LineupRow) -> bool:
    if row.branch == own.branch or row.root == own.root:
        return True
    return can_reach(tx, own, Vantage(row.branch, row.session, row.root, row.policy))


def _line(tx: Tx, own: Vantage, row: LineupRow) -> AgentLine:
    handle = row.handle if row.root == own.root else None  # a handle names nobody beyond its tree
    addressing = tx.policy(own.policy).addressing
    return AgentLine(
        address=printed(addressing, row.public_id, handle, row.branch_id, is_active=bool(row.is_active)),
        name=row.name, profile=row.profile, status=_status(row), work=brief(row.work, WORK_CHARS),
        is_own=row.branch == own.branch,
    )  # fmt: skip


def _status(row: LineupRow) -> str:
    if row.paused_by is not None:
        return "stopped"
    if row.turn_state is not None:
        return _STATUS.get(TurnState(row.turn_state), row.turn_state)
    return row.last_turn_state or "idle"
