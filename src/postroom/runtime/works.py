"""Background work of this process: who does it, and how it is told to end."""

import asyncio
from contextlib import suppress

from postroom.clock import Clock
from postroom.domain.keys import CallKey, ProducerKey
from postroom.domain.turn import Turn
from postroom.errors import Fault, StoreClosed
from postroom.service.office import Office

CLOSE_GRACE_S = 10.0
"""How long a closing room waits for its work to end; what is left is told of at the next start."""
NEVER_BEGAN = "the call that was to begin it was ended first; nothing of it was done"


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
        self._forsaken: set[asyncio.Task[None]] = set()

    async def begin(self, turn: Turn, call: CallKey, label: str) -> LiveWork:
        """Write work down. It belongs to the turn's agent and chain.

        A caller that is cancelled meanwhile begins nothing; what was written down for it ends at once.
        """
        begun: asyncio.Future[LiveWork] = asyncio.get_running_loop().create_future()

        def register(key: ProducerKey | None) -> None:
            """Right after the commit: a stop in the same commit must find it."""
            if key is None:
                return
            work = self._live[key] = LiveWork(self, key)
            self._quiet.clear()
            if begun.cancelled():
                self._forsake(work)
            else:
                begun.set_result(work)

        try:
            await self._office.begin_work(turn, call, label, register)
        except asyncio.CancelledError:
            if not begun.cancel():
                self._forsake(begun.result())
            raise
        return begun.result()

    def _forsake(self, work: LiveWork) -> None:
        """Nobody is left who could do it, so nobody else would ever end it."""

        async def end() -> None:
            with suppress(Fault):  # the next start of a process tells it
                await self.end(work, NEVER_BEGAN, is_error=True)

        task = asyncio.get_running_loop().create_task(end())
        self._forsaken.add(task)
        task.add_done_callback(self._forsaken.discard)

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

    async def quiet(self) -> None:
        """Wait until no work goes on."""
        await self._quiet.wait()

    async def close(self) -> None:
        """Tell all work to end and wait until it has said so, at most for a grace."""
        self.halt(list(self._live))
        waiting = asyncio.ensure_future(self.quiet())
        grace = asyncio.ensure_future(self._clock.sleep_s(CLOSE_GRACE_S))
        await asyncio.wait({waiting, grace}, return_when=asyncio.FIRST_COMPLETED)
        for task in (waiting, grace):
            task.cancel()
        await asyncio.gather(waiting, grace, return_exceptions=True)
