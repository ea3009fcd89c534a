"""A turn's own writes: answer, results, boundary. Each carries the fence; a stale one writes nothing."""

import json
from dataclasses import dataclass, replace
from typing import Protocol

from postroom.domain.chain import Chain
from postroom.domain.event import EventKind, actor_of
from postroom.domain.keys import NodeKey
from postroom.domain.node import CallResult, Node, Provenance, Role
from postroom.domain.turn import Call, EndedBy, Turn, TurnState
from postroom.llm.port import Image, ModelAnswer
from postroom.rules.text import is_blank, scrub
from postroom.rules.text_json import scrub_arguments
from postroom.service.budgets import why_no_more
from postroom.service.charging import charge
from postroom.service.close import Ending, append_results, end, not_executed
from postroom.service.extend import EXTENSIONS_MAX, Held, extend
from postroom.service.facts import AgentFacts, Ring
from postroom.service.joining import Joined, boundary_of, join, may_grow
from postroom.service.pictures import images_text
from postroom.service.waits import tell_of_message
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
    is_full: bool = False
    """The conversation is to be summed up first; `take_mail` then does what this step has left undone."""


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
    read = _consume(tx, now)
    step = _answered(tx, row, now, answer, facts, held)
    if step.ring is not None:
        read.take(step.ring)
    return replace(step, ring=read) if step.ring or read.answered else step


def _answered(
    tx: Tx, row: TurnRow, now: Turn, answer: ModelAnswer, facts: AgentFacts, held: Held | None
) -> Step:
    node = _append_answer(tx, row, now, answer, facts.model)
    calls = tuple(
        tx.insert_call(now.key, now.rounds, i, scrub(c.provider_call_id), scrub(c.tool), scrub(c.arguments))
        for i, c in enumerate(answer.calls)
    )
    why = why_no_more(_log_answer(tx, now, node, calls, answer), answer.usage)
    nodes = () if node is None else (node,)
    if calls and why is not None:
        return replace(_broke(tx, row, now, why), nodes=nodes)
    if now.is_last:
        return replace(_capped(tx, row, now, answer.text), nodes=nodes)
    if calls and (now.rounds < now.rounds_max or may_grow(tx, row, facts)):
        return Step(turn=now, nodes=nodes, calls=calls)
    if calls and tx.policy(row.policy).at_cap == "answers":
        step = _ask_once_more(tx, row, now, facts)
        return replace(step, nodes=(*nodes, *step.nodes))
    if calls:
        return _capped(tx, row, now, answer.text)
    step = _go_on_or_end(tx, row, now, facts, answer.text, held, may_ask=why is None)
    return replace(step, nodes=(*nodes, *step.nodes))


def _go_on_or_end(  # noqa: PLR0913 -- all that decides on the end of a turn
    tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts, text: str, held: Held | None, *, may_ask: bool
) -> Step:
    may_go_on = may_ask and (turn.rounds < turn.rounds_max or may_grow(tx, row, facts))
    joined = join(tx, row, turn, facts, ends=True) if may_go_on else Joined(turn=turn)
    if joined.is_full:
        return Step(turn=turn, is_full=True)
    nodes = joined.nodes or (_extended(tx, row, turn, facts, held) if may_go_on else ())
    if nodes:
        return Step(turn=joined.turn, nodes=nodes)
    ring = _consume(tx, turn)  # what joined without a new node: this answer's request held it already
    return _finished(tx, ring, row, turn, text)


def take_mail(tx: Tx, turn: Turn, facts: AgentFacts, text: str | None, held: Held | None = None) -> Step:
    """The rest of a step that was `is_full`, after a summary was made or could not be.

    `text` is the answer with which the turn ends when nothing keeps it from that; without one it goes on.
    Where no request has room even now, nothing is taken: the turn ends, or its step `is_full` again.
    """
    row, facts = tx.owned(turn.key, turn.fence), replace(facts, compact_percent=0)
    why = why_no_more(tx.chain_of(turn.chain))  # the summary has cost something
    is_over = facts.is_over(tx.branch_row(turn.branch).context_chars)
    if text is not None:
        return _go_on_or_end(tx, row, turn, facts, text, held, may_ask=why is None and not is_over)
    if why is not None:
        return _broke(tx, row, turn, why)
    if is_over:
        return Step(turn=turn, is_full=True)
    if turn.is_last:
        return Step(turn=turn)
    joined = join(tx, row, turn, facts)
    return Step(turn=joined.turn, nodes=joined.nodes)


