"""What the drawing of a session's conversations is made of: it reads keys widely and texts narrowly."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from postroom.store.tx_base import BaseTx


class GraphBranchRow(NamedTuple):
    """A branch of the session, with how it stands."""

    key: int
    public_id: str
    label: str
    address: str
    name: str
    profile: str
    parent: int | None
    head: int | None
    merged_head: int | None
    is_internal: int
    is_archived: int
    is_sealed: int
    sealed_from: int | None
    turn_state: str
    last_turn_state: str
    is_active: int


class GraphStep(NamedTuple):
    """A node without its text."""

    key: int
    predecessor: int | None
    caller: int | None
    role: str
    turn: int
    round: int
    message: int
    """0 where it shows none, or several."""
    kind: str
    """Of that message."""


class MadeRow(NamedTuple):
    """Where an agent came from."""

    branch: int
    task_id: str
    state: str
    result: int
    """The message that brought the result back; 0: none did."""
    turn: int
    round: int
    attach: int
    """The pointer from the answer to what it made; 0: it waited for the result itself."""
    maker_session: int
    maker_session_id: str
    maker_id: str
    maker: str


class GraphTurnRow(NamedTuple):
    """How a turn stands."""

    key: int
    public_id: str
    state: str
    end_reason: str
    branch: int


class GraphTextRow(NamedTuple):
    """How a node begins, and whose words it is."""

    key: int
    provenance: str
    created_us: int
    text: str
    message_id: str
    kind: str
    sender: str
    sender_branch: int | None


class GraphTokensRow(NamedTuple):
    """What one answer has used."""

    node: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_micros: int | None


class GraphCallRow(NamedTuple):
    """A call, and the agent that it made."""

    key: int
    turn: int
    round: int
    position: int
    tool: str
    state: str
    ended_by: str
    is_error: int
    arguments: str
    branch: int | None
    branch_id: str | None
    session: int | None
    session_id: str | None
    label: str | None
    task_state: str


class GraphMailRow(NamedTuple):
    """A message at one of its recipients. `session` and `label` are those of whoever is at its other end."""

    message: int
    message_id: str
    kind: str
    is_answer: int
    sender: int | None
    turn: int | None
    round: int
    session: int
    session_id: str
    branch_id: str
    label: str
    recipient: int
    node: int | None
    state: str


class LookedAtRow(NamedTuple):
    """A branch whose path is looked at."""

    key: int
    session: int
    session_id: str
    head: int | None
    is_sealed: int
    sealed_from: int | None
    is_busy: int
    label: str
    address: str


class GraphTx(BaseTx):
    """Reading statements of the graph."""

    __slots__ = ()

    def graph_branches(self, session: int) -> list[GraphBranchRow]:
        """The branches of a session, oldest first."""
        return self._each("graph_branches", GraphBranchRow._make, session)

    def graph_steps(self, session: int) -> list[GraphStep]:
        """Every node of its conversations, in no order."""
        return self._each("graph_steps", GraphStep._make, session)

    def graph_made(self, session: int) -> list[MadeRow]:
        """Where those of its agents came from that a call made."""
        return self._each("graph_made", MadeRow._make, session)

    def graph_turns(self, turns: Iterable[int]) -> list[GraphTurnRow]:
        """How some turns stand."""
        return self._each("graph_turns", GraphTurnRow._make, json.dumps(list(turns)))

    def graph_texts(self, nodes: Iterable[int]) -> list[GraphTextRow]:
        """How some nodes begin."""
        return self._each("graph_texts", GraphTextRow._make, json.dumps(list(nodes)))

    def graph_tokens(self, turns: Iterable[int]) -> list[GraphTokensRow]:
        """What the answers of some turns have used, as far as the log still says it."""
        return self._each("graph_tokens", GraphTokensRow._make, json.dumps(list(turns)))

    def graph_calls(self, turns: Iterable[int]) -> list[GraphCallRow]:
        """The calls of some turns, in their order."""
        return self._each("graph_calls", GraphCallRow._make, json.dumps(list(turns)))

    def graph_read(self, nodes: Iterable[int]) -> list[GraphMailRow]:
        """The mail of agents that was read at some nodes."""
        return self._each("graph_read", GraphMailRow._make, json.dumps(list(nodes)))

    def graph_sent(self, turns: Iterable[int]) -> list[GraphMailRow]:
        """The mail that the calls of some turns have sent."""
        return self._each("graph_sent", GraphMailRow._make, json.dumps(list(turns)))

    def graph_origin(self, session: int) -> tuple[str, int] | None:
        """(session id, node) that a fork begins at."""
        row = self._one("graph_origin", session)
        return None if row is None else (str(row[0]), int(str(row[1])))

    def graph_node(self, node: int) -> int | None:
        """The session that a node was written in."""
        return self._value("graph_node", int, node)

    def graph_branch(self, branch_id: str) -> LookedAtRow | None:
        """A branch by its id."""
        return self._find("graph_branch", LookedAtRow._make, branch_id)
