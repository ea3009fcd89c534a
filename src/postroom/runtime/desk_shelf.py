"""The part of a turn's desk where its calls retire agents."""

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call, Turn
from postroom.service.archive import RenderArchived
from postroom.service.office import Office


class ShelfDesk:
    """Any agent may retire any other one, and itself."""

    office: Office
    turn: Turn

    async def archive(self, call: Call, to: str, reason: str, render: RenderArchived) -> Refusal | None:
        """Retire an agent. Refused with `already_archived`, nothing is left to be done."""
        outcome = await self.office.archive_agent(self.turn, call.key, to, reason, render)
        return outcome if isinstance(outcome, Refusal) else None
