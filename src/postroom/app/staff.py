"""Every team whose agents this process may run: their models, and tools with a life of their own.

A team is read when it is first asked for, which may be in the writer's thread in the middle of a
commit: reading it starts nothing. Its servers and shells begin right after, on the loop. It is read again
when the person says something and its files look otherwise than they did.
"""

import asyncio
import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from postroom.app.mail_names import names_of_mail_tools
from postroom.app.outfit import SURFACES, Outfit
from postroom.clock import Clock
from postroom.errors import ConfigFault
from postroom.llm.assumed import AtAssumedPrice, has_price
from postroom.llm.keys import ProviderSettings, key_files, keys_at_hand
from postroom.llm.port import Model, Purpose
from postroom.llm.provider import close_model, model_for
from postroom.observe.logs import FOLDER as LOGS
from postroom.profiles.places import config_folder
from postroom.profiles.profile import Profile
from postroom.profiles.team import SCRIPTED, Team, load_team, team_stamp
from postroom.runtime.agents import Agent, build_agent
from postroom.surfaces.base import Surface
from postroom.tools.base import Kit, Tool, Toolset
from postroom.tools.discreet import Hide, discreet
from postroom.tools.files.confine import Bounds
from postroom.tools.files.toolset import FILE_TOOLS, file_toolsets
from postroom.tools.load import installed_toolsets, load_toolset
from postroom.tools.python import tool_from
from postroom.tools.registry import Registry, build_registry
from postroom.tools.servers.kit import McpKit
from postroom.tools.shell.kit import ShellKit

TEAM_FILES = ("postroom.toml", "agents", "scripts", "hooks")
"""What no agent may change, even where its directory is the team's folder."""
SIDE_PURPOSES = tuple(purpose for purpose in Purpose if purpose not in (Purpose.TURN, Purpose.REVIEW))
OUTPUTS = "outputs"
"""The folder in the store's for what commands have written beyond what a model reads."""


class TeamCrew:
    """The agents of one team, built anew whenever its tools or its files have changed."""

    def __init__(self, staff: "Staff", team: Team, kits: tuple[Kit, Kit]) -> None:
        self.team = team
        self.kits = kits
        self.left: dict[str, Agent] = {}
        """Agents that the files have no more; a turn that has just started may still need one."""
        self._staff = staff
        self._stamp = team.stamp or team_stamp(team.path)
        self._generation = self._now()
        self.agents = staff.build(team, kits)

    def has_changed(self) -> bool:
        """Whether its files look otherwise than when they were read; none is opened.

        Asked on the loop: handing it to a thread takes as long, and leaves one behind when the room closes.
        """
        return team_stamp(self.team.path) != self._stamp

    def take_up(self, team: Team, kits: tuple[Kit, Kit]) -> None:
        """Be as the files say now. Raises `ConfigFault` for what they get wrong, and is as it was then."""
        agents = self._staff.build(team, kits)
        self.left |= {name: agent for name, agent in self.agents.items() if name not in agents}
        self.team, self.kits, self.agents, self._stamp = team, kits, agents, team.stamp
        self._generation = self._now()

    def refresh(self) -> None:
        """Build the agents anew if a kit's tools are other ones now."""
        if (now := self._now()) != self._generation:
            self._generation, self.agents = now, self._staff.build(self.team, self.kits)

    def _now(self) -> int:
        return sum(kit.generation for kit in self.kits)


