"""Compaction: the beginning of a conversation gives way to a summary (product.md, Window and compaction).

A model is asked between the two transactions here: `plan` reads what it is to sum up, `commit_summary` puts
what it says at the head of the branch. In between the branch stands still: its turn waits for this, or the
person has asked for it and no turn starts. What was read of it is checked again before anything is written.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from postroom.domain.event import EventKind
from postroom.domain.keys import BranchKey, NodeKey, SessionKey, TurnKey
from postroom.domain.message import HARD_WAITING_MAX, Kind
from postroom.domain.node import (
    CallResult,
    MailFacts,
    Node,
    Provenance,
    Role,
    SummaryFacts,
    facts_of,
    is_joined,
    parts_of,
    summary_of,
)
from postroom.domain.plain import Json
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import TurnState
from postroom.errors import StaleFence
from postroom.llm.port import Purpose, Usage
from postroom.rules.compaction import Cut, Need, Piece, Why, choose, summary_chars_max
from postroom.rules.summary import Line, render_summary
from postroom.rules.text import CHARS_PER_TOKEN
from postroom.service.charging import charge
from postroom.service.contexts import Context, chars_of, read_context
from postroom.service.facts import AgentFacts
from postroom.service.receipts import address_of
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a conversation is summed up for, and by whom."""

    branch: BranchKey
    session: SessionKey
    why: Why
    facts: AgentFacts
    team: str
    profile: str
    branch_id: str
    needed_chars: int = 0
    """What has to be read next and is not in the conversation yet."""
    turn: TurnKey | None = None
    """The turn at whose boundary it is; none: the person has asked."""
    fence: int | None = None
    """Of a turn that runs; none: it waits."""
    paused_by: int | None = None
    """Of the person's own: how the branch stood when they asked."""


class Tried(NamedTuple):
    """A summary was asked for before this: at how much of the room the next one is, and why there is none."""

    percent: int
    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a summary is to stand for, and what a model is shown of it."""

    occasion: Occasion
    head: NodeKey
    through: NodeKey
    keeps: tuple[NodeKey, ...]
    answers: int
    left_chars: int
    """How long what stays is, without the summary."""
    summary_chars: int
    """How long the summary may be."""
    lines: tuple[Line, ...]


class Summed(NamedTuple):
    """The summary that is the head now, and how long a request is."""

    node: NodeKey
    chars: int


def ask_to_sum_up(tx: Tx, branch: BranchKey, team: str, facts: AgentFacts) -> Occasion | Refusal:
    """The person's own occasion. Refuses `not_idle`, `nothing_to_compact`, `chain_spent`."""
    row = tx.branch_row(branch)
    if row.turn is not None:
        return Refusal(code=Code.NOT_IDLE)
    occasion = Occasion(
        branch=branch, session=row.session, why=Why.ASKED, facts=facts, team=team, profile=row.profile,
        branch_id=tx.branch_public_id(branch), paused_by=row.paused_by,
    )  # fmt: skip
    payer = _payer(tx, occasion, row.head)
    if payer is not None and tx.chain_of(payer.chain).is_dry:
        return Refusal(code=Code.CHAIN_SPENT)
    return occasion if plan(tx, occasion) is not None else Refusal(code=Code.NOTHING_TO_COMPACT)


def plan(tx: Tx, occasion: Occasion) -> Plan | None:
    """What is to be summed up; nothing where no cut is worth it, or the chain may ask no model any more."""
    row = tx.branch_row(occasion.branch)
    payer = _payer(tx, occasion, row.head)
    if row.head is None or payer is None or tx.chain_of(payer.chain).is_dry:
        return None
    context = read_context(tx, row.head)
    nodes = (*context.kept, *context.behind)
    chars = chars_of(tx, nodes)
    window_chars = occasion.facts.window_tokens * CHARS_PER_TOKEN
    need = Need(
        why=_why(occasion, row.context_chars), room_chars=occasion.facts.room_chars,
        context_chars=row.context_chars,
        summary_chars=summary_chars_max(window_chars, row.context_chars),
        needed_chars=occasion.needed_chars, turn=occasion.turn if occasion.fence is not None else None,
    )  # fmt: skip
    cut = choose(_pieces(nodes, chars, _unread(tx, occasion)), need)
    return None if cut is None else _planned(tx, occasion, row.head, context, chars, cut, need)


