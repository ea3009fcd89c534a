"""Tasks as those see them who handed them out: by id, by who is above and below, as a list."""

from typing import NamedTuple

from postroom.domain.keys import BranchKey, MessageKey
from postroom.domain.task import Task
from postroom.store.tx_log import LogTx


class TaskStep(NamedTuple):
    """One task of a walk through what grew out of another."""

    task: MessageKey
    parent: MessageKey | None
    target: BranchKey
    state: str


class GivenTask(NamedTuple):
    """One task of a list. `subject` is as it was written."""

    task_id: str
    state: str
    outcome: str
    cause: str
    target: BranchKey
    subject: str


class TaskTx(LogTx):
    """Reads of tasks."""

    __slots__ = ()

    def task_by_public_id(self, public_id: str) -> Task | None:
        """The task that a dispatcher names."""
        return self._find("task_by_public_id", Task._make, public_id)

    def tasks_under(self, task: int) -> list[TaskStep]:
        """A task and everything that grew out of it, in no order."""
        return self._each("tasks_under", TaskStep._make, task)

    def branches_above(self, branch: int) -> frozenset[BranchKey]:
        """A branch and everything above it."""
        return frozenset(BranchKey(int(str(r[0]))) for r in self._all("branches_above", branch))

    def tasks_given_under(self, branch: int, limit: int) -> list[GivenTask]:
        """What a branch and everything below it have handed out, newest first."""
        return self._each("tasks_given_under", GivenTask._make, branch, limit)

    def unread_results_of(self, branch: int) -> list[Task]:
        """The tasks that a branch has given and whose results lie unread in its mailbox, oldest first."""
        return self._each("unread_results_of", Task._make, branch, branch)

    def results_taken_in(self, turn: int, branch: int) -> list[Task]:
        """The same of results that calls of a turn have returned, and no answer has read yet."""
        return self._each("results_taken_in", Task._make, turn, branch)

    def open_tasks_given(self, branch: int) -> list[Task]:
        """The tasks that a branch has given and that have not ended, oldest first."""
        return self._each("open_tasks_given", Task._make, branch)

    def running_tasks(self) -> list[tuple[MessageKey, int | None]]:
        """(task, its turn) of every task that is said to run."""
        found = ((int(str(task)), turn) for task, turn in self._all("running_tasks"))
        return [(MessageKey(task), None if turn is None else int(str(turn))) for task, turn in found]
