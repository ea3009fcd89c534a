"""What agents ask of the service when they wait for several things at once."""

from postroom.domain.keys import CallKey
from postroom.domain.receipt import Refusal
from postroom.domain.turn import Turn
from postroom.service import wait_for
from postroom.service.office_base import OfficeBase
from postroom.store.tx import Tx


class WaitOffice(OfficeBase):
    """Waits with targets, and those for whatever comes first."""

    async def begin_waiting(
        self, turn: Turn, call: CallKey, request: wait_for.WaitRequest
    ) -> str | Refusal | None:
        """What a wait returns at once, or `None` and the turn is suspended."""
        return await self._turn_write(wait_for.begin_waiting, turn, call, request, self.directory)

    async def began_to_wait(self, turn: Turn, call: CallKey) -> int | None:
        """When a call has first begun to wait, in microseconds of wall time; nothing if it never has."""
        return await self.store.read(Tx.began_to_wait, turn.key, call)

    async def collect_waiting(
        self, turn: Turn, call: CallKey, render: wait_for.RenderWait, *, gives_up: bool
    ) -> str | None:
        """What a wait returns, if there is something or it `gives_up`."""
        return await self._turn_write(wait_for.collect_waiting, turn, call, render, gives_up=gives_up)