def _why(occasion: Occasion, context_chars: int) -> Why:
    """At a boundary it is only early while all that comes next has room."""
    is_over = context_chars + occasion.needed_chars > occasion.facts.room_chars
    return Why.FULL if occasion.why is Why.EARLY and is_over else occasion.why


def _planned(  # noqa: PLR0913 -- a plan is what was read, and where it is cut
    tx: Tx, occasion: Occasion, head: NodeKey, context: Context, chars: Sequence[int], cut: Cut, need: Need
) -> Plan:
    nodes = (*context.kept, *context.behind)
    older = None if context.summary is None else summary_of(context.summary.parts)
    covered = [node for n, node in enumerate(nodes[: cut.covered]) if n not in cut.kept]
    moved = cut.covered > len(context.kept)
    through = nodes[cut.covered - 1].key if moved or older is None else NodeKey(older.through)
    answers = sum(node.role == Role.ASSISTANT for node in covered) + (older.answers if older else 0)
    left = sum(chars[n] for n in cut.kept) + sum(chars[cut.covered :])
    return Plan(
        occasion=occasion, head=head, through=through, keeps=tuple(nodes[n].key for n in cut.kept),
        answers=answers, left_chars=left, summary_chars=need.summary_chars,
        lines=tuple(_lines(tx, older, covered)),
    )  # fmt: skip


def _unread(tx: Tx, occasion: Occasion) -> frozenset[NodeKey | None]:
    """Where mail stands that no committed answer has read."""
    waiting = [mail.delivery.node for mail in tx.accepted(occasion.branch, HARD_WAITING_MAX)]
    claimed = [delivery.node for delivery in tx.claimed(occasion.turn)] if occasion.turn else []
    return frozenset(waiting) | frozenset(claimed)


def _pieces(
    nodes: Sequence[Node], chars: Sequence[int], unread: frozenset[NodeKey | None]
) -> tuple[Piece, ...]:
    return tuple(
        Piece(
            node.role, node.turn, node.round, length, calls=_calls(node),
            is_unread=node.role == Role.USER and node.key in unread,
        )
        for node, length in zip(nodes, chars, strict=True)
    )  # fmt: skip


def _calls(node: Node) -> int:
    return len(json.loads(node.parts)["calls"]) if node.role == Role.ASSISTANT else 0


def _lines(tx: Tx, older: SummaryFacts | None, covered: Sequence[Node]) -> Iterator[Line]:
    """The record before, then everything behind it, each with who it is by."""
    if older is not None:
        yield {"by": "summary", "text": older.text}
    rounds: dict[tuple[int, int], list[CallResult]] = {}
    for call in tx.calls_of_turns(sorted({node.turn for node in covered if node.role == Role.TOOL})):
        rounds.setdefault((call.turn, call.round), []).append(call)
    for node in covered:
        match node.role:
            case Role.TOOL:
                yield from (
                    {"by": "tool", "tool": call.tool, "text": call.text or ""}
                    for call in rounds.get((node.turn, node.round), ())
                )
            case Role.ASSISTANT:
                yield _answer(node)
            case _:
                yield from _said(node)


def _answer(node: Node) -> Line:
    parts = json.loads(node.parts)
    calls: list[Json] = [{"tool": tool, "arguments": arguments} for tool, arguments in parts["calls"]]
    line: dict[str, Json] = {"by": "agent", "text": parts["text"]}
    return {**line, "calls": calls} if calls else line


def _said(node: Node) -> Iterator[Line]:
    """Only the person's own text is by the user, whatever another one says of itself (G10).

    Of an item that several messages share, each has a line.
    """
    if is_joined(node.parts):
        for one in parts_of(node.parts, node.body or "[]"):
            yield _line(one.facts, _BY.get(one.facts.kind, Provenance.AGENT), one.body)
    else:
        yield _line(facts_of(node.parts), node.provenance, node.body or "")


_BY: Mapping[str, Provenance] = {
    Kind.USER: Provenance.USER,
    Kind.NOTICE: Provenance.SYSTEM,
    Kind.PLUGIN: Provenance.PLUGIN,
    Kind.GOAL: Provenance.PLUGIN,
}
"""Whose texts of these kinds are; all others are agents'."""


