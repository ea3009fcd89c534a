"""What agents ask of the service about the sessions beside them."""

from collections.abc import Sequence

from postroom.domain.keys import CallKey
from postroom.domain.turn import Turn
from postroom.rules.reach import Why
from postroom.service import changes, neighbours, peer_card
from postroom.service.office_base import OfficeBase


class NeighbourOffice(OfficeBase):
    """Lists, cards and waits for changes."""

    async def list_neighbours(
        self, viewer: neighbours.Viewer, scope: neighbours.Scope, limit: int
    ) -> list[neighbours.PeerLine]:
        """The sessions that an agent may reach, the most recently active first."""
        return await self.store.read(neighbours.list_neighbours, viewer, scope, limit)

    async def read_card(self, viewer: neighbours.Viewer, session_id: str) -> peer_card.PeerCard | Why:
        """What a session shows of itself, or why it may not be seen."""
        return await self.store.read(peer_card.read_card, viewer, session_id)

    async def note_masked(self, turn: Turn, call: CallKey, why: Why) -> None:
        """Keep for the operator what a masked refusal does not say."""
        await self._turn_write(peer_card.note_masked, turn, call, why)

    async def begin_watch(
        self, turn: Turn, call: CallKey, session_ids: Sequence[str], viewer: neighbours.Viewer,
        render: changes.RenderChanges,
    ) -> changes.Begun:  # fmt: skip
        """Wait for changes, unless there is nothing to wait for; then the call's result is durable."""
        is_alone = not session_ids and await self.store.read(neighbours.is_alone, viewer)
        wanted = changes.Wanted(session_ids=session_ids, viewer=viewer, is_alone=is_alone)
        return await self._turn_write(changes.begin_watch, turn, call, wanted, render)

    async def collect_changes(
        self, turn: Turn, watch: changes.Watch, render: changes.RenderChanges, *, gives_up: bool
    ) -> changes.Watch | None:
        """What has changed as the call's result, if something has or the wait `gives_up`."""
        return await self._turn_write(changes.collect_changes, turn, watch, render, gives_up=gives_up)

    async def concerned(self, watches: Sequence[changes.Watch], pos: int) -> tuple[int, frozenset[CallKey]]:
        """Whose waits the log behind a place may end, and how far was looked."""
        return await self.store.read(changes.concerned, watches, pos)
