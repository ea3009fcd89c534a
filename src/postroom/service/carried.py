"""A turn that its process did not end, and that another one goes on with.

Its claims stay, and only its fence moves. Every open call gets its one result: a call that waited for leave
waits on; ours are made again, because their effect stands in the transaction that ends them; any other one
may have taken effect, so its agent reads that it was interrupted, unless its tool says that it may be made
again. A turn that was at work counts how often in a row that happens: what ends its process each time must
not do so for ever.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from postroom.domain.ask import AskKind
from postroom.domain.keys import CallKey
from postroom.domain.node import Role
from postroom.domain.turn import EndedBy, Turn, TurnState
from postroom.rules.text import CHARS_PER_TOKEN
from postroom.service.close import end_unfinished
from postroom.service.facts import AgentFacts, Ring, Waiting
from postroom.service.start import Left, Started
from postroom.service.waits import end_wait
from postroom.service.wake import in_line
from postroom.store.rows import TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_waits import Wait

_SUMMARIES_MAX = 4
"""How many nodes may stand behind the last answer of a turn: summaries made for its end, and one more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A turn that goes on, and how it stands in line for a slot."""

    started: Started
    waiting: Waiting


def waits_for_the_person(tx: Tx, row: TurnRow) -> bool:
    """Every wait is for an ask, and nothing else of the round has begun: leave is asked for first."""
    waits = tx.waits_of_branch(row.branch)
    asks = [ask for wait in waits if wait.ask and (ask := tx.ask_row(wait.ask)) is not None]
    if row.state != TurnState.SUSPENDED or not asks or len(asks) < len(waits):
        return False
    begun = [ask for ask in asks if ask.kind == AskKind.QUESTION]
    return not begun or len(begun) == len(tx.open_calls(row.turn))


def may_be_carried_on(tx: Tx, row: TurnRow) -> bool:
    """Whether its policy lets it go on after a cut, once more without progress; never what was stopped."""
    policy = tx.policy(row.policy)
    if tx.branch_row(row.branch).paused_by is not None:
        return False
    return policy.host_death == "resume" and (_only_waits(tx, row) or row.resumes < policy.resumes_max)


def _only_waits(tx: Tx, row: TurnRow) -> bool:
    """Nothing of it was at work, so nothing of it can have ended its process."""
    waits = {int(wait.call) for wait in tx.waits_of_branch(row.branch)}
    if row.state != TurnState.SUSPENDED or not waits:
        return False
    return _needs_leave(tx, row) is not None or waits == {
        int(str(call[0])) for call in tx.open_calls(row.turn)
    }


def carry_on(tx: Tx, row: TurnRow, facts: AgentFacts) -> Kept:
    """Give the turn a new fence and its open calls the results that they can have now.

    What is left of it, its next runner finds in `Started.left`; it keeps the tools of its start.
    """
    if _only_waits(tx, row):
        tx.keep_turn(row)
    else:
        tx.carry_turn_on(row)
    waits = tx.waits_of_branch(row.branch)
    needs_leave = _needs_leave(tx, row)
    if needs_leave is None:
        _interrupt_foreign(tx, row, facts)
        _look_again(tx, row, waits)
    left = _left(tx, row, frozenset(wait.call for wait in waits), needs_leave)
    return Kept(started=_started(tx, row, facts, left), waiting=in_line(tx, row))


def _needs_leave(tx: Tx, row: TurnRow) -> CallKey | None:
    for wait in tx.waits_of_branch(row.branch):
        ask = tx.ask_row(wait.ask) if wait.ask else None
        if ask is not None and ask.kind == AskKind.APPROVAL:
            return wait.call
    return None


def _interrupt_foreign(tx: Tx, row: TurnRow, facts: AgentFacts) -> None:
    """Whether a tool that is not ours took effect nobody knows; its agent decides what to do about it."""
    again = {right.tool for right in facts.shows if right.repeats}
    for call in tx.calls_to_go_on(row.turn):
        if call.tool not in again:
            end_unfinished(tx, row, call.key, call.tool, EndedBy.DEATH)


def _look_again(tx: Tx, row: TurnRow, waits: Sequence[Wait]) -> None:
    """A call that waited for a task is made again, finds what it began, and waits on or not; asks stay."""
    for wait in waits:
        if wait.ask is None:
            end_wait(tx, row.session, row.branch, row.turn, wait.call, goes_on=True)


def _left(tx: Tx, row: TurnRow, begun: frozenset[CallKey], needs_leave: CallKey | None) -> Left:
    """What the next runner finds: an answer with open calls, one that was about to end the turn, or none."""
    found = tx.turn_state(row.turn)
    needs_slot = found is not None and found[0] == TurnState.RUNNING
    if tx.head_node(row.branch) != (Role.ASSISTANT, row.turn, row.rounds):
        return Left(needs_slot=needs_slot)
    if not tx.calls_of_round(row.turn, row.rounds):
        return Left(needs_slot=needs_slot, text=_last_text(tx, row))
    return Left(
        needs_slot=needs_slot, is_open=True, calls=tuple(tx.calls_to_go_on(row.turn)),
        needs_leave=needs_leave, begun=frozenset() if needs_leave else begun,
    )  # fmt: skip


def _last_text(tx: Tx, row: TurnRow) -> str:
    """What its last answer says: only a summary can stand behind it."""
    head = tx.head_of(row.branch)
    nodes = [] if head is None else tx.newest_texts(head, _SUMMARIES_MAX)
    parts = next((node.parts for node in nodes if node.role == Role.ASSISTANT), '{"text":""}')
    return str(json.loads(parts)["text"])


def _started(tx: Tx, row: TurnRow, facts: AgentFacts, left: Left) -> Started:
    """The turn under its new fence, with the tools that it was given when it started."""
    turn = Turn(
        key=row.turn, public_id=row.public_id, branch=row.branch, session=row.session, fence=row.fence + 1,
        chain=row.chain, task=row.task, rounds=row.rounds, rounds_max=row.rounds_max, answers=row.answers,
        is_last=bool(row.is_last),
    )  # fmt: skip
    names: list[str] = json.loads(row.tools)
    reserve = facts.reserve_tokens + sum(r.chars for r in facts.shows if r.tool in names) // CHARS_PER_TOKEN
    return Started(
        turn=turn, nodes=(), head_before=tx.head_of(row.branch), team=row.team, profile=row.profile,
        session_id=row.session_id, branch_id=row.branch_id, cwd=row.cwd, ring=Ring(), root=row.root,
        overlay=tx.tree_rights(row.root).overlay, policy=tx.policy(row.policy),
        facts=replace(
            facts, tools=row.tools, exposes_mail=facts.send_tool in names, reserve_tokens=reserve
        ),
        left=left,
    )  # fmt: skip
