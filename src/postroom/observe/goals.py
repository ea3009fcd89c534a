"""A goal as the person sees it."""

from dataclasses import asdict, dataclass
from typing import cast

from postroom.domain.goal import Goal
from postroom.domain.plain import Json
from postroom.domain.session import Session
from postroom.observe.find import find_agent
from postroom.rules.goals import n_done, read_items
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalItemView:
    """One thing to be done for a goal."""

    text: str
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalView:
    """An agent's goal: how it stands, its list, and the reminders since the list last changed."""

    goal_id: str
    session_id: str
    text: str
    state: str
    items: list[GoalItemView]
    done: int
    reminders: int
    agent_paused: bool
    """Whether the agent was stopped: it works on no goal until it is resumed."""


def view(goal: Goal, session: Session, *, agent_paused: bool) -> GoalView:
    """A row of a session's goal as a view."""
    items = read_items(goal.items)
    return GoalView(
        goal_id=goal.public_id, session_id=session.public_id, text=goal.text, state=goal.state,
        items=[GoalItemView(text=item.text, done=item.done) for item in items], done=n_done(items),
        reminders=goal.reminders, agent_paused=agent_paused,
    )  # fmt: skip


def goal(tx: Tx, reference: str) -> GoalView | None:
    """The open goal of an agent, else its last one; nothing when it never had any. Raises `NotFound`."""
    session, branch, _ = find_agent(tx, reference)
    found = tx.newest_goal(branch)
    if found is None:
        return None
    return view(found, session, agent_paused=tx.branch_row(branch).paused_by is not None)


def goal_row(tx: Tx, reference: str) -> dict[str, Json]:
    """The same as JSON, under `goal`."""
    return as_row(goal(tx, reference))


def as_row(found: GoalView | None) -> dict[str, Json]:
    """A goal, or none, as JSON."""
    return {"goal": None if found is None else cast("Json", asdict(found))}
