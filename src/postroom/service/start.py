"""A waiting turn gets its slot: what opens it is claimed in the transaction that starts it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from postroom.domain.keys import BranchKey, CallKey, ChainKey, MessageKey, NodeKey, SessionKey, TurnKey
from postroom.domain.message import TASKS, Delivery, Kind, Reason
from postroom.domain.node import Node
from postroom.domain.policy import Policy
from postroom.domain.task import Outcome
from postroom.domain.turn import Call, Turn, TurnState
from postroom.rules import schedule
from postroom.rules.compaction import Why
from postroom.rules.guards import check_messages
from postroom.rules.permissions import read_overlay
from postroom.service.budgets import spent_reason
from postroom.service.bus import join_bus
from postroom.service.bus_take import draw
from postroom.service.compaction import Occasion, Tried
from postroom.service.facts import AgentFacts, Directory, Ring
from postroom.service.goals import remind, set_spent_aside
from postroom.service.limits import Who, facts_of, limits_of_other
from postroom.service.notices import tell_sender
from postroom.service.outbox import flush, flush_to, holds_mail
from postroom.service.results import Report, report_task
from postroom.service.take import Boundary, added_chars, pick, take
from postroom.service.waits import tell_waiters
from postroom.service.wake import unread, wake
from postroom.store.rows import Mail, TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_turns import Beginning


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """How far a turn was when the process that ran it ended."""

    needs_slot: bool = False
    """It was at work; else it only waits, and takes a slot when it need not any more."""
    text: str | None = None
    """The answer with which it was about to end."""
    is_open: bool = False
    """The results of its last answer are not in the conversation yet."""
    calls: tuple[Call, ...] = ()
    """The calls of that answer that have no result yet."""
    needs_leave: CallKey | None = None
    """Which of them waits for an approval, if one does: then none of them has begun."""
    begun: frozenset[CallKey] = frozenset()
    """Those that had begun to wait: no gate is asked about them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A turn that runs: its facts, and the nodes that its opening boundary appended."""

    turn: Turn
    nodes: tuple[Node, ...]
    head_before: NodeKey | None
    """Where the conversation stood before this boundary."""
    team: str
    profile: str
    session_id: str
    branch_id: str
    cwd: str
    root: SessionKey
    overlay: str
    """The person's rules over the tree when the turn started."""
    policy: Policy
    """That of its session."""
    ring: Ring
    facts: AgentFacts
    """The agent's facts with the tools that this turn keeps."""
    left: "Left | None" = None
    """Where a process before this one has left it, for a turn that goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotStarted:
    """Why a waiting turn did not start; `ring` may name another turn of the branch."""

    reason: str
    ring: Ring
    occasion: Occasion | None = None
    """The conversation is to be summed up, and then the turn to be started again: it waits still."""


def start(tx: Tx, turn: TurnKey, directory: Directory, tried: Tried | None = None) -> Started | NotStarted:
    """Waiting to running, with its mail claimed. Refuses nothing; a turn without reason ends.

    A full conversation is summed up before anything is claimed, unless that was `tried` already.
    """
    row, ring = tx.turn_row(turn), Ring()
    if row is None or row.state != TurnState.WAITING:
        return NotStarted(reason="not_waiting", ring=ring)
    flush(tx, ring, row.branch, directory)
    if holds_mail(tx.policy(row.policy)):
        flush_to(tx, ring, row.branch, directory)
    mails = _unspent(tx, ring, row)
    chosen = _chosen(tx, row, [m.delivery for m in mails])
    terms = _terms(tx, row, schedule.opener(chosen), directory)
    who = Who(
        team=row.team, profile=terms.profile or row.profile, surface=tx.policy(row.policy).surface,
        limits=terms.limits or row.limits,
    )  # fmt: skip
    known = facts_of(directory, who)
    if known is None:
        tx.notify_person(
            row.session, "profile_missing",
            f"profile {terms.profile or row.profile} of {row.team} cannot be loaded",
        )  # fmt: skip
        return NotStarted(reason="profile_missing", ring=ring)
    if (ending := _no_reason(tx, row, chosen)) is not None:
        return _end_unread(tx, ring, row, *ending)
    picked, first = pick(mails, chosen), schedule.opener(chosen)
    opener = next((mail for mail in picked if mail.delivery is first), None)
    path = _path(tx, row, picked, opener)
    facts = known.seen(
        read_overlay(tx.tree_rights(row.root).overlay), _open_actions(tx, row), is_spent=path.is_spent
    )
    facts = replace(facts, compact_percent=tried.percent) if tried is not None else facts
    boundary = _boundary(tx, row, facts)
    needed = added_chars(tx, boundary, opener or picked[0]) if picked else 0
    if tried is None and _is_full(boundary, needed):
        occasion = _occasion(row, facts, terms.profile or row.profile, needed)
        return NotStarted(reason="full", ring=ring, occasion=occasion)
    if needed > boundary.room_chars if picked else tried and facts.is_over(boundary.context_chars):
        return _too_long(tx, ring, row, picked, "" if tried is None else tried.cause)
    return _begin(tx, ring, row, boundary, picked, opener, terms, path)


def _no_reason(tx: Tx, row: TurnRow, chosen: Sequence[Delivery]) -> tuple[TurnState, str] | None:
    """Why it does not start at all, as its end: nothing opens it, or nothing is left to go on with."""
    chain = tx.chain_of(row.chain)
    if schedule.opener(chosen) is None and chain.is_spent:
        return TurnState.FAILED, spent_reason(chain)
    if not chosen and row.trigger != "resume":
        return TurnState.CANCELLED, "nothing_to_read"
    return None


def _end_unread(tx: Tx, ring: Ring, row: TurnRow, state: TurnState, reason: str) -> NotStarted:
    tx.end_turn(row, state, reason)
    tell_waiters(tx, ring, row.branch)
    remind(tx, ring, row.root)
    return NotStarted(reason=reason.partition(":")[0], ring=ring)


class Path(NamedTuple):
    """The chain that a turn belongs to, and how far along its path it stands."""

    chain: ChainKey
    messages: int
    generations: int
    is_spent: bool
    """No message is left on it."""


def _path(tx: Tx, row: TurnRow, picked: Sequence[Mail], opener: Mail | None) -> Path:
    """Of what it reads, the deepest; a turn that goes on from one before it stands no higher than that."""
    chain = row.chain if opener is None else opener.delivery.chain
    messages, generations = schedule.deepest([m.delivery for m in picked])
    last = tx.last_begun_turn(row.branch) if opener is None else None
    if last is not None:
        messages, generations = max(messages, last.messages), max(generations, last.generations)
    is_spent = check_messages(messages, tx.chain_of(chain).limits) is not None
    return Path(ChainKey(chain), messages, generations, is_spent)


def _is_full(boundary: Boundary, needed_chars: int) -> bool:
    """A summary is due, or what opens the turn finds no room without one."""
    facts = boundary.facts
    lacks_room = facts.compact_percent > 0 and needed_chars > boundary.room_chars
    return lacks_room or facts.is_full(boundary.context_chars)


def _occasion(row: TurnRow, facts: AgentFacts, profile: str, needed_chars: int) -> Occasion:
    return Occasion(
        branch=row.branch, session=row.session, why=Why.EARLY, facts=facts, team=row.team, profile=profile,
        branch_id=row.branch_id, needed_chars=needed_chars, turn=row.turn,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a turn takes over from what opens it."""

    task: MessageKey | None = None
    """The task that it runs."""
    answers: MessageKey | None = None
    """The mail whose sender is owed what it says."""
    lineage: MessageKey | None = None
    """The task under which it runs: its own, else that under which its opener was written (OP-75)."""
    profile: str = ""
    """As whom it runs; empty: as its branch."""
    limits: str = ""
    """What it may do at most, if it runs as another; empty: as its branch."""


