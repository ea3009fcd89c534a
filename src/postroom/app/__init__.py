"""The only place where objects are built: a room is a store, its service, and the turns in it."""

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from postroom.app.outfit import Hooks, Outfit, ToolSource
from postroom.app.staff import Staff, TeamCrew, read_team
from postroom.clock import Clock, SystemClock
from postroom.config import Config
from postroom.domain.keys import BranchKey
from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt, Refusal
from postroom.domain.session import Session
from postroom.errors import ConfigFault, NotFound, Refused, RoomClosed, StoreFault
from postroom.ids import SystemIds
from postroom.llm.port import Model
from postroom.observe import looks, tail, views
from postroom.observe.find import find_session
from postroom.observe.search import Hit, search
from postroom.observe.spend import By, SpendView, spend
from postroom.profiles.team import Team
from postroom.runtime.agents import Agents
from postroom.runtime.scheduler import Scheduler
from postroom.runtime.texts import TextPiece, Texts
from postroom.runtime.timers import Timers
from postroom.runtime.transcript import Transcripts
from postroom.runtime.turn import Means
from postroom.runtime.works import Works
from postroom.service.office import Office
from postroom.service.say import Opening, Said, Text
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.store.tx_work import TimerView

__all__ = ["Hooks", "Outfit", "Postroom", "Prompt", "Scheduled", "ToolSource"]

