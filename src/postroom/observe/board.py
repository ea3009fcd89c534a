"""The board of agents: what each does now, what lies unread, what it has cost, and who waits for whom.

It costs what is shown and what is open, never what is over: of a tree the agents that move are listed and
those that were made last, the others are counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from postroom.domain.keys import NEWEST
from postroom.errors import NotFound
from postroom.observe.doing import Activity, ProviderWait, doing
from postroom.observe.find import find_session
from postroom.rules.standing import agent_state
from postroom.store.tx import Tx
from postroom.store.tx_board import AgentSpendRow, BoardAgentRow, BoardRootRow

ROOTS: Final = 30
"""Conversations of one page unless the reader says otherwise."""
ROOTS_MAX: Final = 200
MOVING_ROOTS_MAX: Final = 30
"""Older conversations in which something moves, shown before the others on the first page."""
AGENTS: Final = 12
"""How many of those agents of a tree are listed that were made last."""
MOVING_MAX: Final = 60
"""How many agents of a tree are listed because something is open for them."""
ALL_MAX: Final = 2_000
"""How many agents are listed of a tree that is asked for by itself, and up to where they are counted."""
_NO_SPEND: Final = AgentSpendRow(0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardAgent:
    """One agent as whoever watches sees it. Times are wall time in microseconds."""

    branch_id: str
    session_id: str
    label: str
    handle: str
    name: str
    """Empty while nobody has given it one."""
    address: str
    profile: str
    parent_branch_id: str
    """Who made it; empty for the agent that a conversation of the person is of."""
    depth: int
    is_root: bool
    state: str
    doing: Activity
    unread: int
    parked: int
    oldest_unread_us: int | None
    input_tokens: int
    output_tokens: int
    cost_micros: int
    unpriced: int
    """Requests without a known price; they cost nothing here."""
    end_reason: str
    """How its last turn ended; empty while one is open."""
    task_id: str
    """The task of its turn, or of its last one."""
    task: str
    background: int
    """Work that goes on for it behind its calls."""
    open_asks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRoot:
    """One conversation of the person with its agents, each behind the one that made it."""

    session_id: str
    handle: str
    title: str
    surface: str
    team: str
    cwd: str
    created_us: int
    last_active_us: int
    open_asks: int
    agents: list[BoardAgent]
    hidden: int
    """How many of its agents are not listed, none of which moves unless very many do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A page of conversations, newest first; on the first page those that move come before older ones."""

    roots: list[BoardRoot]
    before: int | None
    """What gives the next page; nothing behind the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moving:
    """What is open in the store: per root its agents, per agent how many asks."""

    agents: Mapping[int, list[int]]
    asks: Mapping[int, int]
    asks_of_root: Mapping[int, int]


def board(
    tx: Tx, waits: Mapping[int, ProviderWait], *, before: int | None = None, limit: int = ROOTS
) -> Board:
    """A page of the board; `waits` says by branch who waits for a provider."""
    keys = tx.board_roots(NEWEST if before is None else before, limit)
    rest = keys[-1] if len(keys) == limit else None
    moving = _moving(tx)
    if before is None:
        older = sorted(set(moving.agents) - set(keys), reverse=True)
        keys = [*keys, *older[:MOVING_ROOTS_MAX]]
    roots = [root for key in keys if (root := _root(tx, key, moving, waits, AGENTS))]
    return Board(roots=roots, before=rest)


def board_of(tx: Tx, waits: Mapping[int, ProviderWait], session: str) -> Board:
    """The tree of one agent alone, with everybody in it. Raises `NotFound`."""
    root = _root(tx, find_session(tx, session).root, _moving(tx), waits, ALL_MAX)
    if root is None:
        msg = f"the conversation of {session!r} is deleted"
        raise NotFound(msg)
    return Board(roots=[root], before=None)


def _moving(tx: Tx) -> _Moving:
    agents, asks, of_root = dict[int, list[int]](), dict[int, int](), dict[int, int]()
    for row in tx.agents_that_move():
        agents.setdefault(row.root, []).append(row.branch)
        asks[row.branch] = asks.get(row.branch, 0) + row.asks
        of_root[row.root] = of_root.get(row.root, 0) + row.asks
    return _Moving(agents=agents, asks=asks, asks_of_root=of_root)


def _root(
    tx: Tx, key: int, moving: _Moving, waits: Mapping[int, ProviderWait], newest: int
) -> BoardRoot | None:
    row = tx.board_root(key)
    if row is None:
        return None
    listed = {row.active_branch, *tx.newest_agents_of_tree(key, newest)}
    listed.update(moving.agents.get(key, ())[:MOVING_MAX])
    agents = tx.board_agents(sorted(listed))
    counted = len(agents) if len(agents) < newest else tx.agents_counted(key, ALL_MAX)
    spends = tx.spend_of_agents([agent.key for agent in agents])
    return BoardRoot(
        session_id=row.session_id, handle=row.handle or "", title=row.title,
        surface=tx.policy(row.policy).surface, team=row.team, cwd=row.cwd, created_us=row.created_us,
        last_active_us=row.last_active_us, open_asks=moving.asks_of_root.get(key, 0),
        agents=list(_agents(tx, row, agents, spends, moving, waits)), hidden=max(0, counted - len(agents)),
    )  # fmt: skip


def _agents(
    tx: Tx,
    root: BoardRootRow,
    rows: Sequence[BoardAgentRow],
    spends: Mapping[int, AgentSpendRow],
    moving: _Moving,
    waits: Mapping[int, ProviderWait],
) -> Iterator[BoardAgent]:
    for row, depth in _in_order(rows):
        spent = spends.get(row.key, _NO_SPEND)
        yield BoardAgent(
            branch_id=row.branch_id, session_id=row.session_id, label=row.label, handle=row.handle,
            name=row.name, address=row.address, profile=row.profile,
            parent_branch_id="" if row.parent is None else tx.branch_public_id(row.parent),
            depth=depth, is_root=row.key == root.active_branch, state=_state(row),
            doing=doing(tx, row, waits.get(row.key)), unread=row.unread, parked=row.parked,
            oldest_unread_us=row.oldest_unread_us if row.unread else None, input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens, cost_micros=spent.cost_micros, unpriced=spent.unpriced,
            end_reason=row.end_reason, task_id=row.task_id, task=" ".join(row.task.split()),
            background=row.background, open_asks=moving.asks.get(row.key, 0),
        )  # fmt: skip


def _state(row: BoardAgentRow) -> str:
    is_open = row.ended_us is None and bool(row.turn)
    return agent_state(
        row.turn_state if is_open else None, row.last_turn_state, is_archived=bool(row.is_archived),
        is_paused=row.paused_by is not None,
    )  # fmt: skip


def _in_order(rows: Sequence[BoardAgentRow]) -> Iterator[tuple[BoardAgentRow, int]]:
    """Every agent behind the one that made it, and how deep; without a listed maker, at its own depth."""
    listed = {row.key for row in rows}
    made = dict[int, list[BoardAgentRow]]()
    tops = list[BoardAgentRow]()
    for row in rows:
        if row.parent is not None and row.parent in listed and row.parent != row.key:
            made.setdefault(row.parent, []).append(row)
        else:
            tops.append(row)
    waiting = [(row, row.depth) for row in reversed(tops)]
    while waiting:
        row, depth = waiting.pop()
        yield row, depth
        waiting += [(child, depth + 1) for child in reversed(made.get(row.key, ()))]