def _terms(tx: Tx, row: TurnRow, first: Delivery | None, directory: Directory) -> Terms:
    """A turn without an opener goes on from the one before it, and under the same task."""
    if first is None:
        last = tx.last_begun_turn(row.branch)
        return Terms(lineage=last.lineage if last else None)
    task = first.message if first.kind in TASKS else None
    found = tx.terms_of_message(first.message)
    told = found.parent_of_task if first.kind is Kind.RESULT else found.task
    answers = first.message if first.owes and task is None else None
    limits = limits_of_other(tx, row, first.message, directory) if found.profile else ""
    return Terms(task=task, answers=answers, lineage=task or told, profile=found.profile, limits=limits)


def _open_actions(tx: Tx, row: TurnRow) -> frozenset[str]:
    """Actions that need no rule in this turn: a goal is worked on by who has it."""
    return frozenset({"goal"}) if tx.open_goal(row.branch) is not None else frozenset()


def _begin(  # noqa: PLR0913 -- what starts, and all that it starts with
    tx: Tx, ring: Ring, row: TurnRow, boundary: Boundary, picked: Sequence[Mail], opener: Mail | None,
    terms: Terms, path: Path,
) -> Started:  # fmt: skip
    chain, task = path.chain, terms.task
    facts, policy_rounds = boundary.facts, boundary.policy.rounds_max
    begin = Beginning(
        fence=row.fence + 1, chain=chain, task=task, messages=path.messages,
        generations=path.generations,
        rounds_max=min(facts.rounds_max or policy_rounds, policy_rounds), tools=facts.tools,
        answers=terms.answers, lineage=terms.lineage, profile=terms.profile, limits=terms.limits,
    )  # fmt: skip
    tx.begin_turn(row, begin)
    tx.charge_chain(chain, turns=1)
    if task is not None:
        tx.start_task(row.session, task, row.turn)
    join_bus(tx, row, task)
    nodes = take(tx, boundary, (*picked, *draw(tx, boundary, picked)), opener)
    turn = Turn(
        key=row.turn, public_id=row.public_id, branch=row.branch, session=row.session, fence=begin.fence,
        chain=chain, task=task, rounds=row.rounds, rounds_max=begin.rounds_max,
        answers=terms.answers,
    )  # fmt: skip
    return Started(
        turn=turn, nodes=nodes, head_before=boundary.head, team=row.team,
        profile=terms.profile or row.profile, session_id=row.session_id, branch_id=row.branch_id,
        cwd=row.cwd, ring=ring, facts=facts, root=row.root, overlay=tx.tree_rights(row.root).overlay,
        policy=boundary.policy,
    )  # fmt: skip


