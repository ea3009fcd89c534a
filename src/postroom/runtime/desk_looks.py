"""The part of a turn's desk where its calls look, plan, retire agents, and follow up single messages."""

from postroom.domain.plain import Json
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call, Turn
from postroom.runtime.means import Means
from postroom.service.archive import RenderArchived
from postroom.service.bus import Roster
from postroom.service.letters import MessageStatus, Page
from postroom.service.lineup import Lineup
from postroom.service.listing import Listing, ListRequest, Reader
from postroom.service.office import Office
from postroom.service.reading import Reading, ReadRequest, RenderBlock
from postroom.service.recall import RenderRecalled
from postroom.service.todos import Entry, RenderTodo, TodoLine


class LookingDesk:
    """What it looks at is what its turn's agent may see."""

    means: Means
    office: Office
    turn: Turn

    async def list_agents(self, request: ListRequest) -> Listing:
        """The agents of one scope; who listens on the bus is told how many were shown."""
        listing = await self.office.list_agents(self._reader, request)
        counts: dict[str, Json] = {"sessions": len(listing.sessions), "branches": listing.n_branches}
        self.means.bus.emit("agents.listed", counts)
        return listing

    async def roster(self) -> Roster | Refusal:
        """Who reads the bus on which the turn works."""
        return await self.office.roster(self.turn)

    async def line_up(self, scope: str, limit: int) -> Lineup:
        """The agents around this one; who listens on the bus is told how many were shown."""
        lineup = await self.office.line_up(self._reader, scope, limit)
        counts: dict[str, Json] = {"sessions": lineup.n_sessions, "branches": len(lineup.lines)}
        self.means.bus.emit("agents.listed", counts)
        return lineup

    async def read_conversation(self, request: ReadRequest, render: RenderBlock) -> Reading | Refusal:
        """A part of a conversation that the turn's agent may read."""
        return await self.office.read_conversation(self._reader, request, render)

    @property
    def _reader(self) -> Reader:
        return Reader(session=self.turn.session, branch=self.turn.branch)

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

    async def archive(self, call: Call, to: str, reason: str, render: RenderArchived) -> Refusal | None:
        """Retire an agent. Refused with `already_archived`, nothing is left to be done."""
        outcome = await self.office.archive_agent(self.turn, call.key, to, reason, render)
        return outcome if isinstance(outcome, Refusal) else None
