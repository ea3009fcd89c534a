"""The only place where objects are built: a room is a store, its service, and the turns in it."""

import asyncio
import os
import random
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias, TypeVar

from postroom.clock import Clock, SystemClock
from postroom.config import Config
from postroom.domain.keys import BranchKey
from postroom.domain.message import Mode
from postroom.domain.receipt import Receipt, Refusal
from postroom.domain.session import Session
from postroom.errors import ConfigFault, ModelUnavailable, NotFound, Refused, RoomClosed, StoreFault
from postroom.ids import Ids, SystemIds
from postroom.llm.port import Model
from postroom.llm.provider import close_model, model_for
from postroom.observe import looks, tail, views
from postroom.observe.find import find_session
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team, load_team
from postroom.runtime.agents import Agent, Agents, build_agent
from postroom.runtime.scheduler import Scheduler
from postroom.runtime.transcript import Transcripts
from postroom.runtime.turn import Means
from postroom.service.office import Office
from postroom.service.say import Opening, Said, Text
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.surfaces.base import Surface
from postroom.surfaces.tree import TREE
from postroom.tools.base import Tool, Toolset
from postroom.tools.load import installed_toolsets, load_toolset
from postroom.tools.python import tool_from
from postroom.tools.registry import Registry, build_registry

T = TypeVar("T")
ToolSource: TypeAlias = Tool | Callable[..., object] | str
"""A tool, a Python function to make one of, or `module:attr` that names some."""
SURFACES = {TREE.name: TREE}
TITLE_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text that was accepted from the person: where it went, and where the log stood before it."""

    session_id: str
    message_id: str
    pos: int
    message: int
    branch: BranchKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What a front end may hear that is not in the log: streamed text, waits, pauses."""

    on_text: Callable[[int, str], None] = lambda _branch, _text: None
    on_wait: Callable[[int, float, ModelUnavailable], None] = lambda _branch, _wait_s, _fault: None
    on_pause: Callable[[StoreFault], None] = lambda _fault: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outfit:
    """What a room is given: models by name come before the environment, tools beside the team's."""

    team: Team | None = None
    models: Mapping[str, Model] | None = None
    tools: tuple[ToolSource, ...] = ()
    clock: Clock | None = None
    ids: Ids | None = None
    env: Mapping[str, str] | None = None
    hooks: Hooks = Hooks()
    config: Config | None = None
    """Settings that lie under and over a team folder's own; none: the folder's own."""
    idle: bool = False
    """Accept and change, but run no turn: for a process that comes and goes."""


