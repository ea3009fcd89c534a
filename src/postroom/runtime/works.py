"""Background work of this process: who does it, and how it is told to end."""

import asyncio

from postroom.clock import Clock
from postroom.domain.keys import CallKey, ProducerKey
from postroom.domain.turn import Turn
from postroom.errors import StoreClosed
from postroom.service.office import Office

CLOSE_GRACE_S = 10.0
"""How long a closing room waits for its work to end; what is left is told of at the next start."""


class LiveWork:
    """One piece of work that was written down (`postroom.tools.base.Work`)."""

    def __init__(self, works: "Works", key: ProducerKey) -> None:
        self.key = key
        self.stopped = asyncio.Event()
        self._works = works

    async def end(self, text: str, *, is_error: bool = False) -> None:
        """Tell the agent, once. After the room has closed the next start of a process tells it."""
        await self._works.end(self, text, is_error=is_error)


class Works:
    """Every piece of work that this process does. All of it on one event loop."""

    def __init__(self, office: Office, clock: Clock) -> None:
        self._office = office
        self._clock = clock
        self._live: dict[ProducerKey, LiveWork] = {}
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def begin(self, turn: Turn, call: CallKey, label: str) -> LiveWork:
        """Write work down. It belongs to the turn's agent and chain."""
        key = await self._office.begin_work(turn, call, label)
        work = self._live[key] = LiveWork(self, key)
        self._quiet.clear()
        return work

    async def end(self, work: LiveWork, text: str, *, is_error: bool) -> None:
        """Durable on return; a second end changes nothing."""
        try:
            await self._office.end_work(work.key, text, is_error=is_error)
        except StoreClosed:
            return
        finally:
            self._live.pop(work.key, None)
            if not self._live:
                self._quiet.set()

    def halt(self, keys: list[ProducerKey]) -> None:
        """The person stopped its agent, or its turn was cancelled."""
        for key in keys:
            if (work := self._live.get(key)) is not None:
                work.stopped.set()

    @property
    def n_live(self) -> int:
        """How many pieces of work go on."""
        return len(self._live)

    async def close(self) -> None:
        """Tell all work to end and wait until it has said so, at most for a grace."""
        self.halt(list(self._live))
        waiting = asyncio.ensure_future(self._quiet.wait())
        grace = asyncio.ensure_future(self._clock.sleep_s(CLOSE_GRACE_S))
        await asyncio.wait({waiting, grace}, return_when=asyncio.FIRST_COMPLETED)
        for task in (waiting, grace):
            task.cancel()
        await asyncio.gather(waiting, grace, return_exceptions=True)
