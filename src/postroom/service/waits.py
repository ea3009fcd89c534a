"""A call that only waits: the turn is suspended and holds no slot (product.md, Tasks and waits, 4)."""

from postroom.domain.turn import TurnState
from postroom.store.tx import Tx


def begin_wait(tx: Tx, session: int, branch: int, turn: int, call: int, task: int) -> None:
    """The call waits for the task; the first wait of a batch suspends the turn."""
    if not tx.waits_of_branch(branch):
        tx.suspend_turn(session, turn, call, task)
    tx.insert_wait(session, branch, turn, call, task)


def end_wait(tx: Tx, session: int, branch: int, turn: int, call: int) -> None:
    """The call waits no more; after the last wait the turn runs again."""
    tx.delete_wait(call)
    found = tx.turn_state(turn)
    if not tx.waits_of_branch(branch) and found is not None and found[0] == TurnState.SUSPENDED:
        tx.unsuspend_turn(session, turn)