TITLE_CHARS = 80
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """A text that waits for its time: the id to take it back by, and the wall time in microseconds."""

    timer_id: str
    due_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text that was accepted from the person: where it went, and where the log stood before it."""

    session_id: str
    message_id: str
    pos: int
    message: int
    branch: BranchKey


class Postroom:
    """A room of agents over one store. Use it as `async with Postroom.open(folder) as room:`."""

    def __init__(self, folder: Path, outfit: Outfit) -> None:
        self.folder = folder
        self.team = outfit.team
        self._outfit = outfit
        self._clock = outfit.clock or SystemClock()
        self._open = False
        self.opened_pos = 0
        """Where the log stood when this process took the store."""
        self.staff = Staff(folder, outfit, self._clock)
        self.agents = Agents(self.staff.hire)
        self._texts = Texts()
        self.store: SqliteStore
        self.office: Office
        self.scheduler: Scheduler
        self.works: Works
        self._timers: Timers
        self._indexing: asyncio.Task[None] | None = None

    @classmethod
    def open(  # noqa: PLR0913 -- what a room is given has a name each
        cls, path: str | Path, *, team: str | Path | Team | None = None, tools: Iterable[ToolSource] = (),
        models: Mapping[str, Model] | None = None, clock: Clock | None = None, hooks: Hooks | None = None,
        config: Config | None = None, idle: bool = False,
    ) -> Self:  # fmt: skip
        """A room over the store in `path`, with the agents of a team folder.

        Entering it takes the store (`StoreInUse` if another process has it), ends what a dead process
        left running, and goes on with all mail that waits. Leaving it ends running turns as
        interrupted; nothing of them is lost. `config` adds the layers of settings around the folder's
        own. An `idle` room accepts and changes but runs no turn. Raises `ConfigFault` for a broken team.
        """
        outfit = Outfit(
            models=models, tools=tuple(tools), clock=clock, hooks=hooks or Hooks(),
            config=config, idle=idle,
        )  # fmt: skip
        loaded = team if isinstance(team, Team) or team is None else read_team(Path(team), outfit)
        return cls(Path(path), replace(outfit, team=loaded))

    async def __aenter__(self) -> Self:
        """Own the store, recover, run."""
        # Before the store is made: a broken team leaves nothing behind.
        crew = None if self.team is None else self.staff.prepare(self.team)
        self.store = SqliteStore.open(self.folder, self._clock, self._outfit.ids or SystemIds())
        self.office = Office(self.store, self.agents.facts, self._clock)
        self.works = Works(self.office, self._clock)
        self._timers = Timers(self.office, self._clock)
        self.scheduler = Scheduler(self._means(), self.agents)
        if not self._outfit.idle:
            self.office.on_ring = self.scheduler.ring
            self.scheduler.on_idle = self._index
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
        await self.works.close()
        await self.staff.close()
        if self._indexing is not None:
            await self._indexing
        self.store.close()

    async def _begin(self, crew: TeamCrew | None) -> None:
        """The team's tools first, then what waits: a turn that goes on finds them ready."""
        if crew is not None:
            self.agents.add(str(crew.team.path), crew)
        self.opened_pos = await self.store.read(looks.newest_pos, 0)
        if self._outfit.idle:
            await self.office.recover(wakes=False)
            return
        await self.staff.open(crew)
        await self.office.recover()
        await self._arm()

    def _index(self) -> None:
        """Nobody works: the index for search catches up, a slice at a time."""
        if self._indexing is None or self._indexing.done():
            self._indexing = asyncio.get_running_loop().create_task(self._index_while_idle())

    async def _index_while_idle(self) -> None:
        with contextlib.suppress(StoreFault):  # a search catches up itself
            while self.scheduler.idle.is_set() and await self.office.index_words():
                pass

    async def _arm(self) -> None:
        self._timers.arm(await self.store.read(Tx.next_due))

    def _means(self) -> Means:
        hooks = self._outfit.hooks
        return Means(
            office=self.office, transcripts=Transcripts(), clock=self._clock,
            random_source=random.Random(),  # noqa: S311 -- jitter of waits, nothing secret
            works=self.works, on_text=hooks.on_text, on_wait=hooks.on_wait, on_piece=self._texts.put,
        )  # fmt: skip

    async def prompt(
        self,
        text: str,
        *,
        session: str | None = None,
        profile: str | None = None,
        client_id: str | None = None,
    ) -> Prompt:
        """Say something to an agent: in a new session, or in one that exists. Durable on return.

        It opens a turn of its own. Saying it again with the same `client_id` gives the first receipt.
        Raises `Refused` (`invalid_body`, `idempotency_conflict`), `NotFound`, `RoomClosed`.
        """
        said_text = Text(body=text, client_id=client_id)
        if session is not None:
            found = await self._session(session)
            return _prompted(await self.office.say(found.active_branch, said_text))
        self._check_open()
        team = self._need_team()
        opening = Opening(
            team=str(team.path), profile=profile or team.entry, policy=team.policy,
            title=text.strip().splitlines()[0][:TITLE_CHARS] if text.strip() else "",
            cwd=str(self._outfit.cwd or Path.cwd()),
        )  # fmt: skip
        if opening.profile not in team.profiles:
            msg = f"the team {team.name} has no profile {opening.profile}"
            raise NotFound(msg, remedy=f"use one of {', '.join(team.profiles)}")
        return _prompted(await self.office.say_new(opening, said_text))

    async def send_at(
        self, to: str, body: str, due_us: int, *, mode: str = "steer", client_id: str | None = None
    ) -> Scheduled:
        """Write to any agent as the person, but later: at `due_us` of wall time. Durable on return.

        It ends no pause when its time comes. A room that is open then says it; else the next one does.
        Raises `Refused` (`invalid_body`, `idempotency_conflict`), `NotFound`.
        """
        found = await self._session(to)
        text = Text(body=body, mode=Mode(mode), client_id=client_id)
        kept = _allowed(await self.office.set_timer(found.active_branch, text, due_us))
        if not self._outfit.idle:
            await self._arm()
        return Scheduled(timer_id=kept.public_id, due_us=kept.due_us)

    async def timers(self, limit: int = 100) -> list[TimerView]:
        """The texts that wait for their time, next first."""
        self._check_open()
        return await self.store.read(Tx.set_timers, limit)

    async def cancel_timer(self, timer_id: str) -> None:
        """Take a timed text back. Raises `Refused` (`unknown_reference`, `already_ended`)."""
        self._check_open()
        _allowed(await self.office.cancel_timer(timer_id))

    async def spend(
        self, by: By = "agent", *, session: str | None = None, limit: int = 50
    ) -> list[SpendView]:
        """What answers have cost, newest first; of one tree or of the whole store."""
        root = None if session is None else (await self._session(session)).root
        return await self.store.read(spend, by, root=root, limit=limit)

    async def search(self, words: str, *, session: str | None = None, limit: int = 20) -> list[Hit]:
        """Texts that hold all the words, best match first; everything that was committed is looked at.

        Raises `Refused` (`invalid_query`).
        """
        root = None if session is None else (await self._session(session)).root
        while await self.office.index_words():
            pass
        return await self.store.read(search, words, root=root, limit=limit)

    async def texts(self, session: str | None = None) -> AsyncGenerator[TextPiece, None]:
        """Text as it streams from the model of one agent, or of all; nothing of it is durable yet."""
        found = None if session is None else (await self._session(session)).public_id
        async for piece in self._texts.listen(found):
            yield piece

    async def send(self, to: str, body: str, *, mode: str = "steer", client_id: str | None = None) -> Receipt:
        """Write to any agent as the person: by session id or handle. Durable on return.

        `steer` joins its running turn at the next boundary, or wakes it; `queue` opens a later turn.
        """
        found = await self._session(to)
        text = Text(body=body, mode=Mode(mode), client_id=client_id)
        return _allowed(await self.office.say(found.active_branch, text)).receipt

    async def subscribe(self, pos: int = 0) -> AsyncGenerator[tail.EventView, None]:
        """Every event of the store behind `pos`: the past, then live. Ends when the reader stops."""
        async for event in tail.subscribe(self.store, pos):
            yield event

    async def wait(self, prompt: Prompt, *, tree: bool = False) -> views.End:
        """How the turn that read the prompt ended; with `tree`, how its tree ended, once it is quiet."""
        session = await self._session(prompt.session_id)
        listener = self.store.doorbell.listen()

        def look(tx: Tx) -> views.End | None:
            if tree:
                return views.whole_ending(
                    tx, prompt.message, session.root, session.active_branch, prompt.session_id
                )
            return views.ending(tx, prompt.message, prompt.session_id)

        try:
            while True:
                listener.clear()
                if (end := await self.store.read(look)) is not None:
                    return end
                await listener.wait()
        finally:
            self.store.doorbell.leave(listener)

    async def find(self, session: str) -> str:
        """The session id of an agent that is named by its session id or handle. Raises `NotFound`."""
        return (await self._session(session)).public_id

    async def check(self, session: str) -> None:
        """Raise what keeps an agent from running in this room: its team is broken, its profile is gone."""
        found = await self._session(session)
        branch = await self.store.read(Tx.branch_row, found.active_branch)
        if self.agents.find(found.team, branch.profile) is None:
            msg = f"the team in {found.team} has no profile {branch.profile} any more"
            raise self.agents.broken.get(found.team) or NotFound(msg, remedy="see `postroom check`")

    async def last_end(self, session: str) -> views.End | None:
        """How an agent's newest turn ended; `None` while its tree still works, or before it has run."""
        found = await self._session(session)
        return await self.store.read(views.tree_ending, found.root, found.active_branch, found.public_id)

    async def history(self, session: str) -> list[views.HistoryItem]:
        """A session's conversation, oldest first."""
        found = await self._session(session)
        return await self.store.read(views.history, found.active_branch)

    async def agents_view(self, session: str | None = None) -> list[views.AgentView]:
        """The agents of a session's tree, or of the newest trees."""
        root = None if session is None else (await self._session(session)).root
        return await self.store.read(views.agents, root)

    async def stop(self, session: str) -> int:
        """Pause an agent and everything below it (G11); how many were not paused before."""
        found = await self._session(session)
        return len((await self.office.stop(found.active_branch, self.scheduler.runs)).branches)

    async def cancel(self, session: str) -> None:
        """End an agent's turn, or the task it runs with everything below; pauses nothing."""
        found = await self._session(session)
        _allowed(await self.office.cancel(found.active_branch))

    async def resume(self, session: str) -> None:
        """Lift a pause, open a turn for parked mail, or go on from an interrupted turn."""
        found = await self._session(session)
        _allowed(await self.office.resume(found.active_branch))

    async def retry(self, message_id: str) -> Receipt:
        """Accept a quarantined message's body again, as a new message that names the old one."""
        return _allowed(await self.office.retry(message_id), message_id).receipt

    async def quiesce(self) -> None:
        """Wait until no turn runs or waits in this process."""
        while True:
            await self.scheduler.idle.wait()
            await asyncio.sleep(0)
            if self.scheduler.idle.is_set():
                return

    def troubles(self) -> tuple[str, ...]:
        """What is wrong now with servers of tools and the like, in sentences for the person."""
        return self.staff.troubles()

    async def rest(self) -> None:
        """Wait until no turn runs or waits in this process, and no work goes on in the background."""
        await self.quiesce()
        while self.works.n_live:
            await self.works.quiet()
            await self.quiesce()

    @property
    def is_at_rest(self) -> bool:
        """Whether neither a turn nor work in the background keeps this process busy now."""
        return self.scheduler.idle.is_set() and not self.works.n_live

    async def _session(self, reference: str) -> Session:
        self._check_open()
        return await self.store.read(find_session, reference)

    def _need_team(self) -> Team:
        if self.team is None:
            msg = "this room was opened without a team"
            raise ConfigFault(msg, remedy="open it with team=FOLDER")
        return self.team

    def _check_open(self) -> None:
        if not self._open:
            msg = "this room is closed"
            raise RoomClosed(msg, remedy="open it again")


def _prompted(outcome: Said | Refusal) -> Prompt:
    said = _allowed(outcome)
    return Prompt(
        session_id=said.session_id, message_id=said.receipt.message_id, pos=said.pos,
        message=said.message, branch=said.branch,
    )  # fmt: skip


def _allowed(outcome: T | Refusal, about: str = "") -> T:
    """What came of it. Raises a refusal in its form for programs."""
    if isinstance(outcome, Refusal):
        raise Refused(outcome.code, about)
    return outcome
