"""What the person does with agents that are done: archive, delete, and give names and titles."""

from dataclasses import dataclass

from postroom.app.base import RoomBase, allowed
from postroom.domain.receipt import Code, Refusal
from postroom.domain.session import Session
from postroom.errors import NotFound
from postroom.observe.find import FoundAgent, find_agent
from postroom.rules.naming import SHOWN_CHARS
from postroom.service.delete import Deleted
from postroom.service.names import Named, Retitled
from postroom.store.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveView:
    """What archiving an agent did."""

    address: str
    """The agent as its surface prints it."""
    already: bool
    """It was archived before, and nothing was done."""
    messages: int = 0
    """Messages that were waiting there and are discarded; whoever wrote one is told."""
    tasks: int = 0
    """Tasks among them; they ended cancelled."""


class ShelfRoom(RoomBase):
    """What becomes of agents that are done. Durable on return. Raises `NotFound`, `RoomClosed`."""

    async def archive(self, session: str, *, agent: str | None = None, reason: str = "") -> ArchiveView:
        """Retire an agent for good: nothing new reaches it, and it stays readable.

        `agent` names one of several in the session, by name or id. A turn that runs goes on to its end.
        Doing it again changes nothing.
        """
        self.check_open()
        found = await self.store.read(_agent_in, session, agent)
        outcome = await self.office.archive(found.branch, reason)
        if isinstance(outcome, Refusal) and outcome.code is Code.ALREADY_ARCHIVED:
            return ArchiveView(address=str(outcome.facts["to"]), already=True)
        done = allowed(outcome)
        return ArchiveView(address=done.address, already=False, messages=done.messages, tasks=done.tasks)

    async def rename(self, agent: str, name: str) -> Named:
        """Give an agent a name that no model changes any more. Raises `Refused` (`invalid_name`)."""
        self.check_open()
        found = await self.store.read(find_agent, agent)
        return allowed(await self.office.rename(found.branch, name), name[:SHOWN_CHARS])

    async def retitle(self, session: str, title: str) -> Retitled:
        """Call a session otherwise, by itself or by one of its agents. Raises `Refused` (`invalid_title`)."""
        self.check_open()
        found = await self.store.read(find_agent, session)
        return allowed(await self.office.retitle(found.session.key, title))

    async def delete(self, session: str) -> Deleted:
        """Delete a session for good: its agents are archived, it reads as absent, and its texts go.

        What the conversation of another session goes through stays. Raises `Refused` (`not_idle`) while an
        agent of it has a turn.
        """
        self.check_open()
        found = await self.store.read(_whole_session, session)
        return allowed(await self.office.delete(found.key))


def _agent_in(tx: Tx, session: str, agent: str | None) -> FoundAgent:
    """An agent by its session, or by its name or id in it. Raises `NotFound`."""
    if agent is None:
        return find_agent(tx, session)
    return find_agent(tx, agent if ":" in agent else f"{session}:{agent}")


def _whole_session(tx: Tx, reference: str) -> Session:
    """A session by its own id or handle. What names one of its agents means less, and is not taken."""
    session = find_agent(tx, reference).session
    if reference.lower() != session.public_id and reference != session.handle:
        msg = f"{reference[:SHOWN_CHARS]!r} names an agent and no session"
        raise NotFound(msg, remedy=f"its session is {session.public_id}; to retire the agent, archive it")
    return session
