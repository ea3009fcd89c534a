"""A turn's own writes: answer, results, boundary. Each carries the fence; a stale one writes nothing."""

import json
from dataclasses import dataclass, replace
from typing import Protocol

from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import NodeKey
from postroom.domain.message import HARD_WAITING_MAX, Delivery
from postroom.domain.node import CallResult, Node, Provenance, Role
from postroom.domain.turn import Call, EndedBy, Turn, TurnState
from postroom.llm.port import Image, ModelAnswer
from postroom.rules import schedule
from postroom.rules.text import is_blank, scrub
from postroom.rules.text_json import scrub_arguments
from postroom.service.charging import charge
from postroom.service.close import Ending, append_results, end
from postroom.service.extend import EXTENSIONS_MAX, Held, extend
from postroom.service.facts import AgentFacts, Ring
from postroom.service.pictures import images_text
from postroom.service.take import Boundary, pick, take
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a turn does next: run these calls, ask again with these nodes, or nothing, it is over."""

    turn: Turn
    nodes: tuple[Node, ...] = ()
    calls: tuple[Call, ...] = ()
    results: tuple[CallResult, ...] = ()
    ended: TurnState | None = None
    ring: Ring | None = None


class Outcome(Protocol):
    """What a tool gave: `tools.base.ToolResult`, which this room may not import."""

    @property
    def text(self) -> str:
        """What the model reads."""
        ...

    @property
    def is_error(self) -> bool:
        """Whether the tool says that it failed."""
        ...

    @property
    def images(self) -> tuple[Image, ...]:
        """Pictures beside the text."""
        ...

    @property
    def refusal(self) -> str:
        """The stable code when the rules said no; it goes to the log."""
        ...


def commit_answer(
    tx: Tx, turn: Turn, answer: ModelAnswer, facts: AgentFacts, held: Held | None = None
) -> Step:
    """The answer, its usage and its calls; what its request held is consumed; perhaps the end.

    "Nothing waits that may join" and "finished" are decided here together (G3). `held` is what the gates
    said that were asked about the end: with mail in the way they are asked again later.
    """
    now = replace(turn, rounds=turn.rounds + 1)
    row = tx.owned(turn.key, turn.fence)._replace(rounds=now.rounds)
    _consume(tx, now)
    node = _append_answer(tx, row, now, answer)
    calls = tuple(
        tx.insert_call(turn.key, now.rounds, i, scrub(c.provider_call_id), scrub(c.tool), scrub(c.arguments))
        for i, c in enumerate(answer.calls)
    )
    _log_answer(tx, now, node, calls, answer)
    nodes = () if node is None else (node,)
    if calls and now.rounds < now.rounds_max:
        return Step(turn=now, nodes=nodes, calls=calls)
    if calls:
        return _capped(tx, row, now, answer.text)
    joined = _join(tx, row, now, facts) if now.rounds < now.rounds_max else ()
    joined = joined or _extended(tx, row, now, facts, held)
    if joined:
        return Step(turn=now, nodes=(*nodes, *joined))
    _consume(tx, now)  # what joined without a new node: this answer's request held it already
    return replace(_finished(tx, row, now, answer.text), nodes=nodes)


def _consume(tx: Tx, turn: Turn) -> None:
    for delivery in tx.claimed(turn.key):
        tx.consume(turn.session, delivery, turn.key, turn.rounds)


def end_call(tx: Tx, turn: Turn, call: Call, outcome: Outcome, facts: AgentFacts) -> Step | None:
    """One result, durable before the next is awaited; the last one brings the next boundary."""
    row = tx.owned(turn.key, turn.fence)
    if outcome.refusal:
        event = f'{{"code":"{outcome.refusal}","call":{call.key}}}'
        tx.event(turn.session, EventKind.MESSAGE_REFUSED, event, actor=actor_of(turn.branch), turn=turn.key)
    tx.end_call(
        turn.session, turn.key, call.key, EndedBy.TOOL, outcome.text, is_error=outcome.is_error,
        images=images_text(outcome.images),
    )  # fmt: skip
    return None if tx.open_calls(turn.key) else _close(tx, row, turn, facts)


def close_round(tx: Tx, turn: Turn, facts: AgentFacts) -> Step:
    """All calls of the round have their result: its node, in call order, then the boundary."""
    return _close(tx, tx.owned(turn.key, turn.fence), turn, facts)


def _close(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts) -> Step:
    calls = tx.calls_of_round(turn.key, turn.rounds)
    key = append_results(tx, row, calls)
    node = Node(key, Role.TOOL, Provenance.SYSTEM, "{}", None, None, turn.key, turn.rounds)
    joined = _join(tx, row, turn, facts)
    results = tuple(
        CallResult(turn.key, turn.rounds, c.position, c.tool, c.result, c.is_error, c.images, c.changed_by)
        for c in calls
    )
    return Step(turn=turn, nodes=(node, *joined), results=results)


def _join(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts) -> tuple[Node, ...]:
    """The boundary inside a turn: steers, notices and what is already in context. Empty is cheap."""
    branch = tx.branch_row(turn.branch)
    if branch.paused_by is not None or not branch.n_steer + branch.n_notice + branch.n_parked:
        return ()
    mails = tx.accepted(turn.branch)
    if len(mails) < branch.n_steer + branch.n_queue + branch.n_notice + branch.n_parked:
        mails = tx.accepted(turn.branch, HARD_WAITING_MAX)  # what may join lies behind what may not
    chosen = schedule.joining([m.delivery for m in mails])
    nodes = take(tx, _boundary(tx, row, turn, facts), pick(mails, chosen))
    _deepen(tx, row, chosen)
    return nodes


def _extended(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts, held: Held | None) -> tuple[Node, ...]:
    """What a gate says, if it may keep the turn from ending once more."""
    if held is None or row.stop_asks >= EXTENSIONS_MAX or turn.rounds >= turn.rounds_max:
        return ()
    if tx.branch_row(turn.branch).paused_by is not None:
        return ()
    return extend(tx, row, _boundary(tx, row, turn, facts), held)


def _boundary(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts) -> Boundary:
    branch = tx.branch_row(turn.branch)
    return Boundary(
        turn=turn.key, branch=turn.branch, session=turn.session, head=branch.head,
        round=turn.rounds + 1, context_chars=branch.context_chars, policy=tx.policy(row.policy), facts=facts,
    )  # fmt: skip


def _deepen(tx: Tx, row: TurnRow, chosen: tuple[Delivery, ...]) -> None:
    """A turn's path numbers are the maximum over what joined it."""
    messages, generations = schedule.deepest(tx.claimed(row.turn))
    messages, generations = max(messages, row.messages), max(generations, row.generations)
    if chosen and (messages, generations) != (row.messages, row.generations):
        tx.deepen_turn(row.session, row.turn, messages, generations)


