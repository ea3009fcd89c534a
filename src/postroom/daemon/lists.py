"""Agents, tasks and boards through the door."""

from typing import Final

from postroom.app import Postroom
from postroom.daemon.fields import LISTED, SOME_SESSION, Values, number, text_of, words
from postroom.domain.plain import Json
from postroom.observe.lists import agent_list_rows, board_row, found_row, task_rows
from postroom.service.listing import SCOPES

AGENTS: Final = (
    SOME_SESSION,
    words("scope", "which agents", required=False, choices=SCOPES, default="session"),
)
TASKS: Final = (SOME_SESSION, number("limit", "at most so many", LISTED, least=1))
BOARD: Final = (SOME_SESSION,)


async def find(room: Postroom, values: Values) -> Json:
    """Who is meant: the session and the branch of one agent, and what always means it."""
    return await room.store.read(found_row, str(values["session"]))


async def agents(room: Postroom, values: Values) -> Json:
    """The agents of sessions."""
    return await room.store.read(agent_list_rows, text_of(values, "session"), str(values["scope"]))


async def tasks(room: Postroom, values: Values) -> Json:
    """Tasks, newest first."""
    return await room.store.read(task_rows, text_of(values, "session"), int(values["limit"]))


async def todo(room: Postroom, values: Values) -> Json:
    """A board."""
    return await room.store.read(board_row, text_of(values, "session"))
