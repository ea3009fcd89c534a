"""A call that only waits, for a task or the person: its turn is suspended and holds no slot."""

from postroom.domain.keys import TurnKey
from postroom.domain.turn import TurnState
from postroom.service.facts import Ring
from postroom.store.tx import Tx
from postroom.store.tx_waits import NewWait


def begin_wait(tx: Tx, session: int, branch: int, turn: int, call: int, new: NewWait) -> None:
    """The call waits for a task, the person or its targets; the first wait of a batch suspends the turn."""
    if not tx.waits_of_branch(branch):
        tx.suspend_turn(session, turn, call, new.task)
    tx.insert_wait(session, branch, turn, call, new)


def for_task(tx: Tx, session: int, task: int) -> NewWait:
    """A wait for the end of a task; mail ends it earlier where the waiter's policy says so (G13)."""
    ends = tx.policy(tx.session_row(session).policy).waits_end
    return NewWait(task=task, by_mail=ends == "mail")


def end_wait(tx: Tx, session: int, branch: int, turn: int, call: int, *, goes_on: bool = False) -> None:
    """The call waits no more, because it ends in this commit or `goes_on`; after the last wait the turn
    runs again.
    """
    if goes_on:
        tx.end_wait(session, turn, call)
    else:
        tx.delete_wait(call)
    found = tx.turn_state(turn)
    if not tx.waits_of_branch(branch) and found is not None and found[0] == TurnState.SUSPENDED:
        tx.unsuspend_turn(session, turn)


def would_deadlock(tx: Tx, waiter: int, target: int) -> bool:
    """Whether a wait of one agent for a task of another would close a cycle of waits (G13).

    An edge leads from who waits to who runs, or will run, the awaited task: a task that lies behind the
    waiter's own turn can never begin.
    """
    seen, line = {target}, [target]
    while line:
        branch = line.pop()
        if branch == waiter:
            return True
        for wait in tx.waits_of_branch(branch):
            task = tx.task_row(wait.task) if wait.task else None
            if task is not None and task.target not in seen:
                seen.add(task.target)
                line.append(task.target)
    return False


def tell_waiters(tx: Tx, ring: Ring, branch: int) -> None:
    """Whoever waits for this agent looks again: a turn of it has ended, or it was stopped."""
    ring.answered.extend(TurnKey(turn) for turn in tx.waiting_for_agent(branch))
