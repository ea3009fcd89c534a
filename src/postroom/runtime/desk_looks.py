"""The part of a desk that lists, reads and plans: what `surfaces.looks` promises."""

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call, Turn
from postroom.service.office import Office
from postroom.service.todos import Entry, RenderTodo, TodoLine


class LookingDesk:
    """What it looks at is what its turn's agent may see."""

    office: Office
    turn: Turn

    async def create_todo(self, call: Call, entry: Entry, render: RenderTodo) -> Refusal | None:
        """A new entry of the session's board."""
        outcome = await self.office.create_todo(self.turn, call.key, entry, render)
        return outcome if isinstance(outcome, Refusal) else None

    async def update_todo(self, call: Call, number: int, entry: Entry, render: RenderTodo) -> Refusal | None:
        """Another text, status or other blockers for an entry."""
        outcome = await self.office.update_todo(self.turn, call.key, number, entry, render)
        return outcome if isinstance(outcome, Refusal) else None

    async def list_todos(self) -> list[TodoLine]:
        """The session's board."""
        return await self.office.list_todos(self.turn.session)
