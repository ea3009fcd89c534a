"""The agents of sessions, their tasks and their boards, for a person or a program."""

from typing import Literal

from postroom.app.base import RoomBase
from postroom.observe.lists import BoardView, ListedAgents, TaskView, agent_lists, board, task_list


class ListRoom(RoomBase):
    """Lists. All raise `NotFound` for an agent that there is not, and `RoomClosed`."""

    async def agent_lists(
        self, session: str | None = None, *, scope: Literal["session", "all", "archived"] = "session"
    ) -> list[ListedAgents]:
        """The agents of a session, or of the last active one; with `all` of the last active sessions.

        `archived` gives those that were archived, or whose answer has come back to where they were made from.
        """
        self.check_open()
        return await self.store.read(agent_lists, session, scope)

    async def tasks(self, session: str | None = None, *, limit: int = 50) -> list[TaskView]:
        """The tasks that a session has handed out, newest first; of one of its agents also what it was given.

        Without a session those of the whole store.
        """
        self.check_open()
        return await self.store.read(task_list, session, limit)

    async def todos(self, session: str | None = None) -> BoardView | None:
        """The board of a session, or of the last active one; `None` where there is no session."""
        self.check_open()
        return await self.store.read(board, session)
