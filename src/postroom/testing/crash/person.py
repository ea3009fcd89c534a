"""The person of a scenario: does everything once, however often its process dies in between."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from postroom.app import Postroom, Prompt
from postroom.domain.receipt import Receipt
from postroom.domain.turn import TurnState
from postroom.errors import Refused
from postroom.observe import views
from postroom.observe.views import AgentView, MessageView
from postroom.store.tx import Tx
from postroom.testing.crash.journal import Journal


class Person:
    """Acts on a room and keeps every receipt in the journal."""

    def __init__(self, room: Postroom, journal: Journal) -> None:
        self.room = room
        self.journal = journal

    async def say(
        self, client_id: str, text: str, *, to: str | None = None, profile: str | None = None,
        attended: bool = True,
    ) -> Prompt:  # fmt: skip
        """Prompt an agent, or open a session; said again it gives the first receipt."""
        prompt = await self.room.prompt(
            text, session=to, profile=profile, client_id=client_id, attended=attended
        )
        self.journal.note("told", client_id=client_id, body=text, message_id=prompt.message_id)
        return prompt

    async def write(self, client_id: str, to: str, body: str, *, mode: str = "steer") -> Receipt:
        """Write to an agent; written again it gives the first receipt."""
        receipt = await self.room.send(to, body, mode=mode, client_id=client_id)
        self.journal.told(client_id, body, receipt)
        return receipt

    async def once(self, step: str, act: Callable[[], Awaitable[object]]) -> None:
        """Do what has no key of its own, unless an earlier life has done it; a refusal is an answer."""
        if self.journal.has("done", step=step):
            return
        try:
            await act()
        except Refused as refused:
            self.journal.note("refused", step=step, code=refused.refusal_code)
        self.journal.note("done", step=step)

    async def reached_or_quiet(self, sign: asyncio.Event) -> None:
        """Wait for a sign of the team, or until nothing runs that could give it."""
        waits = [asyncio.ensure_future(sign.wait()), asyncio.ensure_future(self.room.quiesce())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def later(self, client_id: str, to: str, body: str, due_us: int, *, never: bool = False) -> str:
        """Have a text said at a time; done again it is the same timer. `never`: it will be taken back."""
        kept = await self.room.send_at(to, body, due_us, client_id=client_id)
        self.journal.note("timed", client_id=client_id, body=body, never=never)
        return kept.timer_id

    async def no_timers(self) -> None:
        """Wait until no text waits for its time any more."""
        listener = self.room.store.doorbell.listen()
        try:
            while await self.room.timers():
                await listener.wait()
                listener.clear()
        finally:
            self.room.store.doorbell.leave(listener)

    async def settle(self, session: str) -> None:
        """Wait until all is quiet; where a death has cut the agent's turn, ask it to go on while it can."""
        await self.room.quiesce()
        with suppress(Refused):
            while (await self.room.agents_view(session))[0].state == TurnState.INTERRUPTED:
                await self.room.resume(session)
                await self.room.quiesce()

    async def agents(self, session: str, profile: str) -> list[AgentView]:
        """The agents of one profile in a session's tree, oldest first."""
        return [a for a in await self.room.agents_view(session) if a.profile == profile]

    async def mail_of(self, agent: str) -> list[MessageView]:
        """What an agent was sent, oldest first."""
        return await self.room.store.read(_mail_of, agent)


def _mail_of(tx: Tx, agent: str) -> list[MessageView]:
    session = tx.session_by_public_id(agent)
    keys = sorted(tx.messages_of_branch(session.active_branch, 1000)) if session else []
    return [view for key in keys if (view := views.message(tx, key)) is not None]
