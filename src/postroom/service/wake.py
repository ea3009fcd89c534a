"""Give a branch its next turn, in the transaction that gave it the reason (G3)."""

from postroom.domain.keys import BranchKey, TurnKey
from postroom.domain.message import HARD_WAITING_MAX, TASKS, Delivery, Kind
from postroom.domain.policy import Policy
from postroom.domain.session import Branch
from postroom.domain.turn import TurnState
from postroom.rules import schedule
from postroom.service.facts import Pool, Ring, Waiting
from postroom.service.waits import tell_of_mail
from postroom.store.rows import Mail, RecipientRow, TurnRow
from postroom.store.tx import Tx
from postroom.store.tx_turns import NewTurn

_PERSONS = frozenset({"user", "resume"})
"""Triggers of turns that the person opens."""
_TRIGGERS = {
    Kind.USER: "user",
    Kind.PROMPT: "task",
    Kind.TASK: "task",
    Kind.PLUGIN: "plugin",
    Kind.GOAL: "plugin",
}


def wake(tx: Tx, ring: Ring, branch: BranchKey) -> TurnKey | None:
    """Open a waiting turn if the branch has none, is not paused and unread mail may open one."""
    row = tx.branch_row(branch)
    if row.turn is not None:
        tell_of_mail(tx, ring, branch, row.turn)
        return None
    if row.paused_by is not None or not row.n_steer + row.n_queue:
        return None
    if row.archived_us is not None:
        return None
    first = schedule.opener([m.delivery for m in unread(tx, row.key)])
    return None if first is None else open_turn(tx, ring, row, first)


def wake_recipient(tx: Tx, ring: Ring, to: RecipientRow) -> TurnKey | None:
    """The same for a branch that has just been sent something; most often it is running."""
    if to.paused_by is not None or to.turn_state in (TurnState.WAITING, TurnState.RUNNING):
        return None
    return wake(tx, ring, to.branch)


def open_turn(tx: Tx, ring: Ring, row: Branch, first: Delivery) -> TurnKey:
    """A waiting turn, provisionally in the chain of what opens it; its start decides finally."""
    task = first.message if first.kind in TASKS else None
    if task is not None:
        tx.line_up_task(row.session, task)
    return insert(tx, ring, row, _TRIGGERS.get(first.kind, "mail"), first.chain, task)


def insert(tx: Tx, ring: Ring, row: Branch, trigger: str, chain: int, task: int | None) -> TurnKey:
    """Insert the turn and put it on the ring."""
    session = tx.session_row(row.session)
    policy = tx.policy(session.policy)
    new = NewTurn(
        branch=row.key, session=row.session, root=session.root, trigger=trigger, chain=chain, task=task,
        messages=0, generations=0, rounds_max=policy.rounds_max,
    )  # fmt: skip
    turn = tx.insert_turn(new)
    pool = _pool_of(policy, trigger)
    ring.woken.append(Waiting(turn, row.key, session.root, policy.concurrency, pool))
    return turn


def in_line(tx: Tx, row: TurnRow) -> Waiting:
    """A turn that was opened earlier, as it waits for its slot now."""
    policy = tx.policy(row.policy)
    pool = _pool_of(policy, row.trigger)
    if pool is Pool.PROCESS and _persons_text_waits(tx, row.branch):
        pool = Pool.NONE
    return Waiting(row.turn, row.branch, row.root, policy.concurrency, pool)


def _pool_of(policy: Policy, trigger: str) -> Pool:
    """Whose slots a turn takes. Where those are the process's, what the person opens takes none."""
    if policy.slots == "tree":
        return Pool.TREE
    return Pool.NONE if trigger in _PERSONS else Pool.PROCESS


def hurry(tx: Tx, ring: Ring, branch: BranchKey) -> None:
    """The person has spoken: a turn in the line of the process reads that first, and starts now."""
    turn = tx.branch_row(branch).turn
    row = None if turn is None else tx.turn_row(turn)
    if row is None or row.state != TurnState.WAITING:
        return
    if (waiting := in_line(tx, row)).pool is Pool.NONE:
        ring.woken.append(waiting)


def _persons_text_waits(tx: Tx, branch: BranchKey) -> bool:
    first = schedule.opener([m.delivery for m in unread(tx, branch)])
    return first is not None and first.kind is Kind.USER


def drop_ended(tx: Tx, ring: Ring) -> None:
    """Take off the ring the turns that this transaction has ended after it had opened them."""
    ring.woken = [w for w in ring.woken if (s := tx.turn_state(w.turn)) and s[0] == TurnState.WAITING]


def unread(tx: Tx, branch: BranchKey) -> list[Mail]:
    """As much of a mailbox as one boundary looks at; all of it when that part may open no turn."""
    mails = tx.accepted(branch)
    if schedule.opener([m.delivery for m in mails]) is None:
        mails = tx.accepted(branch, HARD_WAITING_MAX)
    return mails
