"""What the end of a task means for the agent that was made for it: merged, or archived."""

from postroom.domain.task import Outcome, Task
from postroom.service.facts import Ring
from postroom.store.tx import Tx


def settle_agent(tx: Tx, ring: Ring, task: Task, outcome: Outcome) -> None:
    """Merge a branch whose background work has come back well; put on the ring whom its task retires.

    Archiving is a commit of its own after this one: the result is durable whatever becomes of it (OP-83).
    """
    if not task.made_agent:
        return
    row = tx.branch_row(task.target)
    policy = tx.policy(tx.session_row(row.session).policy)
    came_back = task.background and outcome is Outcome.SUCCEEDED and row.head is not None
    if policy.merges_spawns and came_back and row.head is not None:
        tx.merge_branch(row.session, row.key, row.head)
    if task.archives:
        ring.retiring.append(row.key)
