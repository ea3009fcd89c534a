"""What becomes of agents that are done, and how they are called. Every change is durable on return."""

from postroom.domain.keys import BranchKey, CallKey, SessionKey, TurnKey
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Turn
from postroom.service import archive as shelf
from postroom.service import names
from postroom.service.blanking import Place
from postroom.service.delete import Deleted, delete
from postroom.service.office_base import OfficeBase
from postroom.service.prune import PruneStep, prune_step
from postroom.service.side_calls import SideAnswer
from postroom.store.tx import Tx


class ShelfOffice(OfficeBase):
    """Archiving, deleting, naming."""

    async def archive(self, branch: BranchKey, reason: str) -> shelf.Archived | Refusal:
        """Retire an agent, as the person."""
        return await self._write(shelf.archive, branch, reason)

    async def archive_agent(
        self, turn: Turn, call: CallKey, to: str, reason: str, render: shelf.RenderArchived
    ) -> shelf.Archived | Refusal:
        """Retire an agent, as another one; with the call's result."""
        return await self._turn_write(shelf.archive_agent, turn, call, to, reason, render, self.directory)

    async def retire_done(self, branch: BranchKey) -> None:
        """Retire an agent whose task has ended. Raises `StoreFault`: it is tried again at the next start."""
        await self._write(shelf.retire_done, branch)

    async def agents_to_retire(self) -> list[BranchKey]:
        """Agents whose task has ended, which were to be archived then and are not."""
        return await self.store.read(Tx.agents_to_retire)

    async def delete(self, session: SessionKey) -> Deleted | Refusal:
        """Delete a session, as the person."""
        return await self._write(delete, session)

    async def prune_step(
        self, session: SessionKey, before_us: int, place: Place, actor: str
    ) -> PruneStep | None:
        """Take the next texts of a session that is over."""
        return await self._write(prune_step, session, before_us, place, actor)

    async def rename(self, branch: BranchKey, name: str) -> names.Named | Refusal:
        """Name an agent, as the person."""
        return await self._write(names.rename, branch, name)

    async def retitle(self, session: SessionKey, title: str) -> names.Retitled | Refusal:
        """Give a session another title, as the person."""
        return await self._write(names.retitle, session, title)

    async def unnamed(self, turn: TurnKey) -> names.Unnamed | None:
        """What a turn's branch is to be named from."""
        return await self.store.read(names.unnamed, turn)

    async def record_title(self, turn: TurnKey, answer: SideAnswer, name: str | None) -> names.TitleEnd:
        """Charge the side call of a name, and write the name if it still may be."""
        return await self._write(names.record_title, turn, answer, name)
