"""Goals through the door."""

from collections.abc import Awaitable, Callable
from typing import Final

from postroom.app import Postroom
from postroom.daemon.fields import SESSION, Values, words
from postroom.domain.plain import Json
from postroom.observe.goals import GoalView, as_row, goal_row

GOAL: Final = (SESSION,)
SET_GOAL: Final = (SESSION, words("text", "what the agent is to reach"))


async def set_goal(room: Postroom, values: Values) -> Json:
    """Give an agent a goal."""
    return as_row(await room.goal_set(str(values["session"]), str(values["text"])))


async def pause(room: Postroom, values: Values) -> Json:
    """Remind it no more."""
    return await _moved(room.goal_pause, values)


async def resume(room: Postroom, values: Values) -> Json:
    """Go on with it."""
    return await _moved(room.goal_resume, values)


async def cancel(room: Postroom, values: Values) -> Json:
    """Give it up."""
    return await _moved(room.goal_cancel, values)


async def show(room: Postroom, values: Values) -> Json:
    """The goal and its list."""
    return await room.store.read(goal_row, str(values["session"]))


async def _moved(move: Callable[[str], Awaitable[GoalView]], values: Values) -> Json:
    return as_row(await move(str(values["session"])))
