"""Back to an earlier place of a conversation: go on from there beside it (fork), or take it back (revert)."""

from postroom.app.base import RoomBase
from postroom.domain.receipt import Refusal
from postroom.observe.paths import PlaceView, path_fault, places, would_revert
from postroom.service.fork import ForkView
from postroom.service.revert import RevertView


class PathRoom(RoomBase):
    """What the person does to conversations."""

    async def places(self, session: str, limit: int = 50) -> list[PlaceView]:
        """The newest places that a fork or a revert can name, oldest first."""
        self.check_open()
        return await self.store.read(places, session, limit)

    async def fork(self, session: str, to: str | None = None) -> ForkView:
        """A new session that begins where an agent stood at a place, or stands now. Durable on return.

        The nodes up to there are shared. No mail, task, window, ask, grant, goal or child is, and nothing
        runs before it is written to. Raises `NotFound` for an agent or a place that there is not.
        """
        found = await self.agent_of(session)
        outcome = await self.office.fork(found.branch, to)
        if isinstance(outcome, Refusal):
            raise path_fault(outcome, session)
        return outcome

    async def revert(
        self, session: str, to: str, *, keep_tasks: bool = False, dry_run: bool = False
    ) -> RevertView:
        """Take an agent back to a place of its conversation. Durable on return.

        What lies behind it is kept as a sealed branch. Mail is not undone; open tasks that were given there
        are cancelled unless `keep_tasks`. `dry_run` says the same and does nothing. Raises `NotFound`, and
        `Refused` (`not_idle`) while a turn of the agent runs or waits.
        """
        found = await self.agent_of(session)
        if dry_run:
            return await self.store.read(would_revert, session, to, keep_tasks=keep_tasks)
        outcome = await self.office.revert(found.branch, to, keeps_tasks=keep_tasks)
        if isinstance(outcome, Refusal):
            raise path_fault(outcome, session)
        return outcome.view
