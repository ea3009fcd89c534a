"""A room: a store, its service, and the turns in it. Built here and nowhere else, opened and closed.

What a room can be asked for stands in the files beside this one, one for each kind of use.
"""

import asyncio
import contextlib
import random
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from postroom.app.limits import PresentLimits
from postroom.app.onlookers import Onlookers
from postroom.app.outfit import Outfit
from postroom.app.staff import Staff, TeamCrew
from postroom.app.token_uses import TokenUses
from postroom.clock import SystemClock
from postroom.domain.keys import SessionKey
from postroom.domain.receipt import Refusal
from postroom.domain.session import Session
from postroom.errors import Refused, RoomClosed, StoreFault
from postroom.ids import SystemIds
from postroom.observe import looks
from postroom.observe.find import FoundAgent, find_agent
from postroom.observe.provider_waits import ProviderWaits
from postroom.profiles.team import Team
from postroom.runtime.agents import Agents
from postroom.runtime.change_watch import ChangeWatch
from postroom.runtime.means import Means
from postroom.runtime.residents import Residents
from postroom.runtime.scheduler import Scheduler
from postroom.runtime.texts import Texts
from postroom.runtime.timers import Timers
from postroom.runtime.upkeep import Upkeep
from postroom.runtime.works import Works
from postroom.service.facts import Ring
from postroom.service.office import Office
from postroom.service.timers import next_due
from postroom.store.sqlite import SqliteStore
from postroom.surfaces.presets import DEFAULT_POLICY, PRESETS

T = TypeVar("T")


