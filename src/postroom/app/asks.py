"""What the person decides: leave for calls, answers to questions, and the rights of a tree."""

from collections.abc import Sequence

from postroom.app.base import RoomBase, allowed
from postroom.domain.ask import ApprovalMode, Scope
from postroom.observe import asks
from postroom.observe.asks import AskView, RightsView
from postroom.rules.permissions import Rule
from postroom.service.decisions import ChangeRules


class AskRoom(RoomBase):
    """Asks and rights. What is decided is durable on return; who waits for it goes on."""

    async def asks(self, session: str | None = None) -> list[AskView]:
        """What the agents of a tree, or of all trees, ask the person now, oldest first.

        A child's ask is among those of its root. Ids stay the same until the ask has ended.
        """
        return await self.store.read(asks.asks, await self.root_of(session))

    async def approve(self, ask_id: str, scope: str = "once") -> None:
        """Give leave: `once` for the call that waits, `tree` also for later ones of the same key.

        Raises `Refused` (`unknown_reference`, `already_decided`, `invalid_arguments` for a question),
        `RoomClosed`, and `ValueError` for another scope.
        """
        self.check_open()
        allowed(await self.office.approve(ask_id, Scope(scope)), ask_id)

    async def deny(self, ask_id: str, reason: str = "") -> None:
        """Refuse leave; the agent reads the reason. Raises as `approve` does."""
        self.check_open()
        allowed(await self.office.deny(ask_id, reason), ask_id)

    async def answer(self, question_id: str, text: str) -> None:
        """Answer a question; nothing else does. Raises as `approve` does, and `Refused` (`invalid_body`)."""
        self.check_open()
        allowed(await self.office.answer_question(question_id, text), question_id)

    async def see_notices(self, notices: Sequence[int], *, through: int | None = None) -> int:
        """The person has read what they were told: these, and the oldest unread up to one.

        How many of them for the first time; unknown ones are passed over. Raises `RoomClosed`.
        """
        self.check_open()
        return await self.office.see_notices(notices, through)

    async def rights(self, session: str) -> RightsView:
        """Who decides the asks of a tree, the person's rules over it, and what was granted.

        Raises `NotFound`, `RoomClosed`.
        """
        self.check_open()
        return await self.store.read(asks.rights, session)

    async def set_mode(self, session: str, mode: str) -> None:
        """Who decides the asks of this tree from now on; open ones stay with the person.

        Raises `NotFound`, `RoomClosed`, and `ValueError` for a mode that there is not.
        """
        await self.office.set_mode((await self.session_of(session)).root, ApprovalMode(mode))

    async def set_attended(self, session: str, *, attended: bool) -> None:
        """Whether somebody is there to answer the questions of a tree from now on.

        Where nobody is, open ones end and their agents go on without; requests for leave stay open. Raises
        `NotFound`, `RoomClosed`.
        """
        await self.office.set_attended((await self.session_of(session)).root, attended=attended)

    async def last_questions(self, session: str | None = None) -> list[AskView]:
        """The open questions of a tree, or of all, where nothing else keeps it from ending; oldest first.

        Nothing works then, and nothing ends by itself: only the person can bring it on.
        """
        found = await self.store.read(asks.last_questions, await self.root_of(session))
        return [] if self.scheduler.is_in_tools else found

    async def set_overlay(self, session: str, rules: Sequence[Rule]) -> None:
        """Lay rules over a tree, in place of those before; a grant that they tighten dies.

        Raises `NotFound`, `RoomClosed`.
        """
        await self.office.set_overlay((await self.session_of(session)).root, rules)

    async def change_overlay(self, session: str, change: ChangeRules) -> None:
        """Lay what `change` makes of the rules over a tree there. What it raises, this raises.

        It is called in the store's writer, perhaps twice, and nobody changes the rules in between.
        """
        await self.office.change_overlay((await self.session_of(session)).root, change)
