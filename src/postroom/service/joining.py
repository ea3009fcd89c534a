"""The boundary inside a turn: what may join it enters its context, from the mailbox and from its bus.

On a bus a delivery begins the rounds of its reader anew, a bounded number of times (systems.md 2.4).
"""

import traceback
from dataclasses import dataclass, replace

from postroom.domain.keys import TurnKey
from postroom.domain.message import HARD_WAITING_MAX, Delivery
from postroom.domain.node import Node
from postroom.domain.policy import Policy
from postroom.domain.session import Branch
from postroom.domain.turn import Turn
from postroom.errors import TakeFailed
from postroom.rules import schedule
from postroom.service.bus_take import draw, waits_on_bus
from postroom.service.facts import AgentFacts
from postroom.service.take import Boundary, pick, take
from postroom.store.rows import Mail, TurnRow
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """What entered, and the turn with the rounds that this leaves it."""

    turn: Turn
    nodes: tuple[Node, ...] = ()
    is_full: bool = False
    """Something waits, and the conversation is to be summed up before it is read."""


def join(
    tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts, branch: Branch | None = None, *, ends: bool = False
) -> Joined:
    """Take steers, notices, what is already in context, and what is for the agent on its bus.

    Where nothing waits this is cheap. `ends`: without anything that joins the turn would end here.
    """
    branch = branch or tx.branch_row(turn.branch)
    if branch.paused_by is not None:
        return Joined(turn=turn)
    waiting = _waiting(tx, branch)
    chosen = schedule.joining([m.delivery for m in waiting])
    on_bus = row.bus is not None and waits_on_bus(tx, turn.key, turn.branch)
    if not chosen and not on_bus:
        return Joined(turn=_spent(tx, row, turn, facts))
    if facts.is_full(branch.context_chars):
        return Joined(turn=turn, is_full=True)
    nodes = _taken(tx, row, boundary_of(tx, row, turn, facts), pick(waiting, chosen), ends=ends)
    if on_bus and not nodes and facts.compact_percent:  # not even one has room
        return Joined(turn=turn, is_full=True)
    _deepen(tx, row)
    return Joined(turn=_grown(tx, row, turn, facts) if nodes else _spent(tx, row, turn, facts), nodes=nodes)


def boundary_of(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts) -> Boundary:
    """Where mail enters now."""
    branch = tx.branch_row(turn.branch)
    return Boundary(
        turn=turn.key, branch=turn.branch, session=turn.session, head=branch.head,
        round=turn.rounds + 1, context_chars=branch.context_chars, policy=tx.policy(row.policy), facts=facts,
        waiting=branch.n_waiting, answers=branch.rounds,
    )  # fmt: skip


def may_grow(tx: Tx, row: TurnRow, facts: AgentFacts) -> bool:
    """Whether something on its bus will begin the rounds of a turn anew that has none left."""
    is_left = row.extensions < _extensions_max(tx.policy(row.policy), facts)
    return is_left and row.bus is not None and waits_on_bus(tx, row.turn, row.branch)


def _waiting(tx: Tx, branch: Branch) -> list[Mail]:
    """As much of the mailbox as has to be looked at; nothing is read where nothing may join."""
    if not branch.n_steer + branch.n_notice + branch.n_parked:
        return []
    mails = tx.accepted(branch.key)
    if len(mails) < branch.n_steer + branch.n_queue + branch.n_notice + branch.n_parked:
        mails = tx.accepted(branch.key, HARD_WAITING_MAX)  # what may join lies behind what may not
    return mails


def _taken(
    tx: Tx, row: TurnRow, boundary: Boundary, picked: tuple[Mail, ...], *, ends: bool
) -> tuple[Node, ...]:
    """On a bus a take that faults takes nothing and costs the turn nothing; it does not end without it."""
    if row.bus is None:
        return take(tx, boundary, picked)
    try:
        return tx.apart(lambda: take(tx, boundary, (*picked, *draw(tx, boundary, picked))))
    except Exception as error:  # outermost frame: mail that cannot be read now must not cost a run its turn
        place = traceback.extract_tb(error.__traceback__)[-1]  # nobody sees the fault itself
        what = f"{type(error).__name__}: {error} (in {place.name}, line {place.lineno})"
        if ends:
            raise TakeFailed(f"what is for turn {row.public_id} cannot be read: {what}") from error
        _tell_once(tx, row, TakeFailed.code, f"What is for {row.profile} cannot be read now: {what}")
        return ()


def _deepen(tx: Tx, row: TurnRow) -> None:
    """A turn's path numbers are the maximum over what joined it."""
    claimed: list[Delivery] = tx.claimed(row.turn)
    messages, generations = schedule.deepest(claimed)
    messages, generations = max(messages, row.messages), max(generations, row.generations)
    if (messages, generations) != (row.messages, row.generations):
        tx.deepen_turn(row.session, row.turn, messages, generations)


def _rounds_max(policy: Policy, facts: AgentFacts) -> int:
    """How many rounds a turn has before anything begins them anew."""
    return min(facts.rounds_max or policy.rounds_max, policy.rounds_max)


def _extensions_max(policy: Policy, facts: AgentFacts) -> int:
    """How often they begin anew: no oftener than there are of them (KK-37)."""
    return min(policy.extensions_max, _rounds_max(policy, facts))


def _spent(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts) -> Turn:
    """One that went on beyond its rounds for mail that did not come has used that extension all the same."""
    is_beyond = turn.rounds >= turn.rounds_max and row.extensions < _extensions_max(
        tx.policy(row.policy), facts
    )
    return _grown(tx, row, turn, facts) if is_beyond and row.bus is not None else turn


def _grown(tx: Tx, row: TurnRow, turn: Turn, facts: AgentFacts) -> Turn:
    """Its rounds begin anew; beyond the last time mail is read as before, and the person is told once."""
    policy = tx.policy(row.policy)
    if not policy.extensions_max:
        return turn
    if row.extensions >= _extensions_max(policy, facts):
        text = f"Messages have begun the rounds of {row.profile} anew {row.extensions} times; no more do."
        _tell_once(tx, row, "extensions_spent", text)
        return turn
    rounds_max = turn.rounds + _rounds_max(policy, facts)
    tx.grow_turn(row, rounds_max, row.extensions + 1)
    return replace(turn, rounds_max=rounds_max)


def _tell_once(tx: Tx, row: TurnRow, code: str, text: str) -> None:
    """The person hears of it once in a turn."""
    if not tx.was_told_in_turn(TurnKey(row.turn), code):
        tx.notify_person(row.session, code, text, turn=row.turn)
