"""Goals: what a root agent has set out to do, kept before it until its list is done.

The agent is reminded when it thinks that it has finished: its turn has ended by itself, nothing waits to be
read, and nobody works for it. That is decided in the transaction that takes away the last obstacle: the end
of a turn of the tree, or of work in the background.

A turn that failed is not followed by a reminder, because a provider that is away would be asked again at
once; nor one that was cancelled or stopped, because the person has just said that it is enough. One that
was interrupted is: the death of a process says nothing about the goal. A reminder stays in the chain of the
turn before it, so the limit of the chain bounds the loop; when the person sets or resumes a goal, a chain
begins, as with a text of the person.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

from postroom.domain.event import actor_of
from postroom.domain.goal import Goal, GoalState
from postroom.domain.keys import BranchKey, CallKey, ChainKey, SessionKey
from postroom.domain.message import Delivery, Kind, Mode, Reason
from postroom.domain.node import MailFacts
from postroom.domain.receipt import Code, Refusal
from postroom.domain.turn import EndedBy, Turn, TurnState
from postroom.rules.goals import (
    REMINDERS_MAX,
    TEXT_CHARS_MAX,
    Item,
    is_fit,
    is_reached,
    n_done,
    outline,
    read_items,
    write_items,
)
from postroom.service.addresses import closed_to_all
from postroom.service.budgets import LimitsNow, begin_chain, unknown_limits
from postroom.service.facts import Ring
from postroom.service.notices import post_notice
from postroom.service.recall import discard_unread
from postroom.service.receipts import mode_at, recipient_state
from postroom.service.wake import wake_recipient
from postroom.store.tx import Tx
from postroom.store.tx_goals import LastWork
from postroom.store.tx_mail import Letter

SENDER = "goal"
"""Who a reminder is from: no agent, and not the person."""
_WELL = frozenset({TurnState.FINISHED, TurnState.INTERRUPTED})
_GAVE_UP = {
    "goal_no_progress": "The goal is paused: after {max} reminders in a row its list was still the same."
    " The person can resume it.",
    "goal_quarantined": "The goal is paused: five turns that read a reminder of it died before they answered."
    " The person can resume it.",
    "goal_chain_spent": "The goal is paused: the budget of its chain is spent. The person can resume it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalMoved:
    """A goal as the person's word has left it."""

    goal: Goal
    ring: Ring
    is_agent_paused: bool
    """Whether its agent was stopped: a goal alone makes it work on nothing."""


RenderGoal: TypeAlias = Callable[[Goal], str]
"""The surface's words for a goal that its agent has changed."""


def set_goal(tx: Tx, branch: BranchKey, text: str, limits: LimitsNow = unknown_limits) -> GoalMoved | Refusal:
    """Give a root agent a goal; an idle one begins at once.

    Refuses `not_a_root`, `invalid_body`, and `goal_open` while it has one.
    """
    session = tx.session_row(tx.branch_row(branch).session)
    if session.root != session.key or session.active_branch != branch:
        return Refusal(code=Code.NOT_A_ROOT)
    if not is_fit(text, TEXT_CHARS_MAX):
        return Refusal(code=Code.INVALID_BODY)
    if tx.open_goal(branch) is not None:
        return Refusal(code=Code.GOAL_OPEN)
    if (closed := closed_to_all(tx, branch)) is not None:
        return closed
    tx.insert_goal(session.key, branch, text)
    return _moved(tx, branch, limits)


def pause_goal(tx: Tx, branch: BranchKey) -> GoalMoved | Refusal:
    """Remind no more until it is resumed; doing it again changes nothing. Refuses `no_goal`."""
    goal, session = tx.open_goal(branch), tx.branch_row(branch).session
    if goal is None:
        return Refusal(code=Code.NO_GOAL)
    if goal.state != GoalState.PAUSED:
        _withdraw(tx, goal)
        tx.set_goal_state(session, goal, GoalState.PAUSED, "person")
    return _moved(tx, branch)


