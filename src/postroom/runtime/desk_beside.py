"""The part of a turn's desk where its calls look at other sessions, and wait for them to change."""

from collections.abc import Sequence

from postroom.domain.receipt import Refusal
from postroom.domain.turn import Call
from postroom.rules.reach import Why
from postroom.runtime.desk_waits import WaitingDesk
from postroom.service.changes import RenderChanges
from postroom.service.facts import AgentFacts
from postroom.service.neighbours import PeerLine, Scope, Viewer
from postroom.service.peer_card import NOT_FOUND, PeerCard
from postroom.surfaces.base import WatchRequest


class BesideDesk(WaitingDesk):
    """What it sees is what its turn's agent may reach, by the rules of this moment."""

    facts: AgentFacts

    async def list_neighbours(self, scope: Scope, limit: int) -> Sequence[PeerLine]:
        """The sessions in reach."""
        return await self.office.list_neighbours(self._viewer, scope, limit)

    async def read_card(self, call: Call, session_id: str) -> PeerCard | Refusal:
        """What a session shows of itself; the true reason of a refusal is for the operator alone."""
        found = await self.office.read_card(self._viewer, session_id)
        if not isinstance(found, Why):
            return found
        await self.office.note_masked(self.turn, call.key, found)
        return NOT_FOUND

    async def watch(self, call: Call, request: WatchRequest, render: RenderChanges) -> Refusal | None:
        """Wait for a change, or for mail, or for the time to be up."""
        left_s = await self._left_s(call.key, request.timeout_s)
        due_s = self.means.clock.monotonic_s() + left_s
        begun = await self.office.begin_watch(self.turn, call.key, request.session_ids, self._viewer, render)
        if begun.watch is None:
            return begun.refusal
        changes = self.means.changes

        async def collected() -> bool:
            gives_up = self.means.clock.monotonic_s() >= due_s
            left = await self.office.collect_changes(
                self.turn, changes.at(call.key), render, gives_up=gives_up
            )
            if left is not None:
                changes.looked(left)
            return left is None

        with changes.watching(begun.watch, lambda: self.answer_wait(call.key)):
            await self._wait(call.key, collected, left_s)
        return None

    @property
    def _viewer(self) -> Viewer:
        return Viewer(branch=self.turn.branch, facts=self.facts)
