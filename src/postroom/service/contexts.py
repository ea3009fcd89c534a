"""What of a conversation is sent to a model: its newest summary, what that keeps, and what came behind it.

A path without a summary is sent whole. Nodes never change or go: a summary only says which of them are not
sent any more, so a fork, a revert or an export finds all of them where they were.
"""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from postroom.domain.keys import NodeKey
from postroom.domain.node import CallResult, Node, Role, summary_of
from postroom.domain.path import Step
from postroom.rules.envelope import render_node
from postroom.rules.summary import render_summary
from postroom.service.paths import Place
from postroom.service.pictures import images_chars
from postroom.store.tx import Tx

Rounds = dict[tuple[int, int], int]
"""(turn, round) -> how many characters the results of its calls take."""


class Context(NamedTuple):
    """The nodes of a request, oldest first."""

    summary: Node | None
    kept: tuple[Node, ...]
    """Older nodes that are sent beside the summary, as they are."""
    behind: tuple[Node, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All of them, in the order in which they are sent."""
        return (*((self.summary,) if self.summary else ()), *self.kept, *self.behind)


def read_texts(tx: Tx, head: int) -> tuple[tuple[Node, ...], list[CallResult]]:
    """What a transcript is built of: texts and answers in order, and every call result of their turns.

    What a summary stands for is not read.
    """
    nodes = tx.texts_to_summary(head)
    if nodes and nodes[0].role == Role.SUMMARY:
        first, *newer = nodes
        context = _behind(tx, first)
        older = (node for node in context.behind if node.role != Role.TOOL)
        nodes = [first, *context.kept, *older, *newer]
    return tuple(nodes), tx.calls_of_turns(sorted({node.turn for node in nodes}))


def read_context(tx: Tx, head: NodeKey | None) -> Context:
    """The same with the nodes of results, for who counts and cuts."""
    summary = tx.newest_summary(head)
    if summary is None:
        return Context(None, (), tuple(tx.nodes_behind(head, None)))
    context = _behind(tx, summary)
    return context._replace(behind=(*context.behind, *tx.nodes_behind(head, summary.key)))


def _behind(tx: Tx, summary: Node) -> Context:
    """A summary with what it leaves: from the last node that it stands for up to itself."""
    facts = summary_of(summary.parts)
    nodes = tx.nodes_behind(summary.key, NodeKey(facts.through))
    behind = tuple(node for node in nodes if node.role != Role.SUMMARY)
    return Context(summary, tuple(tx.nodes_by_key(facts.keeps)) if facts.keeps else (), behind)


def chars_of(tx: Tx, nodes: Sequence[Node]) -> list[int]:
    """How long each node is in a request, as the boundary, the answer and the results have counted it."""
    results = _results(tx, nodes)
    return [_chars(node, results) for node in nodes]


def chars_at(tx: Tx, place: Place) -> int:
    """How long a request is at a place of a path, in characters."""
    if place.kept == len(place.path.steps) or _is_plain(place.left):
        whole = tx.branch_row(place.path.branch)
        if whole.head == place.path.head:
            return whole.context_chars - sum(chars_of(tx, tx.nodes_behind(place.path.head, place.node)))
    return chars_to(tx, place.node)


def chars_to(tx: Tx, head: NodeKey | None) -> int:
    """The same for any node, counted anew."""
    return sum(chars_of(tx, read_context(tx, head).nodes))


def _is_plain(steps: Iterable[Step]) -> bool:
    """No summary lies in it, so what is sent of the rest is the same without it."""
    return all(step.role != Role.SUMMARY for step in steps)


def _results(tx: Tx, nodes: Sequence[Node]) -> Rounds:
    rounds: Rounds = {(node.turn, node.round): 0 for node in nodes if node.role == Role.TOOL}
    for call in tx.calls_of_turns(sorted({turn for turn, _ in rounds})):
        if (call.turn, call.round) in rounds:
            rounds[call.turn, call.round] += len(call.text or "") + images_chars(call.images)
    return rounds


def _chars(node: Node, results: Rounds) -> int:
    if node.role == Role.TOOL:
        return results[node.turn, node.round]
    if node.role == Role.SUMMARY:
        return len(render_summary(summary_of(node.parts)))
    if node.role == Role.USER:
        return len(render_node(node.parts, node.body))
    parts = json.loads(node.parts)
    return len(parts["text"]) + sum(len(arguments) for _, arguments in parts["calls"])