def _line(facts: MailFacts, provenance: Provenance, text: str) -> Line:
    by = "user" if provenance == Provenance.USER else f"{provenance} {facts.sender}".strip()
    line: dict[str, Json] = {"by": by, "kind": facts.kind, "text": text}
    return {**line, "outcome": facts.outcome} if facts.outcome else line


def commit_summary(tx: Tx, made: Plan, text: str, usage: Usage) -> Summed:
    """Put the summary at the head, and charge it; raises `StaleFence` when the branch went on meanwhile.

    What the agent has going is listed with it, as it stands now.
    """
    occasion = made.occasion
    row = _own(tx, occasion, made.head)
    facts = SummaryFacts(
        text=text, through=made.through, keeps=list(made.keeps), answers=made.answers,
        open=list(_open(tx, occasion)),
    )  # fmt: skip
    node = tx.append_node(
        occasion.session, made.head, Role.SUMMARY, Provenance.SYSTEM, json.dumps(asdict(facts)), row.turn,
        row.rounds,
    )  # fmt: skip
    chars = made.left_chars + len(render_summary(facts))
    _record(tx, occasion, row, usage, outcome="made", code="")
    tx.compact(occasion.session, occasion.branch, node, made.through, chars, occasion.turn)
    return Summed(node, chars)


def fail_summary(tx: Tx, made: Plan, code: str, usage: Usage) -> None:
    """No summary came: everything stays as it was, and the call is charged and told of all the same."""
    row = _own(tx, made.occasion, made.head)
    _record(tx, made.occasion, row, usage, outcome="failed", code=code)


def _record(tx: Tx, occasion: Occasion, row: TurnRow, usage: Usage, *, outcome: str, code: str) -> None:
    event = {
        "purpose": Purpose.SUMMARY, "turn": row.turn, "call": None, "outcome": outcome, "code": code,
        **charge(tx, row, usage, rounds=0).facts,
    }  # fmt: skip
    tx.event(occasion.session, EventKind.SIDE_CALL_MADE, json.dumps(event), turn=occasion.turn)


def _own(tx: Tx, occasion: Occasion, head: NodeKey) -> TurnRow:
    """The turn that pays, while the branch stands as it was read."""
    row = _payer(tx, occasion, head)
    branch = tx.branch_row(occasion.branch)
    if row is None or branch.head != head or not _stands(tx, occasion, branch.turn, branch.paused_by):
        raise StaleFence(f"branch {occasion.branch} has gone on, or was stopped, while it was summed up")
    return row


def _stands(tx: Tx, occasion: Occasion, turn: TurnKey | None, paused_by: int | None) -> bool:
    """Whoever it is made for still waits for it."""
    if occasion.turn is None:
        found = tx.turn_state(turn) if turn is not None else None
        return paused_by == occasion.paused_by and (found is None or found[0] == TurnState.WAITING)
    if occasion.fence is not None:
        tx.own(occasion.turn, occasion.fence)
        return True
    found = tx.turn_state(occasion.turn)
    return found is not None and found[0] == TurnState.WAITING


def _payer(tx: Tx, occasion: Occasion, head: NodeKey | None) -> TurnRow | None:
    """The turn that caused it; when the person asks, the one whose words stand last."""
    if occasion.turn is not None:
        return tx.turn_row(occasion.turn)
    last = tx.nodes_by_key([head]) if head is not None else []
    return tx.turn_row(last[0].turn) if last else None


def _open(tx: Tx, occasion: Occasion) -> Iterator[str]:
    """What the agent waits to hear of: its tasks, then work in the background."""
    giver = tx.recipient_by_branch(None, occasion.branch)
    has_id = tx.policy(giver.policy).tasks_called == "task"
    for task in tx.open_tasks_given(occasion.branch):
        to = tx.recipient_by_branch(None, task.target)
        what = f"{address_of(tx, to)}, {task.state}"
        named = f"task {task.public_id}, " if has_id else ""
        yield f"{task.description or 'a task'} ({named}given to {what})"
    for work in tx.open_work_of_branch(occasion.branch):
        yield f"{work.label} (work in the background)"