class RoomBase:
    """The parts of a room, and its life."""

    def __init__(self, folder: Path, outfit: Outfit) -> None:
        self.folder = folder
        self._outfit = outfit
        self._clock = outfit.clock or SystemClock()
        self._open = False
        self.opened_pos = 0
        """Where the log stood when this process took the store."""
        self.staff = Staff(folder, outfit, self._clock)
        self.agents = Agents(self.staff.hire)
        self.onlookers = Onlookers(outfit, self._clock, self.staff, SystemIds().public)
        self.bus = self.onlookers.bus
        """Events of this process: `subscribe` to be told, `guard` to be asked, `emit` to tell."""
        self.token_uses = TokenUses()
        self._texts = Texts()
        self.provider_waits = ProviderWaits(self._clock, outfit.hooks.on_wait)
        """Which agents wait for a provider at this moment."""
        self.store: SqliteStore
        self.office: Office
        self.scheduler: Scheduler
        self.works: Works
        self.changes: ChangeWatch
        self.upkeep: Upkeep
        self.residents: Residents
        self._timers: Timers
        self._indexing: asyncio.Task[None] | None = None

    @property
    def team(self) -> Team | None:
        """The room's own team, as it was read last."""
        own = self._outfit.team
        return None if own is None else self.staff.team_in(str(own.path)) or own

    async def __aenter__(self) -> Self:
        """Own the store, recover, run."""
        # Before the store is made: a broken team leaves nothing behind.
        crew = None if self.team is None else self.staff.prepare(self.team)
        self.onlookers.load()
        self.store = SqliteStore.open(
            self.folder,
            self._clock,
            self._outfit.ids or SystemIds(),
            places=self._outfit.places,
            presets=PRESETS,
        )
        limits = PresentLimits(self._outfit, self.staff.teams)
        self.office = Office(self.store, self.agents.facts, self._clock, limits)
        self.works = Works(self.office, self._clock)
        self.upkeep = Upkeep(self.office, self.agents, self._clock)
        self._timers = Timers(self.office, self._clock)
        self.changes = ChangeWatch(self.office)
        self.residents = Residents(
            self._clock, self.team.policy if self.team else DEFAULT_POLICY, self.upkeep.let_go
        )
        config = self._outfit.config
        self.scheduler = Scheduler(self._means(), self.agents, config.task_workers if config else None)
        if not self._outfit.idle:
            self.office.on_ring = self._ring
            self.scheduler.on_idle = self._tidy
        self.office.on_pause = self._outfit.hooks.on_pause
        self._open = True
        try:
            await self._begin(crew)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the room."""
        await self.close()

    async def close(self) -> None:
        """End running turns as interrupted, let the store go. Idempotent; nothing is left behind."""
        if not self._open:
            return
        self._open = False
        self._timers.close()
        self.scheduler.on_idle = lambda: None
        await self.scheduler.close()
        await self.changes.close()
        await self.upkeep.close()
        self.residents.close()
        await self.works.close()
        await self.staff.close()
        if self._indexing is not None:
            await self._indexing
        await self.onlookers.close()
        self.store.close()

    async def _begin(self, crew: TeamCrew | None) -> None:
        """The team's tools first, then what waits: a turn that goes on finds them ready."""
        if crew is not None:
            self.agents.add(str(crew.team.path), crew)
        self.opened_pos = await self.store.read(looks.newest_pos, 0)
        await self.onlookers.open(self.store, self.office, self.opened_pos)
        if self._outfit.idle:
            await self.office.recover(wakes=False)
            return
        await self.staff.open(crew)
        await self.office.recover(go_on=self.scheduler.go_on)
        await self._arm()

    def _ring(self, ring: Ring) -> None:
        """After a commit: turns to look at, and when something is due."""
        self.scheduler.ring(ring)
        self.upkeep.ring(ring)
        self._timers.arm(ring.due_us)

    def _tidy(self) -> None:
        """Nobody works: tools that no team has any more end, and the index for search catches up."""
        if not self.works.n_live:  # a command in the background still belongs to its tool
            self.staff.let_go()
        if self._indexing is None or self._indexing.done():
            self._indexing = asyncio.get_running_loop().create_task(self._index_while_idle())

    async def _index_while_idle(self) -> None:
        with contextlib.suppress(StoreFault):  # a search catches up itself
            while self.scheduler.idle.is_set() and await self.office.index_words():
                pass

    async def _arm(self) -> None:
        self._timers.arm(await self.store.read(next_due))

    def _means(self) -> Means:
        hooks = self._outfit.hooks
        return Means(
            office=self.office, residents=self.residents, clock=self._clock,
            random_source=random.Random(),  # noqa: S311 -- jitter of waits, nothing secret
            works=self.works, gate=self.onlookers.gate, bus=self.onlookers.bus, on_text=hooks.on_text,
            changes=self.changes, on_wait=self.provider_waits.put, on_piece=self._texts.put,
        )  # fmt: skip

    async def quiesce(self) -> None:
        """Wait until no turn runs or waits in this process, and nothing is left to do after one."""
        while True:
            await self.scheduler.idle.wait()
            await self.upkeep.idle.wait()
            await asyncio.sleep(0)
            if self.is_quiet:
                return

    def troubles(self) -> tuple[str, ...]:
        """What is wrong now with teams, servers of tools, hooks and the like, in sentences for the person."""
        broken = tuple(f"a team cannot be read: {fault}" for fault in self.agents.broken.values())
        return broken + self.staff.troubles() + self.onlookers.troubles()

    async def rest(self) -> None:
        """Wait until no turn runs or waits in this process, and no work goes on in the background."""
        await self.quiesce()
        while self.works.n_live:
            await self.works.quiet()
            await self.quiesce()

    @property
    def is_at_rest(self) -> bool:
        """Whether neither a turn nor work in the background keeps this process busy now."""
        return self.is_quiet and not self.works.n_live

    @property
    def is_quiet(self) -> bool:
        """Whether no turn keeps this process busy now, and nothing that is left to do after one."""
        return self.scheduler.idle.is_set() and self.upkeep.idle.is_set()

    async def agent_of(self, reference: str) -> FoundAgent:
        """The agent that a reference means, with its session. Raises `NotFound`, `RoomClosed`."""
        self.check_open()
        return await self.store.read(find_agent, reference)

    async def session_of(self, reference: str) -> Session:
        """The session of the agent that a reference means. Raises `NotFound`, `RoomClosed`."""
        return (await self.agent_of(reference)).session

    async def root_of(self, reference: str | None) -> SessionKey | None:
        """The root of the tree that is meant; none for all. Raises `NotFound`, `RoomClosed`."""
        self.check_open()
        return None if reference is None else (await self.session_of(reference)).root

    def check_open(self) -> None:
        """Raise `RoomClosed` unless the room is open."""
        if not self._open:
            raise RoomClosed("this room is closed", remedy="open it again")


def allowed(outcome: T | Refusal, about: str = "") -> T:
    """What came of it. Raises a refusal in its form for programs."""
    if isinstance(outcome, Refusal):
        raise Refused(outcome.code, about, facts=outcome.facts)
    return outcome