def _chosen(tx: Tx, row: TurnRow, waiting: Sequence[Delivery]) -> tuple[Delivery, ...]:
    opening = schedule.opening(waiting, together=tx.policy(row.policy).drains_together)
    return opening or (schedule.joining(waiting) if row.trigger == "resume" else ())


def _unspent(tx: Tx, ring: Ring, row: TurnRow) -> list[Mail]:
    """Unread mail, without what would open a turn in a spent chain: its sender is told."""
    while True:
        mails = unread(tx, row.branch)
        first = schedule.opener([m.delivery for m in mails])
        if first is None or not tx.chain_of(first.chain).is_spent:
            return mails
        if first.kind is Kind.GOAL:
            set_spent_aside(tx, row.session, first)
            continue
        _set_aside(tx, ring, row, first, "chain_spent")
        if first.kind not in TASKS:
            tell_sender(tx, first, "chain_spent")


def _set_aside(tx: Tx, ring: Ring, row: TurnRow, d: Delivery, cause: str) -> None:
    """Mail that cannot open a turn waits, parked; a task ends, or its dispatcher would wait for ever."""
    if d.kind in TASKS:
        tx.discard(row.session, d, Reason.FAILED)
        report_task(tx, ring, d.message, Report(outcome=Outcome.FAILED, cause=cause))
    elif not d.parked:
        tx.park(row.session, d)


def _too_long(tx: Tx, ring: Ring, row: TurnRow, picked: Sequence[Mail], why: str) -> NotStarted:
    """Not even one delivery fits: the turn fails with that cause, its mail waits, parked."""
    cause = f"context_too_long: {why}" if why else "context_too_long"
    for item in picked:
        _set_aside(tx, ring, row, item.delivery, cause)
        if item.delivery.owes and item.delivery.kind not in TASKS:
            tell_sender(tx, item.delivery, Reason.FAILED, item.body)
    tx.end_turn(row, TurnState.FAILED, cause)
    tell_waiters(tx, ring, row.branch)
    tx.notify_person(row.session, "context_too_long", f"the mail of {row.handle or row.profile} does not fit")
    wake(tx, ring, BranchKey(row.branch))
    remind(tx, ring, row.root)
    return NotStarted(reason="context_too_long", ring=ring)


def _boundary(tx: Tx, row: TurnRow, facts: AgentFacts) -> Boundary:
    branch = tx.branch_row(row.branch)
    return Boundary(
        turn=row.turn, branch=row.branch, session=row.session, head=branch.head,
        round=row.rounds + 1, context_chars=row.context_chars, policy=tx.policy(row.policy), facts=facts,
        waiting=branch.n_waiting, answers=branch.rounds,
    )  # fmt: skip