class Staff:
    """Teams, models and kits of one room. `hire` is safe in any thread, the rest belongs to the loop."""

    def __init__(self, folder: Path, outfit: Outfit, clock: Clock) -> None:
        self._folder = folder
        self._outfit = outfit
        self._clock = clock
        self._given_models: dict[str, Model] = dict(outfit.models or {})
        self._models: dict[tuple[str, float], Model] = {}
        """The others, by their name and how long they may say nothing."""
        self._crews: list[TeamCrew] = []
        self._given = self._given_toolsets()
        self._files: dict[Path, tuple[Toolset, ...]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: set[asyncio.Task[None]] = set()
        self._renewing = asyncio.Lock()
        self._retired: list[Kit] = []
        self._ending: set[asyncio.Task[None]] = set()
        self.on_hired: Callable[[], None] = lambda: None
        """Called on the loop when a team was read, or read again, before any turn of it goes on."""

    def teams(self) -> tuple[Team, ...]:
        """Every team that was read, oldest first."""
        return tuple(crew.team for crew in self._crews)

    def team_in(self, folder: str) -> Team | None:
        """The team of a folder, if it was read."""
        return next((team for team in self.teams() if str(team.path) == folder), None)

    def prepare(self, team: Team) -> TeamCrew:
        """A team's agents, nothing begun yet. Raises `ConfigFault` for what its files get wrong."""
        crew = TeamCrew(self, team, (self._shell(team), self._servers(team)))
        self._crews.append(crew)
        return crew

    async def open(self, crew: TeamCrew | None) -> None:
        """Begin the tools of the room's own team; its turns find them ready."""
        self._loop = asyncio.get_running_loop()
        if crew is not None:
            await asyncio.gather(*(kit.open() for kit in crew.kits))
            crew.refresh()

    def hire(self, folder: str) -> TeamCrew:
        """A team that a session of the store names. Raises `ConfigFault` when it cannot be read."""
        crew = self.prepare(read_team(Path(folder), self._outfit))
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._begin, crew.kits)
        return crew

    async def renew(self, folder: str) -> bool:
        """Take up what the files of a team say now, if it was read and they have changed since; whether so.

        Turns that run keep what they began with. Raises `ConfigFault` for files that have become wrong; the
        team is as it was then.
        """
        async with self._renewing:
            crew = next((crew for crew in self._crews if str(crew.team.path) == folder), None)
            if crew is None or not crew.has_changed():
                return False
            team = await asyncio.to_thread(read_team, crew.team.path, self._outfit)
            await self._take_up(crew, team)
        self.on_hired()
        return True

    async def _take_up(self, crew: TeamCrew, team: Team) -> None:
        """Kits of which the files say nothing new stay; those of before end when nobody uses them."""
        was, now, (shell, servers) = crew.team.tooling, team.tooling, crew.kits
        kits = (
            shell if was.shell == now.shell else self._shell(team),
            servers if was.servers == now.servers else self._servers(team),
        )
        fresh, before = [kit for kit in kits if kit not in crew.kits], crew.kits
        try:
            if self._loop is not None:
                await asyncio.gather(*(kit.open() for kit in fresh))
            crew.take_up(team, kits)
        except BaseException:
            await asyncio.gather(*(kit.close() for kit in fresh))
            raise
        self._retired += [kit for kit in before if kit not in kits]

    def let_go(self) -> None:
        """Nobody works: begin to end the kits that the files of a team have no more."""
        for kit in self._retired:
            task = asyncio.get_running_loop().create_task(kit.close())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        self._retired.clear()

    def troubles(self) -> tuple[str, ...]:
        """What is wrong with the tools of the teams at hand, in sentences for the person."""
        return tuple(said for crew in self._crews for kit in crew.kits for said in kit.troubles())

    async def close(self) -> None:
        """End every kit and close every model."""
        for task in self._opening:
            task.cancel()
        await asyncio.gather(*self._opening, return_exceptions=True)
        self.let_go()
        await asyncio.gather(*self._ending, return_exceptions=True)
        await asyncio.gather(*(kit.close() for crew in self._crews for kit in crew.kits))
        for model in (*self._given_models.values(), *self._models.values()):
            await close_model(model)

    def build(self, team: Team, kits: tuple[Kit, ...]) -> Mapping[str, Agent]:
        """The team's agents, with the tools of this moment."""
        surface = replace(SURFACES[team.surface], policy=team.policy)
        others = {name: other for name, other in SURFACES.items() if name != team.surface}
        registry, hide = self._registry(surface, team, kits), self._hide()
        if team.policy.cost_micros_max is not None:
            need_prices(self.unpriced(team))

        def agent(profile: Profile) -> Agent:
            tools = {name: discreet(tool, hide) for name, tool in _tools_of(profile, registry).items()}
            model, aside = self._asked(team, profile.model), self._aside(team, profile)

            groups = registry.mail_groups(profile.tools)
            reviewers = self._reviewers(team, profile)

            def on(surface: Surface) -> Agent:
                return build_agent(
                    profile, surface, model, tools, team, groups=groups, aside=aside, reviewers=reviewers
                )

            return on(surface).beside({name: on(other) for name, other in others.items()})

        return {name: agent(profile) for name, profile in team.profiles.items()}

    def registry(self, team: Team) -> Registry:
        """The tools that the team's profiles may name, as far as is known before anything has begun."""
        return self._registry(SURFACES[team.surface], team, (self._shell(team), self._servers(team)))

    def _begin(self, kits: tuple[Kit, ...]) -> None:
        self.on_hired()
        for kit in kits:
            task = asyncio.get_running_loop().create_task(kit.open())
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    def _aside(self, team: Team, profile: Profile) -> dict[Purpose, Model]:
        models = {purpose: self._side_model(team, profile, purpose) for purpose in SIDE_PURPOSES}
        return {purpose: model for purpose, model in models.items() if model is not None}

    def _side_model(self, team: Team, profile: Profile, purpose: Purpose) -> Model | None:
        """The model that the settings name for a purpose, else the agent's own unless that is a script."""
        name = team.side_calls.get(purpose)
        if name is None and profile.model.startswith(SCRIPTED):
            return None
        return self._asked(team, name or profile.model)

    def _reviewers(self, team: Team, profile: Profile) -> tuple[Model, ...]:
        """The models that the settings name, else the agent's own unless that is a script."""
        own = () if profile.model.startswith(SCRIPTED) else (profile.model,)
        return tuple(self._asked(team, name) for name in team.reviewers or own)

    def unpriced(self, team: Team) -> tuple[str, ...]:
        """The models of a team of which nobody knows what their answers will cost."""
        return tuple(name for name in dict.fromkeys(team.models) if not has_price(self._asked(team, name)))

    def _asked(self, team: Team, name: str) -> Model:
        """The model as it is asked: what has no price gets the one that the team assumes."""
        model = self._model(team, name)
        return model if team.assume_price is None else AtAssumedPrice(model, team.assume_price)

    def _model(self, team: Team, name: str) -> Model:
        """One model object for each that is another; what was given to `open` comes first."""
        key = (name, team.model.idle_s)
        if (known := self._given_models.get(name) or self._models.get(key)) is not None:
            return known
        found = model_for(
            name, env=self._outfit.environ, clock=self._clock, scripts=team.path / "scripts",
            idle_s=team.model.idle_s, providers=self._providers(),
        )  # fmt: skip
        # A script is read with its team: another object of it plays the same.
        return found if name.startswith(SCRIPTED) else self._models.setdefault(key, found)

    def _hide(self) -> Hide:
        keys = keys_at_hand(self._providers(), self._outfit.environ)
        return lambda text: functools.reduce(lambda said, key: key.hide_in(said), keys, text)

    def _providers(self) -> Mapping[str, ProviderSettings]:
        return self._outfit.config.providers if self._outfit.config else {}

    def _shell(self, team: Team) -> Kit:
        return ShellKit(team.tooling.shell, self._folder / OUTPUTS, env=self._outfit.environ)

    def _servers(self, team: Team) -> Kit:
        return McpKit(
            team.tooling.servers, env=self._outfit.environ, clock=self._clock, cwd=team.path,
            logs=self._folder / LOGS,
        )  # fmt: skip

    def _registry(self, surface: Surface, team: Team, kits: tuple[Kit, ...]) -> Registry:
        """The tools at hand: what was given to `open`, what packages bring, and what the team has."""
        kept = (toolset for kit in kits for toolset in kit.toolsets())
        return build_registry(
            [*self._given, *self._file_toolsets(team), *kept], reserved=names_of_mail_tools(surface, team),
            mail=surface.groups, groups=team.tooling.groups,
            servers=[server.name for server in team.tooling.servers], withheld=_withheld(team),
        )  # fmt: skip

    def _given_toolsets(self) -> tuple[Toolset, ...]:
        given = self._outfit.tools
        named = [load_toolset(source) for source in given if isinstance(source, str)]
        made = tuple(s if isinstance(s, Tool) else tool_from(s) for s in given if not isinstance(s, str))
        own = Toolset(group="program", origin="the program that opened the room", tools=made)
        return (own, *named, *installed_toolsets())

    def _file_toolsets(self, team: Team) -> tuple[Toolset, ...]:
        """The file tools, where a profile may mean one: making them loads pydantic."""
        named = {name for profile in team.profiles.values() for name in profile.tools}
        named.update(name for members in team.tooling.groups.values() for name in members)
        if not any(name in FILE_TOOLS or "*" in name for name in named):
            return ()
        if team.path not in self._files:
            own = tuple(team.path / name for name in TEAM_FILES)
            closed = (self._folder, config_folder(), *key_files(self._providers(), self._outfit.environ))
            self._files[team.path] = file_toolsets(Bounds(closed=closed, fixed=own))
        return self._files[team.path]


