"""What a person sets an agent out to do."""

from fastapi import APIRouter

from postroom.daemon.api.given import Given, Reference, Words
from postroom.daemon.api.guard import Operate, Read
from postroom.daemon.api.refusals import refuses
from postroom.domain.receipt import Code
from postroom.observe.goals import GoalView

router = APIRouter(prefix="/agents/{agent}/goal", tags=["goals"])


class GoalGiven(Given):
    """What the agent is to reach."""

    text: Words


@router.get("")
async def goal(house: Read, agent: Reference) -> GoalView | None:
    """The agent's open goal, else its last one; nothing when it never had any."""
    return await house.room.goal_show(agent)


@router.post("", openapi_extra=refuses(Code.GOAL_OPEN, Code.NOT_A_ROOT, Code.INVALID_BODY, Code.ARCHIVED))
async def set_goal(house: Operate, agent: Reference, given: GoalGiven) -> GoalView:
    """Give an agent a goal: it keeps a list, and is reminded until all on it is done."""
    return await house.room.goal_set(agent, given.text)


@router.post("/pause", openapi_extra=refuses(Code.NO_GOAL))
async def pause_goal(house: Operate, agent: Reference) -> GoalView:
    """Remind it no more."""
    return await house.room.goal_pause(agent)


@router.post("/resume", openapi_extra=refuses(Code.NO_GOAL))
async def resume_goal(house: Operate, agent: Reference) -> GoalView:
    """Go on with it."""
    return await house.room.goal_resume(agent)


@router.post("/cancel", openapi_extra=refuses(Code.NO_GOAL))
async def cancel_goal(house: Operate, agent: Reference) -> GoalView:
    """Give it up; a turn that works on it goes on."""
    return await house.room.goal_cancel(agent)
