"""Pages of transcripts: every statement reads what one page shows, whatever else its store holds."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from postroom.domain.event import Event
from postroom.store.tx_base import BaseTx


class PathNode(NamedTuple):
    """One item of a conversation; `text` is the beginning of an answer, `parts` is there for all else."""

    key: int
    role: str
    provenance: str
    parts: str
    text: str
    text_chars: int
    model: str
    turn: int
    round: int
    created_us: int
    message: int | None
    predecessor: int | None


class ToldTurn(NamedTuple):
    """A turn with its task, its newest item, and the bus that it opened."""

    key: int
    public_id: str
    branch: int
    trigger: str
    state: str
    end_reason: str
    rounds: int
    rounds_max: int
    chain: int
    opened_us: int
    ended_us: int | None
    answers: int | None
    task_id: str
    result: int | None
    """The message that reported the end of its task."""
    bus: int | None
    report: str
    closed_us: int | None
    last_node: int
    """0 where nothing of it stands in a conversation."""


class ToldMessage(NamedTuple):
    """A message with the beginning of its text."""

    key: int
    public_id: str
    kind: str
    mode: str
    text: str
    chars: int
    sender: int | None
    sender_address: str
    created_us: int
    selector: str
    facts: str
    sender_turn: int | None
    pruned_bytes: int | None
    """How long a text was that was pruned."""
    pruned_sha256: str


class ToldDelivery(NamedTuple):
    """How a message stands with one of its recipients."""

    message: int
    branch: int
    state: str
    parked: int
    attempts: int
    round: int | None
    reason: str
    node: int | None
    reverted: int
    turn_id: str
    key: int


class ToldCall(NamedTuple):
    """A call with the beginnings of its texts, and how long each is."""

    key: int
    turn: int
    round: int
    position: int
    tool: str
    arguments: str
    arguments_chars: int
    changed_arguments: str
    changed_chars: int
    changed_by: str
    state: str
    ended_by: str
    result: str
    result_chars: int
    is_error: int
    message: int | None
    images: int


class ToldAsk(NamedTuple):
    """What the person was asked for a call."""

    call: int
    public_id: str
    kind: str
    state: str
    decided_by: str
    scope: str
    requested_us: int
    decided_us: int | None


class AgentLabel(NamedTuple):
    """How an agent is shown to the person, and what means it."""

    branch: int
    label: str
    address: str
    session_id: str
    branch_id: str
    profile: str
    sealed_from: int | None
    """Of a path that a revert has left the agent that went back."""


class GivenWork(NamedTuple):
    """A task with the agent that it was given to: what that one has cost, and what it said last."""

    key: int
    public_id: str
    state: str
    outcome: str
    cause: str
    description: str
    target: int
    background: int
    made_agent: int
    given_us: int
    ended_us: int | None
    turn_state: str
    paused_by: int | None
    tokens: int
    cost_micros: int
    preview: str


class TranscriptTx(BaseTx):
    """Reading statements. Lists of keys go as JSON, so a page takes as many statements as it has parts."""

    __slots__ = ()

    def path_page(self, first: int, after: int, limit: int, chars: int) -> list[PathNode]:
        """Items from `first` backwards to behind `after`, newest first; answers cut at `chars`."""
        return self._each("path_page", PathNode._make, first, after, limit, chars)

    def node_step(self, node: int) -> tuple[int | None, int] | None:
        """(predecessor, turn) of an item."""
        row = self._one("node_step", node)
        return None if row is None else (None if row[0] is None else int(str(row[0])), int(str(row[1])))

    def said_of_nodes(self, nodes: Iterable[int]) -> dict[int, int]:
        """How much was said up to each of some items."""
        return {int(str(key)): int(str(said)) for key, said in self._all("said_of_nodes", _list(nodes))}

    def turns_told(self, turns: Iterable[int]) -> list[ToldTurn]:
        """Some turns, oldest first."""
        return self._each("turns_told", ToldTurn._make, _list(turns))

    def turns_without_nodes(self, branch: int, after: int, before: int, limit: int) -> list[ToldTurn]:
        """The newest turns of an agent between two others that left no item, oldest first."""
        found = self._all("turns_without_nodes", branch, after, before, limit)
        return [ToldTurn._make(r) for r in reversed(found)]

    def turn_told(self, turn_id: str) -> ToldTurn | None:
        """One turn by its public id."""
        return self._find("turn_told", ToldTurn._make, turn_id)

    def messages_told(self, messages: Iterable[int], chars: int) -> dict[int, ToldMessage]:
        """Some messages by their keys, texts cut at `chars`."""
        rows = self._all("messages_told", chars, _list(messages))
        return {one.key: one for one in map(ToldMessage._make, rows)}

    def deliveries_told(self, messages: Iterable[int]) -> dict[int, list[ToldDelivery]]:
        """How some messages stand with each of their recipients, by message."""
        found: dict[int, list[ToldDelivery]] = {}
        for one in map(ToldDelivery._make, self._all("deliveries_told", _list(messages))):
            found.setdefault(one.message, []).append(one)
        return found

    def calls_told(self, rounds: Iterable[tuple[int, int]], chars: int) -> list[ToldCall]:
        """The calls of some rounds, each a turn and a number, in call order; texts cut at `chars`."""
        return self._each("calls_told", ToldCall._make, chars, chars, chars, json.dumps(list(rounds)))

    def call_told(self, turn: int, round_: int, position: int, chars: int) -> ToldCall | None:
        """One call by its place."""
        return self._find("call_told", ToldCall._make, chars, chars, chars, turn, round_, position)

    def answer_written(self, turn: int, round_: int) -> int:
        """When the answer of a round was committed, in microseconds; 0 where it is gone."""
        return self._number("answer_written", turn, round_)

    def answers_logged(self, nodes: Iterable[int]) -> list[Event]:
        """The events by which some answers were committed."""
        return self._each("answers_logged", Event._make, _list(nodes))

    def calls_logged(self, calls: Iterable[int]) -> list[Event]:
        """What the log tells of some calls, in its order."""
        return self._each("calls_logged", Event._make, _list(calls))

    def asks_of_calls(self, calls: Iterable[int]) -> list[ToldAsk]:
        """What the person was asked for some calls, oldest first."""
        return self._each("asks_of_calls", ToldAsk._make, _list(calls))

    def labels_of_branches(self, branches: Iterable[int]) -> dict[int, AgentLabel]:
        """How some agents are shown, by branch."""
        rows = self._all("labels_of_branches", _list(branches))
        return {one.branch: one for one in map(AgentLabel._make, rows)}

    def sealed_by_public_id(self, public_id: str) -> int | None:
        """The path that a revert has left; none where the id is that of an agent, or of nothing."""
        return self._value("sealed_by_public_id", int, public_id)

    def tasks_told(self, tasks: Iterable[int], chars: int) -> dict[int, GivenWork]:
        """Some tasks by their keys, the newest texts of their agents cut at `chars`."""
        rows = self._all("tasks_told", chars, _list(tasks))
        return {one.key: one for one in map(GivenWork._make, rows)}

    def replies_to(self, messages: Iterable[int]) -> list[tuple[int, int, int]]:
        """(what is answered, the reply, its sender) of the replies to some messages."""
        rows = self._all("replies_to", _list(messages))
        return [(int(str(a)), int(str(b)), int(str(c))) for a, b, c in rows]

    def unread_told(self, branch: int, limit: int) -> list[tuple[int, int]]:
        """(delivery, message) of what an agent has not begun to read."""
        return [(int(str(a)), int(str(b))) for a, b in self._all("unread_told", branch, limit)]

    def read_on_buses(self, buses: Iterable[int]) -> dict[int, int]:
        """How many messages of agents were read on some buses, by bus."""
        return {int(str(key)): int(str(read)) for key, read in self._all("read_on_buses", _list(buses))}

    def spend_of_branch(self, branch: int) -> tuple[int, int]:
        """(tokens, millionths of a US dollar) that an agent has cost."""
        row = self._one("spend_of_branch", branch)
        return (0, 0) if row is None else (int(str(row[0])), int(str(row[1])))


def _list(keys: Iterable[int]) -> str:
    return json.dumps(list(keys))
