"""What tools may ask about single messages, of the turn that runs them."""

from typing import Protocol

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.service.letters import MessageStatus, Page
from postroom.service.recall import RenderRecalled


class LetterDesk(Protocol):
    """The part of a desk for messages that the turn's agent wrote or was sent."""

    async def recall_message(self, call: Call, message_id: str, render: RenderRecalled) -> Refusal | None:
        """Take an own message back where nobody has begun to read it; the call's result is durable unless
        refused.
        """
        ...

    async def message_status(self, message_id: str) -> MessageStatus | Refusal:
        """How a message stands that this agent, or one that grew out of it, has written."""
        ...

    async def read_letter(self, number: int, offset: int, limit: int) -> Page | Refusal:
        """`limit` characters from `offset` on of a message in the own conversation."""
        ...
