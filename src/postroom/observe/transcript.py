"""An agent's conversation for people: pages from the newest back, the same rows live and after a reload.

A page walks as many items as it shows, whatever lies behind it; what a row says of calls, mail and tasks
is read when it is asked for, so an item that never changes shows what has become of it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from postroom.domain.node import Role, facts_of, summary_of
from postroom.domain.session import Branch
from postroom.errors import NotFound
from postroom.observe.find import find_agent
from postroom.observe.transcript_calls import answer, call_view, calls
from postroom.observe.transcript_head import heading
from postroom.observe.transcript_mail import caused, entered, speaker_of, turn_id_of, waiting
from postroom.observe.transcript_parts import CallView
from postroom.observe.transcript_rows import NodeText, Row, SummaryRow, TranscriptView, TurnView
from postroom.observe.transcript_sheet import TEXT_CHARS, UNREAD_SHOWN, Sheet, Span, entered_at, sheet
from postroom.observe.transcript_turns import chain_view, ended, reason_of, remedy_of
from postroom.rules import selectors
from postroom.rules.envelope import render
from postroom.rules.naming import SHOWN_CHARS
from postroom.rules.text import is_encodable
from postroom.store.tx import Tx
from postroom.store.tx_transcript import PathNode, ToldMessage, ToldTurn

PAGE: Final = 60
PAGE_MAX: Final = 500
"""The most items that one page holds."""
_CALL_ID: Final = re.compile(r"c_(\d{1,15})_(\d{1,15})_(\d{1,15})", re.ASCII)
_WHOLE: Final = 1 << 30
"""More characters than any text has."""


def transcript(
    tx: Tx, reference: str, *, before: int | None = None, after: int | None = None, limit: int = PAGE
) -> TranscriptView:
    """The newest items of an agent's conversation, or those before one of them, or those behind one.

    With `before` and `after` what lies between them. Raises `NotFound`.
    """
    branch = tx.branch_row(_branch(tx, reference))
    session = tx.session_row(branch.session)
    span = _span(tx, branch, before, after, min(limit, PAGE_MAX))
    page, head = sheet(tx, span), heading(tx, branch, session)
    rows = list(_rows(tx, page, span))
    if before is None:
        rows += waiting(page, branch.key, head.turn_id, _on_bus(tx, branch))
    first = span.nodes[0] if span.nodes else None
    older = first.key if first is not None and first.predecessor is not None else None
    return TranscriptView(agent=head, rows=rows, older=older, head=branch.head or 0)


def call(tx: Tx, call_id: str) -> CallView:
    """One call with its arguments and its result whole. Raises `NotFound`."""
    place = _CALL_ID.fullmatch(call_id)
    found = tx.call_told(int(place[1]), int(place[2]), int(place[3]), _WHOLE) if place else None
    if found is None:
        msg = f"no call has the id {call_id[:SHOWN_CHARS]!r}"
        raise NotFound(msg, remedy="the transcript of its agent lists them")
    logged = tx.calls_logged([found.key])
    waits = tx.wait_of_call(found.key) is not None
    started_us = tx.answer_written(found.turn, found.round)
    return call_view(found, started_us, logged, tx.asks_of_calls([found.key]), waits=waits)


def node_text(tx: Tx, node: int) -> NodeText:
    """The whole text of an answer, of a summary, or of what the runtime said. Raises `NotFound`."""
    _step(tx, node)
    (found,) = tx.path_page(node, node, 1, _WHOLE)
    text = found.text
    if found.role == Role.SUMMARY:
        text = str(json.loads(found.parts)["text"])
    elif found.role == Role.USER and not entered_at(found):
        text = render("", facts_of(found.parts))
    return NodeText(node_id=node, text=text)


def turn(tx: Tx, turn_id: str) -> TurnView:
    """The facts of one turn. Raises `NotFound`."""
    found = tx.turn_told(turn_id.lower())
    if found is None:
        msg = f"no turn has the id {turn_id[:SHOWN_CHARS]!r}"
        raise NotFound(msg, remedy="the transcript of its agent names them")
    code, cause = reason_of(found)
    agent = speaker_of(tx.labels_of_branches([found.branch])[found.branch])
    return TurnView(
        turn_id=found.public_id, agent=agent, trigger=found.trigger, state=found.state, code=code,
        cause=cause, remedy=remedy_of(found), rounds=found.rounds, rounds_max=found.rounds_max,
        opened_us=found.opened_us, ended_us=found.ended_us, task_id=found.task_id,
        chain=chain_view(tx, found.chain),
    )  # fmt: skip


def _branch(tx: Tx, reference: str) -> int:
    """The agent that is meant, or the path that a revert has left."""
    sealed = tx.sealed_by_public_id(reference.lower()) if is_encodable(reference) else None
    return find_agent(tx, reference).branch if sealed is None else sealed


def _span(tx: Tx, branch: Branch, before: int | None, after: int | None, limit: int) -> Span:
    """The items that are asked for. Raises `NotFound` where there is no item `before`."""
    behind = None if before is None else _step(tx, before)
    first = branch.head if behind is None else behind[0]
    nodes = list[PathNode]()
    if first is not None and first > (after or 0):
        nodes = tx.path_page(first, after or 0, limit, TEXT_CHARS)[::-1]
    front = nodes[0].turn if nodes and nodes[0].predecessor is not None else 0
    if not nodes and first is not None:
        front = _step(tx, first)[1]
    return Span(
        branch=branch.key, nodes=nodes, turn_before=front, turn_behind=None if behind is None else behind[1]
    )


def _step(tx: Tx, node: int) -> tuple[int | None, int]:
    """What an item follows, and its turn. Raises `NotFound`."""
    found = tx.node_step(node)
    if found is None:
        msg = f"no item has the number {node}"
        raise NotFound(msg, remedy="read the newest page")
    return found


def _rows(tx: Tx, page: Sheet, span: Span) -> Iterator[Row]:
    """What each item shows, and behind it what ended there."""
    silent = list(page.silent)
    for node, behind in pairwise([*span.nodes, None]):
        assert node is not None  # noqa: S101 -- only the last of them is none
        yield from _ended_before(tx, page, silent, node.turn)
        yield from _shown(page, node)
        is_last = node.turn != (span.turn_behind if behind is None else behind.turn)
        turn = page.turns.get(node.turn)
        if is_last and turn is not None and turn.last_node == node.key:
            yield from ended(tx, page, turn, node.key)
    yield from _ended_before(tx, page, silent, None)


def _ended_before(tx: Tx, page: Sheet, silent: list[ToldTurn], turn: int | None) -> Iterator[Row]:
    """The turns that left no item and came before one that did."""
    while silent and (turn is None or silent[0].key < turn):
        yield from ended(tx, page, silent.pop(0), None)


def _shown(page: Sheet, node: PathNode) -> Iterator[Row]:
    """The rows of one item; results stand with their calls."""
    match node.role:
        case Role.USER:
            yield from entered(page, node)
        case Role.ASSISTANT:
            made = page.calls.get((node.turn, node.round), ())
            if node.text or not made:
                yield answer(page, node)
            if made:
                yield calls(page, node, made)
            for one in made:
                yield from caused(page, node, one)
        case Role.SUMMARY:
            yield _summary(page, node)
        case _:
            pass


def _summary(page: Sheet, node: PathNode) -> SummaryRow:
    facts = summary_of(node.parts)
    return SummaryRow(
        kind="summary", id=f"summary:{node.key}", ts_us=node.created_us,
        turn_id=turn_id_of(page, node.turn), node_id=node.key, provenance="system",
        text=facts.text[:TEXT_CHARS],
        missing_chars=max(len(facts.text) - TEXT_CHARS, 0), covers=page.said.get(facts.through, 0),
        open=tuple(facts.open),
    )  # fmt: skip


def _on_bus(tx: Tx, branch: Branch) -> Sequence[ToldMessage]:
    """What stands on the bus of the agent's turn, is for it, and is not taken yet."""
    bus = tx.bus_of_turn(branch.turn) if branch.turn is not None else None
    reader = tx.reader_of_branch(bus.key, branch.key) if bus is not None else None
    if bus is None or reader is None or bus.closed_us is not None or reader.cursor_seq >= bus.seq:
        return ()
    posts = tx.posts_behind(bus.key, reader.cursor_seq, UNREAD_SHOWN)
    keys = [post.message for post in posts if selectors.matches(post.selector, reader.address)]
    return list(tx.messages_told(keys, TEXT_CHARS).values())