def resume_goal(tx: Tx, branch: BranchKey, limits: LimitsNow = unknown_limits) -> GoalMoved | Refusal:
    """Go on with it: reminders count from nothing, and an idle agent is reminded at once.

    It ends no pause of the agent itself (G11). Refuses `no_goal`.
    """
    goal = tx.open_goal(branch)
    if goal is None:
        return Refusal(code=Code.NO_GOAL)
    tx.set_goal_state(tx.branch_row(branch).session, goal, GoalState.ACTIVE, "person")
    return _moved(tx, branch, limits)


def cancel_goal(tx: Tx, branch: BranchKey) -> GoalMoved | Refusal:
    """Give it up. A turn that works on it goes on; an agent that knows of it is told. Refuses `no_goal`."""
    goal, session = tx.open_goal(branch), tx.branch_row(branch).session
    if goal is None:
        return Refusal(code=Code.NO_GOAL)
    knows = _knows(goal, is_unread=_withdraw(tx, goal))
    tx.set_goal_state(session, goal, GoalState.CANCELLED, "person")
    last = tx.last_work_of_branch(branch)
    if knows and last is not None:
        post_notice(tx, branch, "The person has cancelled the goal.", "goal_cancelled", last.chain)
    return _moved(tx, branch)


def change_goal(
    tx: Tx, turn: Turn, call: CallKey, items: Sequence[Item], render: RenderGoal
) -> str | Refusal:
    """`goal_update`: the whole list anew, with the call's result. A list that is all done is the end.

    The same list again is no change. Refuses `no_goal`; raises `StaleFence`.
    """
    row = tx.owned(turn.key, turn.fence)
    goal = tx.open_goal(turn.branch)
    if goal is None:
        return Refusal(code=Code.NO_GOAL)
    stored = write_items(items)
    if stored != goal.items:
        tx.set_goal_items(row.session, goal, turn.key, stored, len(items), n_done(items))
    if is_reached(items):
        _complete(tx, row.session, goal)
    text = render(_goal(tx, turn.branch))
    tx.end_call(row.session, turn.key, call, EndedBy.TOOL, text, is_error=False)
    return text


def remind(tx: Tx, ring: Ring, root: int) -> None:
    """An obstacle is gone somewhere in this tree: if it was the last one, its goal is brought to mind."""
    goal = tx.goal_of_tree(root)
    if goal is None or goal.state != GoalState.ACTIVE:
        return
    last = _idle_after(tx, goal)
    if last is None or _others_work(tx, root, goal):
        return
    why_not = _given_up(tx, goal, last.chain)
    if why_not is None:
        _post(tx, ring, goal, last)
    else:
        _give_up(tx, goal, why_not, last.chain)


def nudge(tx: Tx, ring: Ring, branch: BranchKey, limits: LimitsNow) -> None:
    """The person has said that work goes on: an idle agent with an active goal is reminded now.

    Who works for it, and how its last turn ended, is no reason against that.
    """
    row, goal = tx.branch_row(branch), tx.open_goal(branch)
    is_idle = row.turn is None and row.paused_by is None
    if goal is None or goal.state != GoalState.ACTIVE or not is_idle:
        return
    _withdraw(tx, goal)
    chain = begin_chain(tx, tx.recipient_by_branch(None, branch), limits)
    _post(tx, ring, goal, LastWork(TurnState.FINISHED, chain, 0, 0))


def set_spent_aside(tx: Tx, session: SessionKey, d: Delivery) -> None:
    """A reminder whose chain was spent while it waited for a slot: it is taken back, the goal is paused."""
    tx.discard(session, d, Reason.RECALLED)
    goal = tx.open_goal(d.recipient)
    if goal is not None and goal.state == GoalState.ACTIVE:
        _give_up(tx, goal, "goal_chain_spent", d.chain)


