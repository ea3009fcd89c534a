"""The part of a turn's desk for single messages: what `surfaces.letters` promises."""

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call, Turn
from postroom.service.letters import MessageStatus, Page
from postroom.service.office import Office
from postroom.service.recall import RenderRecalled


class LetterDesk:
    """Messages that the turn's agent wrote or was sent."""

    office: Office
    turn: Turn

    async def recall_message(self, call: Call, message_id: str, render: RenderRecalled) -> Refusal | None:
        """Take an own message back where nobody has begun to read it."""
        outcome = await self.office.recall_own(self.turn, call.key, message_id, render)
        return outcome if isinstance(outcome, Refusal) else None

    async def message_status(self, message_id: str) -> MessageStatus | Refusal:
        """How a message stands that this agent, or one that grew out of it, has written."""
        return await self.office.message_status(self.turn.branch, message_id)

    async def read_letter(self, number: int, offset: int, limit: int) -> Page | Refusal:
        """A part of a message in the own conversation."""
        return await self.office.read_letter(self.turn.branch, number, offset, limit)
