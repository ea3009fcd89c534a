"""What the person sets an agent out to do."""

from postroom.app.base import RoomBase, allowed
from postroom.domain.receipt import Refusal
from postroom.domain.session import Session
from postroom.observe import goals
from postroom.observe.goals import GoalView
from postroom.service.goals import GoalMoved


class GoalRoom(RoomBase):
    """Goals of agents at the root of their tree. What is changed is durable on return."""

    async def goal_set(self, session: str, text: str) -> GoalView:
        """Give an agent a goal: it keeps a list of what is to be done, and is reminded until all is done.

        An idle one begins at once; one that was stopped stays stopped. Raises `Refused` (`not_a_root`,
        `invalid_body`, `goal_open`), `NotFound`.
        """
        found = await self.agent_of(session)
        return _view(found.session, await self.office.set_goal(found.branch, text))

    async def goal_pause(self, session: str) -> GoalView:
        """Remind the agent no more. Raises `Refused` (`no_goal`)."""
        found = await self.agent_of(session)
        return _view(found.session, await self.office.pause_goal(found.branch))

    async def goal_resume(self, session: str) -> GoalView:
        """Go on with the goal: reminders count from nothing, an idle agent is reminded at once.

        An agent that was stopped stays stopped. Raises `Refused` (`no_goal`).
        """
        found = await self.agent_of(session)
        return _view(found.session, await self.office.resume_goal(found.branch))

    async def goal_cancel(self, session: str) -> GoalView:
        """Give the goal up; a turn that works on it goes on. Raises `Refused` (`no_goal`)."""
        found = await self.agent_of(session)
        return _view(found.session, await self.office.cancel_goal(found.branch))

    async def goal_show(self, session: str) -> GoalView | None:
        """The agent's open goal, else its last one; `None` when it never had any."""
        self.check_open()
        return await self.store.read(goals.goal, session)


def _view(session: Session, outcome: GoalMoved | Refusal) -> GoalView:
    moved = allowed(outcome)
    return goals.view(moved.goal, session, agent_paused=moved.is_agent_paused)
