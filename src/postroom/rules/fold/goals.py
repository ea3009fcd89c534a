"""Folding the events of goals. A list itself is not told: it is the arguments of the call that wrote it."""

from postroom.domain.goal import FINAL_STATES, GoalState
from postroom.rules.fold import rows
from postroom.rules.fold.state import Facts, Folded, NotFoldable


def given(state: Folded, facts: Facts) -> None:
    """`goal.set`: an agent has one, active and without a list."""
    state.goals[facts.key("goal")] = rows.Goal(branch=facts.key("branch"))


def changed(state: Folded, facts: Facts) -> None:
    """`goal.changed`: another list, and no reminder of it yet."""
    key = facts.key("goal")
    state.goals[key] = _open(state, key)._replace(reminders=0)


def reminded(state: Folded, facts: Facts) -> None:
    """`goal.reminded`: once more since the list last changed."""
    key, reminders = facts.key("goal"), facts.key("reminders")
    row = _open(state, key)
    if reminders != row.reminders + 1:
        raise NotFoldable(f"reminder {reminders} of goal {key} does not follow reminder {row.reminders}")
    state.goals[key] = row._replace(reminders=reminders, message=facts.key("message"))


def moved(state: Folded, facts: Facts) -> None:
    """`goal.moved`: made active anew, it counts from nothing."""
    key, after = facts.key("goal"), GoalState(facts.word("state"))
    row = _open(state, key)
    reminders = 0 if after is GoalState.ACTIVE else row.reminders
    state.goals[key] = row._replace(state=after.value, reminders=reminders)


def _open(state: Folded, key: int) -> rows.Goal:
    row = state.goals.get(key)
    if row is None or row.state in FINAL_STATES:
        raise NotFoldable(f"goal {key} is not open")
    return row
