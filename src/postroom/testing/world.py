"""A team in memory over a store in a folder: what scenarios are written with.

Everything but the models is real. A world is declared (`agent`, `puppet`, `tool`), opens itself with the
first prompt, can be closed, crashed and opened again, and ends with `check`, which asserts that nothing
was lost, doubled or left hanging (`postroom.testing.invariants`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from postroom.app import Hooks, Outfit, Postroom, Prompt
from postroom.app.base import allowed
from postroom.clock import Clock, SystemClock
from postroom.config import MirrorSettings
from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.errors import ModelUnavailable, StoreFault
from postroom.ids import Ids, SystemIds
from postroom.llm.port import Model, ModelRequest, ModelSettings, Purpose, ToolSpec
from postroom.observe.doctor import examine
from postroom.observe.tail import EventView, Names, read_events
from postroom.observe.views import AgentView, agents
from postroom.profiles.hook_settings import HookSettings
from postroom.profiles.model_defaults import ModelDefaults
from postroom.profiles.profile import Profile
from postroom.profiles.rights import Rights
from postroom.profiles.team import Team
from postroom.profiles.tool_settings import ToolSettings
from postroom.rules.permissions import Effect, Rule
from postroom.service.say import Opening, Text
from postroom.store.places import Places, place_on_disk
from postroom.store.sqlite import SqliteStore
from postroom.store.tx import Tx
from postroom.testing import invariants
from postroom.testing.clock import FakeClock
from postroom.testing.puppet import Puppet
from postroom.testing.script import Gate, Round, ScriptedModel
from postroom.tools.base import Caller, Tool, ToolResult

PATIENCE_S = 60.0
"""Real seconds after which a wait of a test is given up: a bound for broken code, never for order."""
QUIET_S = 86_400.0
"""Fake seconds that must bring no model call (I8)."""
ALL = 1_000_000
Act: TypeAlias = Callable[[Caller, Mapping[str, Json]], Awaitable[ToolResult]]


class World:
    """One store, one team, one clock. Not a context manager: `close` it, or let the fixture do it."""

    def __init__(  # noqa: PLR0915 -- what a world is before its first prompt
        self,
        folder: Path,
        *,
        policy: Policy | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        retry_for_s: float = 0.0,
    ) -> None:
        self.folder = folder
        self.policy = policy or Policy(surface="tree")
        self.cwd = folder / "work"
        """Where new sessions work."""
        self.clock: Clock = clock or FakeClock()
        self.models: dict[str, ScriptedModel] = {}
        self.waits: list[tuple[float, ModelUnavailable]] = []
        self.pauses: list[StoreFault] = []
        self._ids = ids
        self.places: Places = place_on_disk
        """How directories are told apart; change it before the first prompt."""
        self._retry_for_s = retry_for_s
        self._profiles: dict[str, Profile] = {}
        self.puppets: dict[str, Puppet] = {}
        self.ceiling: tuple[Rule, ...] = ()
        """The person's rules for every agent; change them before the first prompt."""
        self.never_auto_approve = frozenset[str]()
        """Actions and tools for which only the person gives leave; change it before the first prompt."""
        self.rights = Rights()
        """What the settings of the team say of rights; change it before the first prompt."""
        self.plugins: list[object] = []
        """Plugins in Python; change it before the first prompt."""
        self.hooks: list[HookSettings] = []
        """Shell hooks of the team; change it before the first prompt."""
        self.mirror: MirrorSettings | None = None
        """Whether events of the bus are written to files; change it before the first prompt."""
        self._tools: list[Tool] = []
        self._roots: dict[str, str] = {}
        self._room: Postroom | None = None

    def agent(  # noqa: PLR0913 -- what a profile's front matter may say
        self,
        name: str,
        *rounds: Round,
        may_message: Iterable[str] = (),
        delegates_to: Iterable[str] = (),
        tools: Iterable[str] = (),
        rules: Iterable[Rule] = (),
        max_rounds: int | None = None,
        settings: ModelSettings | None = None,
    ) -> ScriptedModel:
        """A profile that plays these rounds, each of its sessions from the first one on."""
        model = ScriptedModel(*rounds, clock=self.clock)
        spawns = tuple(delegates_to)
        allowed = (
            *(Rule(action="delegate", effect=Effect.ALLOW, pattern=p) for p in spawns),
            *(Rule(action="message", effect=Effect.ALLOW, pattern=r) for r in may_message),
            *rules,
        )
        self._profiles[name] = Profile(
            name=name, description=f"The {name}.", instructions=f"You are {name}.", model=f"scripted:{name}",
            tools=tuple(tools), permissions=allowed, delegates_to=spawns, max_rounds=max_rounds,
            settings=settings or ModelSettings(),
        )  # fmt: skip
        self.models[name] = model
        return model

    def puppet(  # noqa: PLR0913 -- as above
        self,
        name: str,
        *,
        may_message: Iterable[str] = (),
        delegates_to: Iterable[str] = (),
        tools: Iterable[str] = (),
        rules: Iterable[Rule] = (),
        max_rounds: int | None = None,
        settings: ModelSettings | None = None,
    ) -> Puppet:
        """A profile whose rounds the test gives one by one."""
        self.agent(
            name, may_message=may_message, delegates_to=delegates_to, tools=tools, rules=rules,
            max_rounds=max_rounds, settings=settings,
        )  # fmt: skip
        puppet = Puppet(self.clock)
        self.puppets[name] = puppet
        self.models[name] = puppet.model
        return puppet

    def tool(
        self, name: str, act: Act, *, parallel: bool = True, action: str = "", idempotent: bool = False
    ) -> None:
        """A tool that any agent may name; it takes any arguments. With an action it needs a right to it."""
        parameters: dict[str, Json] = {"type": "object", "properties": {}, "additionalProperties": True}
        spec = ToolSpec(name=name, description=f"The tool {name}.", parameters=parameters)
        tool = Tool(spec=spec, run=act, parallel=parallel, action=action, idempotent=idempotent)
        self._tools.append(tool)

    def slow_tool(self, name: str, gate: Gate, text: str = "done") -> None:
        """A tool that returns its text once the gate is open."""

        async def act(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
            await gate.through()
            return ToolResult(text=text)

        self.tool(name, act)

    @property
    def room(self) -> Postroom:
        """The open room."""
        assert self._room is not None, "the world is not open"  # noqa: S101 -- a test's mistake
        return self._room

    @property
    def is_open(self) -> bool:
        """Whether the room is open."""
        return self._room is not None

    async def open(self, *, idle: bool = False) -> Postroom:
        """Open the room, or give the open one; the clock, the models and the folder stay the same.

        An `idle` one changes and runs nothing.
        """
        if self._room is None:
            models: dict[str, Model] = {f"scripted:{name}": m for name, m in self.models.items()}
            hooks = Hooks(on_wait=self._heard_wait, on_pause=self.pauses.append)
            outfit = Outfit(
                team=self._team(), models=models, tools=tuple(self._tools), clock=self.clock, ids=self._ids,
                plugins=tuple(self.plugins), hooks=hooks, idle=idle, mirror=self.mirror, cwd=self.cwd,
                places=self.places,
            )  # fmt: skip
            room = Postroom(self.folder, outfit)
            self._room = await room.__aenter__()
            self.cwd.mkdir(exist_ok=True)
        return self._room

    async def close(self) -> None:
        """Close the room as a program does that ends in good order. Idempotent."""
        room, self._room = self._room, None
        if room is not None:
            await self._closed(room)

    async def reopen(self) -> Postroom:
        """Close the room and open it again on the same store."""
        await self.close()
        return await self.open()

    async def crash(self) -> None:
        """Lose the process, as far as one can without ending it: nothing more is written, runners are gone.

        What was committed stays, what was not is lost; `open` then finds what a dead process leaves.
        """
        room, self._room = self.room, None
        room.office.on_ring = lambda _: None
        room.office.on_pause = lambda _: None
        room.store.close()
        await self._closed(room)

    async def _closed(self, room: Postroom) -> None:
        """Work that goes on is given its grace, by the clock that this world has."""
        if room.works.n_live and isinstance(self.clock, FakeClock):
            await self.clock.passes_until(room.close())
        else:
            await room.close()

    def _team(self) -> Team:
        return Team(
            name="world", path=self.folder / "team", entry=next(iter(self._profiles)),
            surface=self.policy.surface, profiles=dict(self._profiles), policy=self.policy,
            model=ModelDefaults(retry_for_s=self._retry_for_s),
            ceilings=(self.ceiling,) if self.ceiling else (),
            mode=self.rights.mode, side_calls=self.rights.side_calls, reviewers=self.rights.reviewers,
            never_auto_approve=self.never_auto_approve,
            tooling=ToolSettings(hooks=tuple(self.hooks)),
        )  # fmt: skip

    def _heard_wait(self, _branch: int, wait_s: float, fault: ModelUnavailable) -> None:
        self.waits.append((wait_s, fault))

    async def prompt(
        self,
        profile: str,
        text: str,
        *,
        client_id: str | None = None,
        policy: Policy | None = None,
        cwd: Path | None = None,
    ) -> Prompt:
        """Say a text to the profile's conversation; the first one opens it. Durable on return.

        That one may be of another surface than the world's own, or work in another directory.
        """
        room = await self.open()
        session = self._roots.get(profile)
        if session is None and (policy or cwd):
            prompt = await self.prompt_new(profile, text, client_id=client_id, policy=policy, cwd=cwd)
        else:
            prompt = await room.prompt(text, session=session, profile=profile, client_id=client_id)
        self._roots.setdefault(profile, prompt.session_id)
        return prompt

    async def prompt_new(
        self,
        profile: str,
        text: str,
        *,
        client_id: str | None = None,
        policy: Policy | None = None,
        cwd: Path | None = None,
    ) -> Prompt:
        """Say a text in a new conversation, beside the one that `prompt` uses."""
        room = await self.open()
        if policy is None and cwd is None:
            return await room.prompt(text, profile=profile, client_id=client_id)
        opening = Opening(
            team=str(self.folder / "team"), profile=profile, policy=policy or self.policy, title=text,
            cwd=str(cwd or self.cwd),
        )  # fmt: skip
        said = allowed(await room.office.say_new(opening, Text(body=text, client_id=client_id)))
        return Prompt(
            session_id=said.session_id, message_id=said.receipt.message_id, pos=said.pos,
            message=said.message, branch=said.branch, receipt=said.receipt,
        )  # fmt: skip

    async def quiesce(self) -> None:
        """Wait until no turn runs or waits; mail may be parked or lie in paused mailboxes."""
        async with asyncio.timeout(PATIENCE_S):
            await self.room.quiesce()

    async def rest(self) -> None:
        """Let every puppet end its turns from now on, and wait until all is quiet."""
        await self.open()
        for puppet in self.puppets.values():
            puppet.rests()
        await self.quiesce()

    def views(self) -> list[AgentView]:
        """Every agent of the store, in the order in which they were made within each tree."""
        return self.room.store.look(agents, None, ALL)

    def view(self, profile: str, nth: int = 1) -> AgentView:
        """The n-th agent of a profile, counted from 1."""
        return [v for v in self.views() if v.profile == profile][nth - 1]

    def handle(self, profile: str, nth: int = 1) -> str:
        """How other agents of its tree write to the n-th agent of a profile: its handle, or its id."""
        view = self.view(profile, nth)
        return view.handle or view.session_id

    def requests(self, profile: str, nth: int | None = None) -> list[ModelRequest]:
        """The requests of a profile so far, or those of its n-th agent in the order of their first ones."""
        asked = self.models[profile].requests
        if nth is None:
            return list(asked)
        branches = list(dict.fromkeys(r.branch for r in asked))
        return [r for r in asked if r.branch == branches[nth - 1]] if nth <= len(branches) else []

    async def request(self, profile: str, k: int) -> ModelRequest:
        """The k-th request of a profile, counted from 1, as soon as it has come in."""
        async with asyncio.timeout(PATIENCE_S):
            return await self.models[profile].nth_request(k)

    def events(self, kind: str = "", *, agent: str = "") -> list[EventView]:
        """The log so far; of one kind, and about the agents of one profile, if given."""
        return self.room.store.look(_matching, kind, agent)

    async def event(self, kind: str, nth: int = 1, *, agent: str = "") -> EventView:
        """The n-th event of a kind, about the agents of one profile if given, as soon as it is committed."""
        listener = self.room.store.doorbell.listen()
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    listener.clear()
                    found = await self.room.store.read(_matching, kind, agent)
                    if len(found) >= nth:
                        return found[nth - 1]
                    await listener.wait()
        finally:
            self.room.store.doorbell.leave(listener)

    async def turn_end(self, profile: str, nth: int = 1) -> EventView:
        """The n-th end of a turn of a profile, as soon as it is committed."""
        return await self.event("turn.ended", nth, agent=profile)

    async def check(self) -> None:
        """Rest, let a day pass, close, and assert I1 to I8 (`postroom.testing.invariants`)."""
        await self.rest()
        wrong = await self._calls_of_a_quiet_day()
        requests = (r for m in self.models.values() for r in m.requests)
        asked = [r for r in requests if r.purpose is Purpose.TURN]  # a side call continues nothing
        wrong += self.room.store.look(invariants.flaws, invariants.receipts(asked))
        fresh = self.room.store.look(invariants.fresh_starts)
        wrong += [f"I2 {flaw}" for flaw in invariants.rewritten(asked, fresh)]
        wrong += [f"I4 {flaw}" for m in self.models.values() for flaw in m.failures]
        if self.room.scheduler.slots_held():
            wrong.append("I7 a slot is held although nothing runs")
        live = self.room.store.look(invariants.picture)
        await self.close()
        wrong += self._differs_when_reopened(live)
        wrong += [f"G12 {line}" for line in map(str, examine(self.folder).findings)]
        assert not wrong, "\n".join(wrong)  # noqa: S101 -- a check asserts

    async def _calls_of_a_quiet_day(self) -> list[str]:
        """I8: nothing that is due later makes a call."""
        before = sum(len(m.requests) for m in self.models.values())
        if isinstance(self.clock, FakeClock):
            await self.clock.advance(QUIET_S)
        for _ in range(3):  # what became due stands in line behind reads and writes of its own
            await self.room.store.read(Tx.last_pos)
            await self.room.store.write(Tx.last_pos)
        await self.quiesce()
        more = sum(len(m.requests) for m in self.models.values()) - before
        return [f"I8 {more} model calls without any input"] if more else []

    def _differs_when_reopened(self, live: list[str]) -> list[str]:
        """I5: what is on the disk is what the live store showed, and what its log says."""
        store = SqliteStore.open(self.folder, SystemClock(), SystemIds(), read_only=True)
        try:
            stored = store.look(invariants.picture)
        finally:
            store.close()
        differs = [] if stored == live else ["I5 the reopened store differs from the live one"]
        return differs + [f"I5 {finding}" for finding in examine(self.folder).findings]


def texts(request: ModelRequest) -> list[str]:
    """The texts of a request, item by item."""
    return [item.text for item in request.items]


def times(text: str, requests: Sequence[ModelRequest]) -> int:
    """How often the newest of these requests holds a text; older ones are part of it."""
    return sum(t.count(text) for t in texts(requests[-1])) if requests else 0


def _matching(tx: Tx, kind: str, agent: str) -> list[EventView]:
    found = [e for e in read_events(tx, Names(), 0, ALL) if kind in ("", e.kind)]
    if not agent:
        return found
    profiles = {view.branch_id: view.profile for view in agents(tx, None, ALL)}
    return [e for e in found if profiles.get(e.branch_id, _profile_of(e)) == agent]


def _profile_of(event: EventView) -> str:
    """The label of a log is a handle, or for a root the profile itself."""
    stem, _, token = event.agent.rpartition("_")
    return stem if stem and len(token) == 8 else event.agent  # noqa: PLR2004 -- the tail of a handle
