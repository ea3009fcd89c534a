"""A branch's conversation as a model reads it, built once and only appended to.

Between two rounds nothing is read twice: the nodes that a commit appended come back from that commit.
Rendering facts are stored with each node, so the same node gives the same bytes for ever (O-11).
"""

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypedDict

from postroom.domain.keys import BranchKey, NodeKey
from postroom.domain.node import CallResult, MailFacts, Node, Role
from postroom.domain.turn import call_id
from postroom.llm.port import AssistantItem, CallItem, Item, Json, ResultItem, UserItem
from postroom.rules.envelope import render
from postroom.rules.naming import tool_name

RESIDENT_MAX = 64
"""Conversations kept in memory; an older one is read again when its branch next runs."""
DECODED_TOGETHER = 256
"""Answers of a history in one call of the decoder; more only leave the processor's cache."""
EMPTY_RESULT = "(no output)"
# Plain texts, looked up once: they are compared ten thousand times in one request.
_TOOL, _ASSISTANT = Role.TOOL.value, Role.ASSISTANT.value


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

    def extend(self, nodes: Sequence[Node], results: Sequence[CallResult]) -> None:
        """Append what a commit appended."""
        by_round: dict[tuple[int, int], list[CallResult]] = {}
        for result in results:
            by_round.setdefault((result.turn, result.round), []).append(result)
        answers = _decoded([node.parts for node in nodes if node.role == _ASSISTANT])
        for node in nodes:
            if node.role == _ASSISTANT:
                self.items.append(_answer(node, next(answers)))
            elif node.role == _TOOL:
                self.items.extend(map(_result, by_round.get((node.turn, node.round), ())))
            else:
                self.items.append(UserItem(text=render(node.body or "", _facts(node.parts))))
        if nodes:
            self.head = nodes[-1].key


def _decoded(parts: Sequence[str]) -> Iterator[AnswerParts]:
    """Many texts decoded as one: a call of the decoder for each takes twice as long."""
    for first in range(0, len(parts), DECODED_TOGETHER):
        yield from json.loads(f"[{','.join(parts[first : first + DECODED_TOGETHER])}]")


@lru_cache(maxsize=1024)
def _facts(parts: str) -> MailFacts:
    """Decoded once for all mail that is rendered alike, such as all that one sender has written."""
    return MailFacts(**json.loads(parts))


def _answer(node: Node, parts: AnswerParts) -> AssistantItem:
    calls = [
        CallItem(call_id=call_id(node.turn, node.round, i), tool=tool_name(tool), arguments=arguments)
        for i, (tool, arguments) in enumerate(parts["calls"])
    ]
    provider, opaque = parts["provider"], parts["provider_parts"]
    return AssistantItem(text=parts["text"], calls=tuple(calls), provider=provider, provider_parts=opaque)


def _result(result: CallResult) -> ResultItem:
    return ResultItem(
        call_id=call_id(result.turn, result.round, result.position), tool=tool_name(result.tool),
        text=result.text or EMPTY_RESULT, is_error=bool(result.is_error),
    )  # fmt: skip


class Transcripts:
    """The conversations in memory: the most recently used ones."""

    def __init__(self) -> None:
        self._kept: OrderedDict[BranchKey, Transcript] = OrderedDict()

    def take(self, branch: BranchKey, head: NodeKey | None) -> Transcript | None:
        """The conversation up to exactly this head, if it is in memory; it is the caller's now."""
        found = self._kept.pop(branch, None)
        return found if found is not None and found.head == head else None

    def keep(self, branch: BranchKey, transcript: Transcript) -> None:
        """Give it back at the end of a turn."""
        self._kept[branch] = transcript
        while len(self._kept) > RESIDENT_MAX:
            self._kept.popitem(last=False)