def _consume(tx: Tx, turn: Turn) -> Ring:
    """What was in the request is read now; whoever waits for that is told."""
    ring = Ring()
    for delivery in tx.claimed(turn.key):
        tx.consume(turn.session, delivery, turn.key, turn.rounds)
        tell_of_message(tx, ring, delivery.message)
    return ring


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
    node, results = _append_results(tx, row, turn)
    if (why := why_no_more(tx.chain_of(turn.chain))) is not None:  # others of the chain spend too
        return replace(_broke(tx, row, turn, why), nodes=(node,), results=results)
    branch = tx.branch_row(turn.branch)
    is_full = facts.is_full(branch.context_chars)
    joined = Joined(turn=turn) if is_full else join(tx, row, turn, facts, branch)
    is_full = is_full or joined.is_full
    return Step(turn=joined.turn, nodes=(node, *joined.nodes), results=results, is_full=is_full)


def _append_results(tx: Tx, row: TurnRow, turn: Turn) -> tuple[Node, tuple[CallResult, ...]]:
    calls = tx.calls_of_round(turn.key, turn.rounds)
    key = append_results(tx, row, calls)
    results = tuple(
        CallResult(turn.key, turn.rounds, c.position, c.tool, c.result, c.is_error, c.images, c.changed_by)
        for c in calls
    )
    return Node(key, Role.TOOL, Provenance.SYSTEM, "{}", None, None, turn.key, turn.rounds), results


def _extended(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts, held: Held | None) -> tuple[Node, ...]:
    """What a gate says, if it may keep the turn from ending once more."""
    if held is None or row.stop_asks >= EXTENSIONS_MAX:
        return ()
    if tx.branch_row(turn.branch).paused_by is not None:
        return ()
    return extend(tx, row, boundary_of(tx, row, turn, facts), held)


def _finished(tx: Tx, ring: Ring, row: TurnRow, turn: Turn, text: str) -> Step:
    reason = "empty" if is_blank(text) else "answered"
    ending = Ending(state=TurnState.FINISHED, reason=reason, text=scrub(text), kept=turn.kept)
    ring.take(end(tx, row, ending))
    return Step(turn=turn, ended=TurnState.FINISHED, ring=ring)


def _ask_once_more(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts) -> Step:
    """At the cap: the calls that were asked for are not executed, and one answer without tools is left.

    Mail that waits opens the next turn; it does not keep this one going.
    """
    not_executed(tx, row, EndedBy.CAP)
    node, results = _append_results(tx, row, turn)
    tx.cap_turn(row.session, row.turn)
    is_full = facts.is_full(tx.branch_row(turn.branch).context_chars)
    return Step(turn=replace(turn, is_last=True), nodes=(node,), results=results, is_full=is_full)


def _capped(tx: Tx, row: TurnRow, turn: Turn, text: str) -> Step:
    """The last answer of a turn that its cap ends; calls in it are not executed."""
    ending = Ending(
        state=TurnState.FINISHED, reason="round_cap", text=scrub(text), ended_by=EndedBy.CAP, kept=turn.kept
    )
    ring = end(tx, row, ending)
    return Step(turn=turn, ended=TurnState.FINISHED, ring=ring)


def _broke(tx: Tx, row: TurnRow, turn: Turn, why: str) -> Step:
    """The chain has spent what it may: calls that were asked for are not executed, and the turn fails."""
    ring = end(tx, row, Ending(state=TurnState.FAILED, reason=why, ended_by=EndedBy.BUDGET))
    return Step(turn=turn, ended=TurnState.FAILED, ring=ring)


def _append_answer(tx: Tx, row: TurnRow, turn: Turn, answer: ModelAnswer, model: str) -> Node | None:
    """Blank text never enters history: an answer without text and calls leaves no node (G6)."""
    text = "" if is_blank(answer.text) else scrub(answer.text)
    if not text and not answer.calls:
        tx.count_empty_answer(row.branch)
        return None
    calls = [[scrub(c.tool), scrub_arguments(c.arguments)] for c in answer.calls]
    parts = json.dumps({
        "text": text, "calls": calls, "model": model, "provider": answer.provider,
        "provider_parts": answer.provider_parts,
    })  # fmt: skip
    head = tx.head_of(row.branch)
    key = tx.append_node(row.session, head, Role.ASSISTANT, Provenance.AGENT, parts, row.turn, turn.rounds)
    chars = len(text) + sum(len(c[1]) for c in calls)
    tx.move_head(row.session, row.branch, key, row.turn, chars, answers=1)
    return Node(NodeKey(key), Role.ASSISTANT, Provenance.AGENT, parts, None, None, row.turn, turn.rounds)


def _log_answer(tx: Tx, turn: Turn, node: Node | None, calls: tuple[Call, ...], answer: ModelAnswer) -> Chain:
    """The event of an answer, with what it cost; how its chain stands now."""
    tx.set_turn_round(turn.key, turn.rounds)
    charged = charge(tx, turn, answer.usage, rounds=1)
    event = {
        "turn": turn.key, "round": turn.rounds, "node": node.key if node else None,
        "calls": [c.key for c in calls], **charged.facts,
    }  # fmt: skip
    tx.event(turn.session, EventKind.ANSWER_COMMITTED, json.dumps(event), turn=turn.key)
    return charged.chain
