"""The person's hand on what runs and on what waits: stop, cancel, resume, retry, recall."""

from postroom.app.base import RoomBase, allowed
from postroom.domain.receipt import Code, Receipt
from postroom.errors import Refused
from postroom.rules import naming


class HandRoom(RoomBase):
    """What the person does; durable on return. Raises `RoomClosed`, and `NotFound` for an unknown agent."""

    async def stop(self, session: str) -> int:
        """Pause an agent and everything below it (G11); how many were not paused before.

        A session means all its agents.
        """
        found = await self.agent_of(session)
        stopped = await self.office.stop(found.branch, self.scheduler.runs, whole=found.is_session)
        self.scheduler.asked.drop(stopped.branches)
        return len(stopped.branches)

    async def cancel(self, session: str) -> None:
        """End an agent's turn, or the task it runs with everything below; pauses nothing.

        The id of a task means that task alone, also while it still waits in a mailbox. Raises `Refused`
        (`already_ended`, `unknown_task`).
        """
        self.check_open()
        if naming.is_task_id(session.lower()):
            await self.stop_task(session)
            return
        found = await self.agent_of(session)
        allowed(await self.office.cancel(found.branch))

    async def stop_task(self, task_id: str) -> None:
        """End one task and everything below it. Raises `Refused` (`already_ended`, `unknown_task`)."""
        self.check_open()
        if not naming.is_task_id(task_id.lower()):
            raise Refused(Code.UNKNOWN_TASK, task_id)
        if allowed(await self.office.end_any_task(task_id.lower()), task_id).view.had_ended:
            raise Refused(Code.ALREADY_ENDED, task_id)

    async def resume(self, session: str) -> None:
        """Lift a pause, open a turn for parked mail, or go on from an interrupted turn.

        Raises `Refused` (`nothing_to_resume`).
        """
        found = await self.agent_of(session)
        allowed(await self.office.resume(found.branch))

    async def retry(self, message_id: str) -> Receipt:
        """Accept a quarantined message's body again, as a new message that names the old one.

        Twice is fine. Raises `Refused` (`not_quarantined`).
        """
        return allowed(await self.office.retry(message_id), message_id).receipt

    async def recall(self, message_id: str) -> None:
        """Take back a message that nobody has read; the agent that wrote it is told (CK-39).

        A task is not recalled but cancelled. Twice is fine. Raises `Refused` (`unknown_reference`,
        `not_recallable`, `already_being_read`, `already_ended`).
        """
        self.check_open()
        allowed(await self.office.recall(message_id), message_id)