class Postroom:
    """A room of agents over one store. Use it as `async with Postroom.open(folder) as room:`."""

    def __init__(self, folder: Path, outfit: Outfit) -> None:
        self.folder = folder
        self.team = outfit.team
        self._outfit = outfit
        self._clock = outfit.clock or SystemClock()
        self._models: dict[str, Model] = dict(outfit.models or {})
        self._open = False
        self.opened_pos = 0
        """Where the log stood when this process took the store."""
        self.agents = Agents(self._load_agents)
        self.store: SqliteStore
        self.office: Office
        self.scheduler: Scheduler

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
        loaded = team if isinstance(team, Team) or team is None else _load(Path(team), config)
        outfit = Outfit(
            team=loaded, models=models, tools=tuple(tools), clock=clock, hooks=hooks or Hooks(),
            config=config, idle=idle,
        )  # fmt: skip
        return cls(Path(path), outfit)

    async def __aenter__(self) -> Self:
        """Own the store, recover, run."""
        if self.team is not None:
            self.agents.add(str(self.team.path), self._build_agents(self.team))
        self.store = SqliteStore.open(self.folder, self._clock, self._outfit.ids or SystemIds())
        self.office = Office(self.store, self.agents.facts, self._clock)
        self.scheduler = Scheduler(self._means(), self.agents)
        if not self._outfit.idle:
            self.office.on_ring = self.scheduler.ring
        self.office.on_pause = self._outfit.hooks.on_pause
        self._open = True
        try:
            self.opened_pos = await self.store.read(looks.newest_pos, 0)
            await self.office.recover(wakes=not self._outfit.idle)
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
        await self.scheduler.close()
        for model in self._models.values():
            await close_model(model)
        self.store.close()

    def _means(self) -> Means:
        hooks = self._outfit.hooks
        return Means(
            office=self.office, transcripts=Transcripts(), clock=self._clock,
            random_source=random.Random(),  # noqa: S311 -- jitter of waits, nothing secret
            on_text=hooks.on_text, on_wait=hooks.on_wait,
        )  # fmt: skip

    def _load_agents(self, team: str) -> Mapping[str, Agent]:
        return self._build_agents(_load(Path(team), self._outfit.config))

    def _build_agents(self, team: Team) -> Mapping[str, Agent]:
        surface = replace(SURFACES[team.surface], policy=team.policy)
        registry = self._registry(surface)
        return {
            name: build_agent(
                profile, surface, self._model(team, profile), registry.select(profile.tools), team
            )
            for name, profile in team.profiles.items()
        }

    def _model(self, team: Team, profile: Profile) -> Model:
        """One model object a name; what was given to `open` comes first."""
        if profile.model in self._models:
            return self._models[profile.model]
        env = os.environ if self._outfit.env is None else self._outfit.env
        found = model_for(profile.model, env=env, clock=self._clock, scripts=team.path / "scripts")
        key = profile.model if not profile.model.startswith("scripted:") else f"{team.path}:{profile.model}"
        return self._models.setdefault(key, found)

    def _registry(self, surface: Surface) -> Registry:
        """The tools at hand: what was given to `open`, then what installed packages bring."""
        given = self._outfit.tools
        named = [load_toolset(source) for source in given if isinstance(source, str)]
        made = tuple(s if isinstance(s, Tool) else tool_from(s) for s in given if not isinstance(s, str))
        own = Toolset(group="program", origin="the program that opened the room", tools=made)
        reserved = [tool.spec.name for tool in surface.tools]
        return build_registry([own, *named, *installed_toolsets()], reserved=reserved)

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
            return self._prompted(await self.office.say(found.active_branch, said_text))
        self._check_open()
        team = self._need_team()
        opening = Opening(
            team=str(team.path), profile=profile or team.entry, policy=team.policy,
            title=text.strip().splitlines()[0][:TITLE_CHARS] if text.strip() else "", cwd=str(Path.cwd()),
        )  # fmt: skip
        if opening.profile not in team.profiles:
            msg = f"the team {team.name} has no profile {opening.profile}"
            raise NotFound(msg, remedy=f"use one of {', '.join(team.profiles)}")
        return self._prompted(await self.office.say_new(opening, said_text))

    async def send(self, to: str, body: str, *, mode: str = "steer", client_id: str | None = None) -> Receipt:
        """Write to any agent as the person: by session id or handle. Durable on return.

        `steer` joins its running turn at the next boundary, or wakes it; `queue` opens a later turn.
        """
        found = await self._session(to)
        said = await self.office.say(
            found.active_branch, Text(body=body, mode=Mode(mode), client_id=client_id)
        )
        if isinstance(said, Refusal):
            raise Refused(said.code, "")
        return said.receipt

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
        self._raise_refusal(await self.office.cancel(found.active_branch))

    async def resume(self, session: str) -> None:
        """Lift a pause, open a turn for parked mail, or go on from an interrupted turn."""
        found = await self._session(session)
        self._raise_refusal(await self.office.resume(found.active_branch))

    async def retry(self, message_id: str) -> Receipt:
        """Accept a quarantined message's body again, as a new message that names the old one."""
        outcome = await self.office.retry(message_id)
        if isinstance(outcome, Refusal):
            raise Refused(outcome.code, message_id)
        return outcome.receipt

    async def quiesce(self) -> None:
        """Wait until no turn runs or waits in this process."""
        while True:
            await self.scheduler.idle.wait()
            await asyncio.sleep(0)
            if self.scheduler.idle.is_set():
                return

    async def _session(self, reference: str) -> Session:
        self._check_open()
        return await self.store.read(find_session, reference)

    def _prompted(self, said: Said | Refusal) -> Prompt:
        if isinstance(said, Refusal):
            raise Refused(said.code, "")
        return Prompt(
            session_id=said.session_id, message_id=said.receipt.message_id, pos=said.pos,
            message=said.message, branch=said.branch,
        )  # fmt: skip

    @staticmethod
    def _raise_refusal(outcome: object) -> None:
        if isinstance(outcome, Refusal):
            raise Refused(outcome.code, "")

    def _need_team(self) -> Team:
        if self.team is None:
            msg = "this room was opened without a team"
            raise ConfigFault(msg, remedy="open it with team=FOLDER")
        return self.team

    def _check_open(self) -> None:
        if not self._open:
            msg = "this room is closed"
            raise RoomClosed(msg, remedy="open it again")


def _load(folder: Path, config: Config | None) -> Team:
    """A team folder between the layers of settings that lie under and over it."""
    if config is None:
        return load_team(folder.absolute())
    return load_team(folder.absolute(), under=config.under_team, over=config.over_team)
