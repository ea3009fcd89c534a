"""A branch's conversation as a model reads it, built once and only appended to.

Between two rounds nothing is read twice: the nodes that a commit appended come back from that commit.
Rendering facts are stored with each node, so the same node gives the same bytes for ever (O-11).
"""

import gc
import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TypedDict

from postroom.domain.keys import NodeKey, TurnKey
from postroom.domain.node import CallResult, Node, Role, SummaryFacts, joins_last, summary_of
from postroom.domain.turn import call_id
from postroom.llm.port import AssistantItem, CallItem, Item, Json, ResultItem, UserItem
from postroom.rules.changed import noted
from postroom.rules.envelope import render_node
from postroom.rules.naming import tool_name
from postroom.rules.summary import render_summary
from postroom.service.office import Office
from postroom.service.pictures import images_of

DECODED_TOGETHER = 256
"""Answers of a history in one call of the decoder; more only leave the processor's cache."""
EMPTY_RESULT = "(no output)"
# Plain texts, looked up once: they are compared ten thousand times in one request.
_USER, _ASSISTANT, _SUMMARY = Role.USER.value, Role.ASSISTANT.value, Role.SUMMARY.value


class AnswerParts(TypedDict):
    """What the node of an answer holds; `calls` are pairs of a tool's name and its arguments as JSON text."""

    text: str
    calls: list[tuple[str, str]]
    provider: str
    provider_parts: Json


class Transcript:
    """The items of one branch up to `head`."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.head: NodeKey | None = None
        self.covered = 0
        """How many answers its summary stands for."""
        self.begins = 0
        """The node of its summary: older answers have lost what they were thought behind."""
        self.boundary: tuple[int, int] | None = None
        """The turn and round in which the last item entered, if it is no answer."""

    def extend(self, nodes: Sequence[Node], results: Sequence[CallResult]) -> None:
        """Append what a commit appended: results behind their answer, or for the node of their round."""
        by_round: dict[tuple[int, int], list[CallResult]] = {}
        for result in results:
            by_round.setdefault((result.turn, result.round), []).append(result)
        answers = _decoded([node.parts for node in nodes if node.role == _ASSISTANT])
        for key, role, _, parts, _, body, turn, round_ in nodes:
            if role == _USER:
                self._add(render_node(parts, body), (turn, round_), joins=joins_last(parts))
                continue
            self.boundary = None
            if role == _SUMMARY:
                self._begin(key, summary_of(parts))
                continue
            if role == _ASSISTANT:
                self.items.append(_answer(turn, round_, next(answers), is_opaque=key > self.begins))
            for result in by_round.pop((turn, round_), ()):
                self.items.append(_result(result))
        if nodes:
            self.head = nodes[-1].key

    def _add(self, text: str, boundary: tuple[int, int], *, joins: bool) -> None:
        """What entered together may be one item, unless a summary stands for its beginning."""
        last = self.items[-1] if joins and self.boundary == boundary else None
        if isinstance(last, UserItem):
            self.items[-1] = UserItem(text=f"{last.text}\n{text}")
        else:
            self.items.append(UserItem(text=text))
        self.boundary = boundary

    def _begin(self, key: NodeKey, summary: SummaryFacts) -> None:
        self.begins = key
        self.items.append(UserItem(text=render_summary(summary)))
        self.covered = summary.answers

    def become(self, other: "Transcript") -> None:
        """Go on with what another one holds: its conversation was summed up."""
        self.items, self.head, self.covered = other.items, other.head, other.covered
        self.begins = other.begins
        self.boundary = other.boundary

    def reopen(self) -> None:
        """Take back the results of the last round: it is not complete, and its node will bring them all."""
        while self.items and isinstance(self.items[-1], ResultItem):
            self.items.pop()


async def recall(office: Office, head: NodeKey) -> Transcript:
    """The conversation up to a node from the store, as far back as it is sent."""
    with _no_collection():
        transcript = await office.history(head, _transcript)
    transcript.head = head
    return transcript


def _transcript(nodes: Sequence[Node], results: Sequence[CallResult]) -> Transcript:
    transcript = Transcript()
    transcript.extend(nodes, results)
    return transcript


@contextmanager
def _no_collection() -> Generator[None]:
    """Ten thousand items, and no cycle among them: looking for one would take a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _decoded(parts: Sequence[str]) -> Iterator[AnswerParts]:
    """Many texts decoded as one: a call of the decoder for each takes twice as long."""
    for first in range(0, len(parts), DECODED_TOGETHER):
        yield from json.loads(f"[{','.join(parts[first : first + DECODED_TOGETHER])}]")


def _answer(turn: TurnKey, round_: int, parts: AnswerParts, *, is_opaque: bool) -> AssistantItem:
    """With what is for its vendor only, such as signed reasoning, while nothing before it has changed."""
    calls = [
        CallItem(call_id(turn, round_, position), tool_name(tool), arguments)
        for position, (tool, arguments) in enumerate(parts["calls"])
    ]
    if not is_opaque:
        return AssistantItem(parts["text"], tuple(calls))
    return AssistantItem(parts["text"], tuple(calls), parts["provider"], parts["provider_parts"])


def _result(result: CallResult) -> ResultItem:
    turn, round_, position, tool, text, is_error, images, changed_by = result
    return ResultItem(
        call_id(turn, round_, position),
        tool_name(tool),
        noted(text or EMPTY_RESULT, changed_by),
        bool(is_error),
        images_of(images),
    )