def _idle_after(tx: Tx, goal: Goal) -> LastWork | None:
    """The turn after which the agent has nothing to do, if it went well; else nothing."""
    row = tx.branch_row(goal.branch)
    if row.turn is not None or row.paused_by is not None or row.n_steer + row.n_queue:
        return None
    last = tx.last_work_of_branch(goal.branch)
    return last if last is not None and last.state in _WELL else None


def _others_work(tx: Tx, root: int, goal: Goal) -> bool:
    """Whether something goes on that the agent may be waiting for."""
    return (
        bool(tx.open_producers_of_branch(goal.branch))
        or tx.others_at_work(root, goal.branch)
        or tx.child_task_open(goal.branch)
    )


def _given_up(tx: Tx, goal: Goal, chain: ChainKey) -> str | None:
    """Why one more reminder would lead nowhere: the code of the notice that says so."""
    if tx.chain_of(chain).is_spent:
        return "goal_chain_spent"
    if goal.reminders >= REMINDERS_MAX:
        return "goal_no_progress"
    read = [] if goal.message is None else tx.deliveries_of_message(goal.message)
    is_poison = any(tx.reason_of(item.delivery.key) == Reason.QUARANTINED for item in read)
    return "goal_quarantined" if is_poison else None


def _post(tx: Tx, ring: Ring, goal: Goal, last: LastWork) -> None:
    to = tx.recipient_by_branch(None, goal.branch)
    facts = MailFacts(kind=Kind.GOAL, outcome=f"{goal.reminders + 1} of {REMINDERS_MAX}")
    letter = Letter(
        kind=Kind.GOAL, mode=mode_at(tx, to, Mode.STEER), body=outline(goal.text, read_items(goal.items)),
        facts=json.dumps(asdict(facts)), chain=last.chain, sender_address=SENDER, messages=last.messages,
        generations=last.generations,
    )  # fmt: skip
    message, _ = tx.post(letter, to, recipient_state(tx, to))
    tx.set_goal_reminder(to.session, goal, message)
    wake_recipient(tx, ring, to)


def _give_up(tx: Tx, goal: Goal, code: str, chain: ChainKey) -> None:
    """It pauses itself, and says so to the person and to the agent."""
    session, text = tx.branch_row(goal.branch).session, _GAVE_UP[code].format(max=REMINDERS_MAX)
    tx.set_goal_state(session, goal, GoalState.PAUSED, "system")
    tx.notify_person(session, code, text)
    post_notice(tx, goal.branch, text, code, chain)


def _complete(tx: Tx, session: SessionKey, goal: Goal) -> None:
    _withdraw(tx, goal)
    tx.set_goal_state(session, goal, GoalState.COMPLETED, actor_of(goal.branch))
    tx.notify_person(session, "goal_completed", "The goal is reached: everything on its list is done.")


def _knows(goal: Goal, *, is_unread: bool) -> bool:
    """Whether the agent has read of the goal, when its newest reminder is still `is_unread` or not."""
    return goal.message is not None and (not is_unread or goal.reminders > 1 or bool(read_items(goal.items)))


def _withdraw(tx: Tx, goal: Goal) -> bool:
    """Take back a reminder that nobody has read yet; a turn that it had opened finds nothing to read."""
    return goal.message is not None and discard_unread(tx, goal.message, Reason.RECALLED)


def _moved(tx: Tx, branch: BranchKey, nudged: LimitsNow | None = None) -> GoalMoved:
    ring = Ring()
    if nudged is not None:
        nudge(tx, ring, branch, nudged)
    is_paused = tx.branch_row(branch).paused_by is not None
    return GoalMoved(goal=_goal(tx, branch), ring=ring, is_agent_paused=is_paused)


def _goal(tx: Tx, branch: BranchKey) -> Goal:
    goal = tx.newest_goal(branch)
    assert goal is not None  # noqa: S101 -- it was read or inserted in this transaction
    return goal
