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
        return self._values("board_roots", int, before, limit)

    def board_root(self, root: int) -> BoardRootRow | None:
        """One conversation, unless it is deleted."""
        return self._find("board_root", BoardRootRow._make, root)

    def agents_that_move(self) -> list[MovingRow]:
        """Everybody for whom something is open; an agent may be there more than once."""
        return self._each("agents_that_move", MovingRow._make)

    def newest_agents_of_tree(self, root: int, limit: int) -> list[int]:
        """The agents of a tree that were made last."""
        return self._values("newest_agents_of_tree", int, root, limit)

    def agents_counted(self, root: int, limit: int) -> int:
        """How many agents a tree has, up to a number."""
        return self._number("agents_counted", root, limit)

    def board_agents(self, keys: Sequence[int]) -> list[BoardAgentRow]:
        """Some agents, by session; of each first the one that the session is of."""
        return self._each("board_agents", BoardAgentRow._make, json.dumps(list(keys)))

    def spend_of_agents(self, keys: Sequence[int]) -> dict[int, AgentSpendRow]:
        """What some agents have used and cost; nothing for one that never had an answer."""
        rows = (AgentSpendRow._make(row) for row in self._all("spend_of_agents", json.dumps(list(keys))))
        return {row.branch: row for row in rows}

    def newest_event_of_turn(self, turn: int) -> int | None:
        """When something was last told of a turn, in microseconds of wall time."""
        return self._value("newest_event_of_turn", int, turn)

    def open_tool_of_turn(self, turn: int) -> str:
        """The tool that works for a turn; empty where none does."""
        return self._text("open_tool_of_turn", turn)

    def awaited_by(self, branch: int) -> list[AwaitedRow]:
        """What the calls of an agent wait for."""
        return self._each("awaited_by", AwaitedRow._make, branch)
