"""Tasks as the log tells of them: given, lined up, started, ended once."""

from postroom.domain.task import TaskState
from postroom.rules import lifecycle
from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded, NotFoldable, task_of


def queued(state: Folded, facts: Facts) -> None:
    """`task.queued`: somebody awaits an answer. An older log has only tasks that came with their agent."""
    key, made_agent = facts.key("task"), facts.maybe("made_agent")
    state.tasks[key] = rows.Task(
        dispatcher=facts.key("dispatcher"), dispatcher_turn=facts.key("dispatcher_turn"),
        target=facts.key("target"), parent=facts.maybe("parent"),
        state=facts.word_or("state", TaskState.QUEUED.value),
        made_agent=1 if made_agent is None else made_agent, archives=facts.maybe("archives") or 0,
    )  # fmt: skip
    state.task_ids[key] = facts.word_or("id", "")


def lined_up(state: Folded, facts: Facts) -> None:
    """`task.lined_up`: a turn is made for it."""
    key = facts.key("task")
    state.tasks[key] = _moved(state, key, TaskState.QUEUED)


def started(state: Folded, facts: Facts) -> None:
    """`task.started`: the turn that runs it has started."""
    key = facts.key("task")
    state.tasks[key] = _moved(state, key, TaskState.RUNNING)._replace(turn=facts.key("turn"))


def ended(state: Folded, facts: Facts) -> None:
    """`task.ended`: its terminal state, once (O-16)."""
    key = facts.key("task")
    state.tasks[key] = _moved(state, key, TaskState(facts.word("state")))._replace(
        outcome=facts.word("outcome"), cause=facts.word("cause"), result_message=facts.maybe("message")
    )


def _moved(state: Folded, key: int, after: TaskState) -> rows.Task:
    row = task_of(state, key)
    before = TaskState(row.state)
    if lifecycle.is_absorbed(before):
        raise NotFoldable(f"task {key} has ended before")
    if not lifecycle.is_legal_for_task(before, after):
        raise NotFoldable(f"task {key} went from {before} to {after}")
    return row._replace(state=after.value)
