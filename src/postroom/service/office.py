"""The service as the rooms above it use it: one async method a use case, one commit each.

After every commit the ring goes to the runtime: a hint which turns wait, which were ended from
outside and which awaited tasks are over. Losing it costs time, never mail.
"""

from collections.abc import Callable

from postroom.faults import reach
from postroom.service import expiry, producers, recovery, timers, words
from postroom.service.carried import Kept
from postroom.service.facts import Ring
from postroom.service.office_looks import LookOffice
from postroom.service.office_neighbours import NeighbourOffice
from postroom.service.office_person import PersonOffice
from postroom.service.office_shelf import ShelfOffice
from postroom.service.office_tokens import TokenOffice
from postroom.service.office_turns import TurnOffice


class Office(TurnOffice, PersonOffice, LookOffice, ShelfOffice, NeighbourOffice, TokenOffice):
    """Every durable change of mail, turns and tasks, and what the process itself asks for."""

    async def fire_timers(self) -> timers.Fired:
        """Say every text whose time has come, and end what nobody read or decided in time."""
        return await self._turn_write(timers.fire_timers, self.directory, self.limits)

    async def index_words(self) -> bool:
        """Make the next slice of texts searchable; whether there are more."""
        return await self.store.write(words.index_words)

    async def recover(self, *, wakes: bool = True, go_on: Callable[[Kept], None] = lambda _: None) -> None:
        """End what a dead process left alive, or go on with it; then wake all that has a reason to run.

        `go_on` hears of every turn that goes on, before anything is woken. A process that runs no turn does
        not wake: parked mail waits for one that does.
        """
        kept: list[Kept] = []
        for turn in await self.store.write(recovery.begin_epoch):
            found = await self.store.write(recovery.recover_turn, turn, self.directory, runs=wakes)
            kept += [] if found is None else [found]
            reach("recovery.between")
        await self.store.write(producers.end_lost_work)
        overdue = await self.store.write(expiry.expire_mail, self.directory) if wakes else Ring()
        for one in kept:  # now that the others have ended: nobody would tell it of an end that it waits for
            go_on(one)
        if wakes:
            woken = await self.store.write(recovery.sweep, self.directory)
            overdue.take(Ring(woken=woken, retiring=await self.agents_to_retire()))
            self.on_ring(overdue)
