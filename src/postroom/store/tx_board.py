"""What a person who watches is shown of every agent. Nothing here grows with what is over."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from postroom.store.tx_base import BaseTx


class BoardRootRow(NamedTuple):
    """One conversation of the person."""

    key: int
    session_id: str
    handle: str | None
    title: str
    cwd: str
    team: str
    policy: int
    created_us: int
    last_active_us: int
    active_branch: int


class MovingRow(NamedTuple):
    """An agent with a turn, an open ask, or parked mail."""

    branch: int
    root: int
    asks: int


class BoardAgentRow(NamedTuple):
    """One agent with its turn, or with its last one where none is open."""

    key: int
    branch_id: str
    session: int
    root: int
    session_id: str
    label: str
    address: str
    handle: str
    name: str
    profile: str
    is_active: int
    depth: int
    parent: int | None
    paused_by: int | None
    is_archived: int
    last_turn_state: str
    unread: int
    parked: int
    turn: int
    turn_state: str
    end_reason: str
    rounds: int
    rounds_max: int
    opened_us: int
    ended_us: int | None
    task_id: str
    task: str
    oldest_unread_us: int | None
    background: int


class AgentSpendRow(NamedTuple):
    """What one agent has used and cost."""

    branch: int
    input_tokens: int
    output_tokens: int
    cost_micros: int
    unpriced: int


class AwaitedRow(NamedTuple):
    """One thing that a call of an agent waits for."""

    kind: str
    by_mail: int
    task_id: str
    ask_kind: str
    message_id: str
    branch_id: str | None
    label: str


class BoardTx(BaseTx):
    """Reading statements of the board of agents."""

    __slots__ = ()

    def board_roots(self, before: int, limit: int) -> list[int]:
        """The person's conversations before a key, newest first; no deleted ones."""
        return [int(str(row[0])) for row in self._all("board_roots", before, limit)]

    def board_root(self, root: int) -> BoardRootRow | None:
        """One conversation, unless it is deleted."""
        row = self._one("board_root", root)
        return None if row is None else BoardRootRow._make(row)

    def agents_that_move(self) -> list[MovingRow]:
        """Everybody for whom something is open; an agent may be there more than once."""
        return [MovingRow._make(row) for row in self._all("agents_that_move")]

    def newest_agents_of_tree(self, root: int, limit: int) -> list[int]:
        """The agents of a tree that were made last."""
        return [int(str(row[0])) for row in self._all("newest_agents_of_tree", root, limit)]

    def agents_counted(self, root: int, limit: int) -> int:
        """How many agents a tree has, up to a number."""
        row = self._one("agents_counted", root, limit)
        return int(str(row[0])) if row else 0

    def board_agents(self, keys: Sequence[int]) -> list[BoardAgentRow]:
        """Some agents, by session; of each first the one that the session is of."""
        return [BoardAgentRow._make(row) for row in self._all("board_agents", json.dumps(list(keys)))]

    def spend_of_agents(self, keys: Sequence[int]) -> dict[int, AgentSpendRow]:
        """What some agents have used and cost; nothing for one that never had an answer."""
        rows = (AgentSpendRow._make(row) for row in self._all("spend_of_agents", json.dumps(list(keys))))
        return {row.branch: row for row in rows}

    def newest_event_of_turn(self, turn: int) -> int | None:
        """When something was last told of a turn, in microseconds of wall time."""
        row = self._one("newest_event_of_turn", turn)
        return None if row is None else int(str(row[0]))

    def open_tool_of_turn(self, turn: int) -> str:
        """The tool that works for a turn; empty where none does."""
        row = self._one("open_tool_of_turn", turn)
        return "" if row is None else str(row[0])

    def awaited_by(self, branch: int) -> list[AwaitedRow]:
        """What the calls of an agent wait for."""
        return [AwaitedRow._make(row) for row in self._all("awaited_by", branch)]
