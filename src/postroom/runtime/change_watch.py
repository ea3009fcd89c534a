"""One reader of the log for all calls that wait for a change; none while nobody waits."""

import asyncio
import contextlib
from collections.abc import Callable, Generator

from postroom.domain.keys import CallKey
from postroom.errors import StoreFault
from postroom.service.changes import Watch
from postroom.service.office import Office


class ChangeWatch:
    """Rings whoever a commit may concern. A hint: whoever is rung looks itself, in its own transaction."""

    def __init__(self, office: Office) -> None:
        self._office = office
        # Changed on the loop only: by whoever waits, and by the one task that reads.
        self._watches: dict[CallKey, Watch] = {}
        self._bells: dict[CallKey, Callable[[], None]] = {}
        self._task: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Wait until nothing is read any more. Whoever waited has left before."""
        if self._task is not None:
            await asyncio.wait([self._task])

    @contextlib.contextmanager
    def watching(self, watch: Watch, ring: Callable[[], None]) -> Generator[None]:
        """Ring while this is open, at each change that may be one for the watch."""
        self._watches[watch.call], self._bells[watch.call] = watch, ring
        self._begin_to_read()
        try:
            yield
        finally:
            del self._watches[watch.call], self._bells[watch.call]
            self._end_if_alone()

    def _begin_to_read(self) -> None:
        if self._task is None or self._task.done() or self._task.cancelling():
            self._task = asyncio.get_running_loop().create_task(self._follow())

    def _end_if_alone(self) -> None:
        if not self._watches and self._task is not None:
            self._task.cancel()

    def at(self, call: CallKey) -> Watch:
        """An open watch, and how far it has looked."""
        return self._watches[call]

    def looked(self, watch: Watch) -> None:
        """A call has looked so far and found nothing."""
        self._watches[watch.call] = watch

    async def _follow(self) -> None:
        doorbell = self._office.store.doorbell
        heard = doorbell.listen()
        pos = min(watch.pos for watch in self._watches.values())
        try:
            while True:
                heard.clear()
                pos = await self._look(pos)
                await heard.wait()
        finally:
            doorbell.leave(heard)

    async def _look(self, pos: int) -> int:
        """Read to the end of the log; where that fails, the next commit brings the next try.

        Whoever came while it was read may have been overlooked, so it is rung too.
        """
        with contextlib.suppress(StoreFault):
            while True:
                asked = dict(self._watches)
                until, calls = await self._office.concerned(list(asked.values()), pos)
                for call, ring in list(self._bells.items()):
                    if call in calls or call not in asked:
                        ring()
                if until == pos:
                    break
                pos = until
        return pos
