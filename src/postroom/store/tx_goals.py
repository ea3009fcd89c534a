"""Goals: the statements, with their events."""

from typing import NamedTuple

from postroom.domain.event import EventKind, actor_of
from postroom.domain.goal import FINAL_STATES, Goal, GoalState
from postroom.domain.keys import ChainKey, GoalKey, MessageKey
from postroom.store.tx_log import LogTx


class LastWork(NamedTuple):
    """How an agent's newest turn went, in which chain, and how deep it was."""

    state: str
    chain: ChainKey
    messages: int
    generations: int


class GoalTx(LogTx):
    """Goals in the store."""

    __slots__ = ()

    def insert_goal(self, session: int, branch: int, text: str) -> GoalKey:
        """An agent is given a goal."""
        key = self._insert("insert_goal", self.new_id(), branch, text, self.now_us)
        self.event(session, EventKind.GOAL_SET, f'{{"goal":{key},"branch":{branch}}}', actor="person")
        return GoalKey(key)

    def open_goal(self, branch: int) -> Goal | None:
        """The goal that an agent works on, active or paused."""
        return self._find("open_goal", Goal._make, branch)

    def newest_goal(self, branch: int) -> Goal | None:
        """The goal that an agent was given last, however it stands."""
        return self._find("newest_goal", Goal._make, branch)

    def goal_of_tree(self, root: int) -> Goal | None:
        """The open goal of the agent at the root of a tree."""
        return self._find("goal_of_tree", Goal._make, root)

    def set_goal_items(
        self, session: int, goal: Goal, turn: int, items: str, n_items: int, done: int
    ) -> None:
        """The list is another one; `items` is its JSON, which the log knows as the arguments of a call."""
        self._do("set_goal_items", items, goal.key)
        event = f'{{"goal":{goal.key},"items":{n_items},"done":{done}}}'
        self.event(session, EventKind.GOAL_CHANGED, event, actor=actor_of(goal.branch), turn=turn)

    def set_goal_reminder(self, session: int, goal: Goal, message: MessageKey) -> None:
        """The agent is reminded once more."""
        reminders = goal.reminders + 1
        self._do("set_goal_reminder", message, reminders, goal.key)
        event = f'{{"goal":{goal.key},"message":{message},"reminders":{reminders}}}'
        self.event(session, EventKind.GOAL_REMINDED, event)

    def set_goal_state(self, session: int, goal: Goal, state: GoalState, actor: str) -> None:
        """The goal moves on. Made active anew, it counts its reminders from nothing."""
        ended_us = self.now_us if state in FINAL_STATES else None
        self._do("set_goal_state", str(state), str(state), ended_us, goal.key)
        event = f'{{"goal":{goal.key},"state":"{state}"}}'
        self.event(session, EventKind.GOAL_MOVED, event, actor=actor)

    def others_at_work(self, root: int, branch: int) -> bool:
        """Whether any agent of a tree but this one has a turn, also one that only waits."""
        return self._one("others_at_work", root, branch) is not None

    def child_task_open(self, branch: int) -> bool:
        """Whether a task that this agent has given to a child is open."""
        return self._one("child_task_open", branch) is not None

    def last_work_of_branch(self, branch: int) -> LastWork | None:
        """The newest turn of a branch that was more than a turn without anything to read."""
        return self._find("last_work_of_branch", LastWork._make, branch)
