"""Looking without touching: agents, conversations, events, spend, search."""

from collections.abc import AsyncGenerator

from postroom.app.base import RoomBase
from postroom.app.talk import Prompt, SaidBefore
from postroom.errors import NotFound
from postroom.observe import tail, views
from postroom.observe.find import branch_id_of
from postroom.observe.search import Hit, search
from postroom.observe.spend import By, SpendView, spend
from postroom.observe.why import Why, why
from postroom.runtime.texts import TextPiece
from postroom.store.tx import Tx


class LookRoom(RoomBase):
    """What the room shows."""

    async def spend(
        self, by: By = "agent", *, session: str | None = None, limit: int = 50
    ) -> list[SpendView]:
        """What answers have cost, newest first; of one tree or of the whole store."""
        return await self.store.read(spend, by, root=await self.root_of(session), limit=limit)

    async def search(self, words: str, *, session: str | None = None, limit: int = 20) -> list[Hit]:
        """Texts that hold all the words, best match first; everything that was committed is looked at.

        Raises `Refused` (`invalid_query`).
        """
        root = await self.root_of(session)
        while await self.office.index_words():
            pass
        return await self.store.read(search, words, root=root, limit=limit)

    async def why(self, reference: str) -> Why:
        """Why something happened, and what came of it: of a message, task, turn, call or ask by its id, or
        of an agent's newest turn. Raises `NotFound`.
        """
        self.check_open()
        return await self.store.read(why, reference)

    async def texts(self, session: str | None = None) -> AsyncGenerator[TextPiece, None]:
        """Text as it streams from the model of one agent, or of all; nothing of it is durable yet."""
        self.check_open()
        found = None if session is None else await self.store.read(branch_id_of, session)
        async for piece in self._texts.listen(found):
            yield piece

    async def subscribe(self, pos: int = 0) -> AsyncGenerator[tail.EventView, None]:
        """Every event of the store behind `pos`: the past, then live. Ends when the reader stops."""
        async for event in tail.subscribe(self.store, pos):
            yield event

    async def wait(self, prompt: Prompt | SaidBefore, *, tree: bool = False) -> views.End:
        """How the turn that read the prompt ended; with `tree`, how its tree ended, once it is quiet."""
        session = await self.session_of(prompt.session_id)
        listener = self.store.doorbell.listen()

        def look(tx: Tx) -> views.End | None:
            if tree:
                return views.whole_ending(tx, prompt.message, session.root, prompt.branch, prompt.session_id)
            return views.ending(tx, prompt.message, prompt.session_id)

        try:
            while True:
                listener.clear()
                if (end := await self.store.read(look)) is not None:
                    return end
                await listener.wait()
        finally:
            self.store.doorbell.leave(listener)

    async def find(self, session: str) -> str:
        """The session id of an agent that is named in any of its ways. Raises `NotFound`."""
        return (await self.session_of(session)).public_id

    async def find_branch(self, session: str) -> str:
        """The branch id of an agent that is named in any of its ways. Raises `NotFound`."""
        self.check_open()
        return await self.store.read(branch_id_of, session)

    async def check(self, session: str) -> None:
        """Raise what keeps an agent from running in this room: its team is broken, its profile is gone."""
        found = await self.agent_of(session)
        team, branch = found.session.team, await self.store.read(Tx.branch_row, found.branch)
        self.agents.look_again(team)
        if self.agents.find(team, branch.profile) is None:
            msg = f"the team in {team} has no profile {branch.profile} any more"
            raise self.agents.broken.get(team) or NotFound(msg, remedy="see `postroom check`")

    async def last_end(self, session: str) -> views.End | None:
        """How an agent's newest turn ended; `None` while its tree still works, or before it has run."""
        found = await self.agent_of(session)
        ids = found.session.root, found.branch, found.session.public_id
        return await self.store.read(views.tree_ending, *ids)

    async def history(self, session: str) -> list[views.HistoryItem]:
        """An agent's conversation, oldest first."""
        found = await self.agent_of(session)
        return await self.store.read(views.history, found.branch)

    async def agents_view(self, session: str | None = None) -> list[views.AgentView]:
        """The agents of a session's tree, or of the newest trees."""
        return await self.store.read(views.agents, await self.root_of(session))
