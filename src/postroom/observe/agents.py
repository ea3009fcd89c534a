"""The agents of a store as people see them. A file of its own, because `postroom ps` loads no more."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

from postroom.domain.plain import Json
from postroom.rules.naming import of_branch
from postroom.rules.standing import agent_state
from postroom.store.tx_views import AgentRow, ViewTx


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """One agent: where it lives, what it does, what waits for it."""

    session_id: str
    handle: str
    """Empty for an agent without one."""
    profile: str
    title: str
    """Of its session; empty for the others in it."""
    state: str
    unread: int
    parked: int
    depth: int
    branch_id: str
    name: str
    """Empty while nobody has given it one."""
    address: str
    """What means this agent: the id or handle of the session that it is of, else `SESSION:BRANCH`."""
    archived: bool


def agents(tx: ViewTx, root: int | None, limit: int = 20) -> list[AgentView]:
    """The agents of one tree, or of the newest trees; each behind the one that made it."""
    roots = [root] if root is not None else sorted(tx.newest_roots(limit))
    return [_agent(row, deeper) for one in roots for row, deeper in _in_order(tx.agents_of_tree(one))]


def agent_rows(tx: ViewTx, root: int | None) -> list[Json]:
    """The same as JSON."""
    return [cast("Json", asdict(agent)) for agent in agents(tx, root)]


def _in_order(rows: Sequence[AgentRow]) -> Iterator[tuple[AgentRow, int]]:
    """Sessions in the order of their keys; in each every agent behind its maker, and how deep below it."""
    own = {row.branch: row for row in rows}
    made = dict[int, list[AgentRow]]()
    for row in rows:
        maker = own.get(row.parent_branch or 0)
        if not row.is_active and maker is not None and maker.session == row.session:
            made.setdefault(maker.branch, []).append(row)
    below = {row.branch for group in made.values() for row in group}
    for row in rows:
        if row.branch not in below:
            yield from _with_made(row, made, 0 if row.is_active else 1)


def _with_made(
    row: AgentRow, made: Mapping[int, Sequence[AgentRow]], deeper: int
) -> Iterator[tuple[AgentRow, int]]:
    """An agent and those that it made in its session; one makes others a few generations deep at most."""
    yield row, deeper
    for child in made.get(row.branch, ()):
        yield from _with_made(child, made, deeper + 1)


def _agent(row: AgentRow, deeper: int) -> AgentView:
    return AgentView(
        session_id=row.session_id, handle=(row.handle or "") if row.is_active else "", profile=row.profile,
        title=row.title if row.is_active else "", state=agent_state(
            row.turn_state, row.last_turn_state, is_archived=row.archived_us is not None,
            is_paused=row.paused_by is not None,
        ),
        unread=row.n_steer + row.n_queue + row.n_notice + row.n_parked, parked=row.n_parked,
        depth=row.depth + deeper, branch_id=row.branch_id, name=row.name if row.name_source else "",
        address=(row.handle or row.session_id) if row.is_active else of_branch(row.session_id, row.branch_id),
        archived=row.archived_us is not None,
    )  # fmt: skip
