"""The agents of a store as people see them. A file of its own, because `postroom ps` loads no more."""

from dataclasses import asdict, dataclass
from typing import cast

from postroom.domain.plain import Json
from postroom.store.tx_views import AgentRow, ViewTx


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """One agent: where it lives, what it does, what waits for it."""

    session_id: str
    handle: str
    profile: str
    title: str
    state: str
    unread: int
    parked: int
    depth: int


def agents(tx: ViewTx, root: int | None, limit: int = 20) -> list[AgentView]:
    """The agents of one tree, or of the newest trees."""
    roots = [root] if root is not None else sorted(tx.newest_roots(limit))
    return [_agent(row) for one in roots for row in tx.agents_of_tree(one)]


def agent_rows(tx: ViewTx, root: int | None) -> list[Json]:
    """The same as JSON."""
    return [cast("Json", asdict(agent)) for agent in agents(tx, root)]


def _agent(row: AgentRow) -> AgentView:
    state = row.turn_state or row.last_turn_state or "idle"
    return AgentView(
        session_id=row.session_id, handle=row.handle or "", profile=row.profile, title=row.title,
        state="paused" if row.paused_by is not None else state,
        unread=row.n_steer + row.n_queue + row.n_notice + row.n_parked, parked=row.n_parked, depth=row.depth,
    )  # fmt: skip
