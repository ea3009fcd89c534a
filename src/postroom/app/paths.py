"""What the person does to a conversation: fork, revert, compact.

Go on from an earlier place of it beside it, take it back to one, or have its beginning summed up.
"""

from dataclasses import dataclass

from postroom.app.base import RoomBase, allowed
from postroom.domain.receipt import Code, Refusal
from postroom.errors import ConfigFault, Refused, SummaryFailed
from postroom.llm.port import Purpose
from postroom.observe.paths import PlaceView, path_fault, places, would_revert
from postroom.runtime.compaction import Failed
from postroom.service.fork import ForkView
from postroom.service.revert import RevertView
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactView:
    """How long what is sent of a conversation was, and is now that a summary stands in it, in characters."""

    session_id: str
    chars_before: int
    chars: int


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

    async def compact(self, session: str) -> CompactView:
        """Have the beginning of an idle agent's conversation summed up; its last two turns stay as they are.

        Nothing is deleted. Mail that comes meanwhile is accepted, and read after it. Durable on return.
        Raises `NotFound`; `Refused` (`not_idle`, `nothing_to_compact`, `chain_spent`, `target_stopped`);
        `RoomClosed`; `SummaryFailed`, and `ConfigFault` where there is no model for it.
        """
        found = await self.agent_of(session)
        row = await self.store.read(Tx.branch_row, found.branch)
        if row.turn is not None:
            raise Refused(Code.NOT_IDLE, "")
        agent = self.agents.find(found.session.team, row.profile)
        if agent is None or Purpose.SUMMARY not in agent.aside:
            fault = self.agents.broken.get(found.session.team)
            msg = f"no model sums up the agent {row.profile}"
            raise fault or ConfigFault(msg, remedy="name one in the settings: [side_calls.summary] model")
        outcome = await self.scheduler.asked.make(agent, found.branch, found.session.team)
        self.check_open()
        made = allowed(outcome)
        if isinstance(made, Failed):
            msg = f"no summary was made ({made.code})"
            raise SummaryFailed(msg, remedy="the conversation is as it was; try again")
        return CompactView(
            session_id=found.session.public_id, chars_before=row.context_chars, chars=made.chars
        )