def _tools_of(profile: Profile, registry: Registry) -> Mapping[str, Tool]:
    """What its profile names. Raises `ConfigFault` that names the file of the profile."""
    try:
        return registry.select(profile.tools)
    except ConfigFault as fault:
        place = f"the agent `{profile.name}`" if profile.source == Path() else str(profile.source)
        raise ConfigFault(f"{place}: tools: {fault.message}", remedy=fault.remedy) from None


def _withheld(team: Team) -> Mapping[str, str]:
    """Names that there are and that may not be used in this team: what would be right."""
    found = {
        group: f"only agents of `{name}` have it; take it out, or set `surface`"
        for name, surface in SURFACES.items()
        for group in surface.groups
        if group not in SURFACES[team.surface].groups
    }
    if not team.tooling.shell.allowed:
        found["shell"] = "set `allowed = true` under [shell] in postroom.toml"
    return found


def need_prices(unpriced: tuple[str, ...]) -> None:
    """Raise `ConfigFault` if the settings have a budget of money that could not be kept."""
    if unpriced:
        msg = f"budget.max_cost_usd: nobody knows what answers of {', '.join(unpriced)} cost"
        raise ConfigFault(
            msg, remedy='set budget.assume_price, in dollars for a million tokens: 3, or "3/15"'
        )  # fmt: skip


def read_team(folder: Path, outfit: Outfit) -> Team:
    """A team folder between the layers of settings that lie under and over it."""
    if outfit.config is None:
        return load_team(folder.absolute())
    return load_team(folder.absolute(), under=outfit.config.under_team, over=outfit.config.over_team)