def _finished(tx: Tx, row: TurnRow, turn: Turn, text: str) -> Step:
    reason = "empty" if is_blank(text) else "answered"
    ring = end(tx, row, Ending(state=TurnState.FINISHED, reason=reason, text=scrub(text)))
    return Step(turn=turn, ended=TurnState.FINISHED, ring=ring)


def _capped(tx: Tx, row: TurnRow, turn: Turn, text: str) -> Step:
    """The last round asked for calls: they are not executed, and the turn ends at its cap."""
    ring = end(
        tx, row, Ending(state=TurnState.FINISHED, reason="round_cap", text=scrub(text), ended_by=EndedBy.CAP)
    )
    return Step(turn=turn, ended=TurnState.FINISHED, ring=ring)


def _append_answer(tx: Tx, row: TurnRow, turn: Turn, answer: ModelAnswer) -> Node | None:
    """Blank text never enters history: an answer without text and calls leaves no node (G6)."""
    text = "" if is_blank(answer.text) else scrub(answer.text)
    if not text and not answer.calls:
        return None
    calls = [[scrub(c.tool), scrub_arguments(c.arguments)] for c in answer.calls]
    parts = json.dumps(
        {"text": text, "calls": calls, "provider": answer.provider, "provider_parts": answer.provider_parts}
    )
    head = tx.head_of(row.branch)
    key = tx.append_node(row.session, head, Role.ASSISTANT, Provenance.AGENT, parts, row.turn, turn.rounds)
    tx.move_head(row.session, row.branch, key, row.turn, len(text) + sum(len(c[1]) for c in calls))
    return Node(NodeKey(key), Role.ASSISTANT, Provenance.AGENT, parts, None, None, row.turn, turn.rounds)


def _log_answer(tx: Tx, turn: Turn, node: Node | None, calls: tuple[Call, ...], answer: ModelAnswer) -> None:
    tx.set_turn_round(turn.key, turn.rounds)
    event = {
        "turn": turn.key, "round": turn.rounds, "node": node.key if node else None,
        "calls": [c.key for c in calls], **charge(tx, turn, answer.usage, rounds=1),
    }  # fmt: skip
    tx.event(turn.session, EventKind.ANSWER_COMMITTED, json.dumps(event), turn=turn.key)
