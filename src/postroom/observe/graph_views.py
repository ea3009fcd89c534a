"""The graph of a session as programs see it: nodes, branches, and what lies between them beside the order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphElsewhere:
    """The other end of something that leaves the session."""

    session_id: str
    branch_id: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCall:
    """One call of a turn, or one agent that it made."""

    id: int
    shape: str
    """`code` or `spawn`."""
    tool: str
    status: str
    preview: str
    branch: int | None
    """The place in `branches` of the agent that it made in this session."""
    elsewhere: GraphElsewhere | None
    """The agent that it made in another session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """One item of the conversation layer. `id` is the key of a node; a turn that goes on keeps it."""

    id: int
    shape: str
    """`user`, `llm`, `merge`, `summary`, or `stretch` for a part that is left out."""
    branch: int
    """Its place in `branches`."""
    predecessor: int
    """The node that it is drawn behind; 0 is the root."""
    link: str
    """How it follows that: `next`, `fork`, `spawn` or `root`."""
    status: str
    """`running`, `error`, `cancelled` or `done`: read from the turn now, never stored in a node."""
    provenance: str
    agent: str
    """Who said it."""
    preview: str
    turn_id: str
    round: int
    message_id: str
    tokens: int
    """What its answers have used, as far as the log still says it."""
    created_us: int
    calls: int
    """How many calls are folded into it."""
    spawns: int
    """How many of them made an agent."""
    failed: int
    """How many of them have failed."""
    replies: int
    """How many answers that came back by themselves are merged into it."""
    covered: bool
    """Whether the next request of the branch in the foreground holds it, not only a summary of it."""
    count: int
    """How many items it stands for."""
    opened: tuple[GraphCall, ...]
    """Its calls, where they were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphBranch:
    """One branch of the session. Its place in the list is its number."""

    id: str
    label: str
    address: str
    name: str
    parent: int | None
    """The branch whose agent made it, or from which a revert left it."""
    head: int
    """The last node that is drawn of its conversation; 0 is the root."""
    drawn: bool
    """Whether any node of its own is drawn."""
    state: str
    active: bool
    """Whether it is what the address of the session means."""
    internal: bool
    """Whether an agent was made for it by a call; no list to choose from shows those."""
    merged: bool
    archived: bool
    sealed: bool
    """Whether a revert has left it."""
    colour: int
    elsewhere: GraphElsewhere | None
    """Who made it, if that is in another session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """Something between two nodes that is not the order of a conversation."""

    id: str
    kind: str
    """`return` of what a call made, `merge`, `sent` and `replied` for messages, `spawn` elsewhere."""
    source: int | None
    """The node that it begins at; none: it begins in another session."""
    target: int | None
    """The node that it ends at; none: it ends in another session."""
    branch: int
    """Whose colour it has: of messages the target's, else the source's."""
    status: str
    """Of what it stands for now: `running`, `error`, `cancelled` or `done`."""
    message_id: str
    call: int
    """The call that it began with, where that may be drawn; 0: none."""
    elsewhere: GraphElsewhere | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphView:
    """The conversations of a session as a graph. Of a long one `nodes` holds a skeleton."""

    session_id: str
    title: str
    branch: int
    """The branch in the foreground."""
    head: int
    nodes: tuple[GraphNode, ...]
    branches: tuple[GraphBranch, ...]
    edges: tuple[GraphEdge, ...]
    items: int
    """How many items there are with those that are left out."""
    hidden_branches: int
    forked_from: GraphElsewhere | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """One node of the graph in full."""

    id: int
    shape: str
    session_id: str
    branch_id: str
    """The branch on whose path it was looked up."""
    agent: str
    address: str
    """Whom a fork or a revert to it is asked of."""
    place: str
    """What a fork or a revert takes to mean it."""
    revertible: bool
    """Whether the agent can go back to it: it is on the path that goes on, and a turn runs nowhere on it."""
    provenance: str
    kind: str
    """Of its message; empty for what the model said."""
    sender: str
    turn_id: str
    turn_state: str
    end_reason: str
    rounds: int
    input_tokens: int
    output_tokens: int
    cost_micros: int
    created_us: int
    text: str
    """How it begins."""
    message_id: str
    opened: tuple[GraphCall, ...]
