"""One node of a graph in full: what was said, what it called, and how a person goes on from it."""

import json
from collections.abc import Sequence
from typing import Final

from postroom.domain.keys import NodeKey
from postroom.domain.node import Node, Role, said
from postroom.domain.path import Step
from postroom.errors import NotFound
from postroom.observe.graph_calls import opened_calls
from postroom.observe.graph_layer import SHAPES
from postroom.observe.graph_views import NodeView
from postroom.rules.paths import items_of
from postroom.rules.text import shorten
from postroom.store.tx import Tx
from postroom.store.tx_graph import GraphTokensRow, GraphTurnRow, LookedAtRow

TEXT_CHARS: Final = 4_000
_RUN: Final = frozenset({Role.ASSISTANT, Role.TOOL})
_NO_TURN: Final = GraphTurnRow(0, "", "", "", 0)


def node(tx: Tx, key: int, branch_id: str = "") -> NodeView:
    """A node as it stands on the path of a branch, or the first that goes through it. Raises `NotFound`."""
    row = _path_of(tx, key, branch_id)
    steps = tx.steps_to_head(row.head)
    at = next((n for n, step in enumerate(steps) if step.node == key), None)
    if at is None:
        raise _unknown(key)
    begin, end = _run(steps, at)
    return _view(tx, row, steps[begin:end], place=_place(row, branch_id, steps[:end]))


def _path_of(tx: Tx, key: int, branch_id: str) -> LookedAtRow:
    session = tx.graph_node(key)
    if session is not None and not branch_id:
        through = tx.branch_through(session, NodeKey(key))
        branch_id = tx.branch_public_id(through) if through is not None else ""
    row = tx.graph_branch(branch_id) if session is not None else None
    if row is None:
        raise _unknown(key)
    return row


def _unknown(key: int) -> NotFound:
    return NotFound(
        f"no conversation goes through a node {key}", remedy="the graph of a session names its nodes"
    )


def _run(steps: Sequence[Step], at: int) -> tuple[int, int]:
    """Where the answers of one turn begin and end that stand together; anything else stands alone."""
    if steps[at].role not in _RUN:
        return at, at + 1
    begin = end = at
    while begin and steps[begin - 1].role in _RUN and steps[begin - 1].turn == steps[at].turn:
        begin -= 1
    while end < len(steps) and steps[end].role in _RUN and steps[end].turn == steps[at].turn:
        end += 1
    return begin, end


def _place(row: LookedAtRow, branch_id: str, steps: Sequence[Step]) -> str:
    """What means the end of these steps to a fork or a revert."""
    number = sum(map(items_of, steps))
    return f"{branch_id}:{number}" if row.is_sealed else str(number)


def _view(tx: Tx, row: LookedAtRow, run: Sequence[Step], place: str) -> NodeView:
    first, last = run[0], next((s for s in reversed(run) if s.role != Role.TOOL), run[0])
    found = {one.key: one for one in tx.nodes_by_key([first.node, last.node])}
    turn = next(iter(tx.graph_turns([first.turn])), _NO_TURN)
    text = next(iter(tx.graph_texts([first.node])))
    used, keys = tx.graph_tokens([first.turn]), {step.node for step in run}
    spent = [one for one in used if one.node in keys]
    rounds = {(step.turn, step.round) for step in run if step.role == Role.ASSISTANT}
    agent = row if row.sealed_from is None else tx.graph_branch(tx.branch_public_id(row.sealed_from)) or row
    return NodeView(
        id=first.node, shape=SHAPES.get(Role(first.role), "code"), session_id=row.session_id,
        branch_id=tx.branch_public_id(row.key), agent=agent.label, address=agent.address, place=place,
        revertible=not row.is_sealed and not row.is_busy, provenance=text.provenance, kind=text.kind,
        sender=text.sender, turn_id=turn.public_id, turn_state=turn.state, end_reason=turn.end_reason,
        rounds=len(rounds), input_tokens=_sum(spent, 1), output_tokens=_sum(spent, 2),
        cost_micros=_sum(spent, 3), created_us=text.created_us,
        text=shorten(_text(found[last.node]), TEXT_CHARS), message_id=text.message_id,
        opened=opened_calls(
            [call for call in tx.graph_calls([first.turn]) if (call.turn, call.round) in rounds],
            [branch.key for branch in tx.graph_branches(row.session)], row.session,
        ),
    )  # fmt: skip


def _sum(rows: Sequence[GraphTokensRow], column: int) -> int:
    return sum(int(str(row[column] or 0)) for row in rows)


def _text(one: Node) -> str:
    if one.role in (Role.ASSISTANT, Role.SUMMARY):
        return str(json.loads(one.parts)["text"])
    return said(one.parts, one.body)
