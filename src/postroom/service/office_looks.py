"""What agents ask of the service to look, to plan, and to follow up single messages."""

from postroom.domain.keys import BranchKey, CallKey, SessionKey
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Turn
from postroom.service import todos
from postroom.service.bus import Roster, read_roster
from postroom.service.letters import MessageStatus, Page, message_status, read_letter
from postroom.service.lineup import Lineup, line_up
from postroom.service.listing import Listing, ListRequest, Reader, list_agents
from postroom.service.office_base import OfficeBase
from postroom.service.reading import Reading, ReadRequest, RenderBlock, read_conversation
from postroom.service.recall import Recalled, RenderRecalled, recall_own


class LookOffice(OfficeBase):
    """Lists, transcripts and boards."""

    async def create_todo(
        self, turn: Turn, call: CallKey, entry: todos.Entry, render: todos.RenderTodo
    ) -> str | Refusal:
        """A new entry of a board, with the call's result."""
        return await self._turn_write(todos.create_todo, turn, call, entry, render)

    async def update_todo(
        self, turn: Turn, call: CallKey, number: int, entry: todos.Entry, render: todos.RenderTodo
    ) -> str | Refusal:
        """Another text, status or other blockers for an entry, with the call's result."""
        return await self._turn_write(todos.update_todo, turn, call, number, entry, render)

    async def list_agents(self, reader: Reader, request: ListRequest) -> Listing:
        """The agents of one scope, as an agent sees them."""
        return await self.store.read(list_agents, reader, request)

    async def roster(self, turn: Turn) -> Roster | Refusal:
        """Who reads the bus on which a turn works."""
        return await self.store.read(read_roster, turn.key, turn.branch)

    async def line_up(self, reader: Reader, scope: str, limit: int) -> Lineup:
        """The agents around one, in its tree or its directory."""
        return await self.store.read(line_up, reader, scope, limit)

    async def read_conversation(
        self, reader: Reader, request: ReadRequest, render: RenderBlock
    ) -> Reading | Refusal:
        """A part of a conversation that an agent may read."""
        return await self.store.read(read_conversation, reader, request, render)

    async def list_todos(self, session: SessionKey) -> list[todos.TodoLine]:
        """The board of a session."""
        return await self.store.read(todos.list_todos, session)

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
