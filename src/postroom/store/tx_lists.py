"""What lists of agents and tasks are made of, and the agents that a reference may name."""

from postroom.domain.keys import BranchKey
from postroom.store.tx_base import BaseTx, Row


class ListTx(BaseTx):
    """Reading statements of lists."""

    __slots__ = ()

    def branch_by_public_id(self, public_id: str) -> BranchKey | None:
        """The agent whose branch has this id."""
        return _branch(self._one("branch_by_public_id", public_id.lower()))

    def branch_of_task(self, task_id: str) -> BranchKey | None:
        """The agent that a task was given to."""
        return _branch(self._one("branch_of_task", task_id))


def _branch(row: Row | None) -> BranchKey | None:
    return None if row is None else BranchKey(int(str(row[0])))
