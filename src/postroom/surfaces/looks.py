"""What tools that list, read and plan may ask of the turn that runs them. They deliver nothing."""

from typing import Protocol

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.service.bus import Roster
from postroom.service.lineup import Lineup
from postroom.service.listing import Listing, ListRequest
from postroom.service.reading import Reading, ReadRequest, RenderBlock
from postroom.service.todos import Entry, RenderTodo, TodoLine


class LookDesk(Protocol):
    """The part of a desk for lists and boards."""

    async def list_agents(self, request: ListRequest) -> Listing:
        """The agents of one scope, as the turn's agent may see them."""
        ...

    async def roster(self) -> Roster | Refusal:
        """Who reads the bus on which the turn works, in the order in which they came. Refuses `no_turn`."""
        ...

    async def line_up(self, scope: str, limit: int) -> Lineup:
        """The agents around the turn's agent: those of its tree, or of its directory."""
        ...

    async def read_conversation(self, request: ReadRequest, render: RenderBlock) -> Reading | Refusal:
        """A part of a conversation that the turn's agent may read."""
        ...

    async def create_todo(self, call: Call, entry: Entry, render: RenderTodo) -> Refusal | None:
        """A new entry of the session's board; the call's result is durable unless refused."""
        ...

    async def update_todo(self, call: Call, number: int, entry: Entry, render: RenderTodo) -> Refusal | None:
        """Another text, status or other blockers; the call's result is durable unless refused."""
        ...

    async def list_todos(self) -> list[TodoLine]:
        """The session's board, in the order of its numbers."""
        ...
