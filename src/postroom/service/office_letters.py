"""What agents ask of the service about single messages: what became of them, their text, their return."""

from postroom.domain.keys import BranchKey, CallKey
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Turn
from postroom.service.letters import MessageStatus, Page, message_status, read_letter
from postroom.service.office_base import OfficeBase
from postroom.service.recall import Recalled, RenderRecalled, recall_own


class LetterOffice(OfficeBase):
    """Single messages."""

    async def recall_own(
        self, turn: Turn, call: CallKey, message_id: str, render: RenderRecalled
    ) -> Recalled | Refusal:
        """Take back what the turn's agent wrote, with the call's result."""
        return await self._turn_write(recall_own, turn, call, message_id, self.directory, render)

    async def message_status(self, asker: BranchKey | None, message_id: str) -> MessageStatus | Refusal:
        """How a message stands, for an agent or for the person."""
        return await self.store.read(message_status, asker, message_id)

    async def read_letter(self, reader: BranchKey, number: int, offset: int, limit: int) -> Page | Refusal:
        """A part of what stands in an agent's conversation."""
        return await self.store.read(read_letter, reader, number, offset, limit)
