"""Profiles, models and tools put together: what an agent is while its turn runs."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from postroom.domain.policy import Policy
from postroom.errors import Fault
from postroom.llm.port import DEFAULT_WINDOW, Model, ModelSettings, Purpose, ToolSpec
from postroom.llm.windows import context_window_of
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team
from postroom.rules.compaction import EARLY_PERCENT
from postroom.rules.naming import RELATIONS
from postroom.rules.permissions import OPEN, Effect, Rule, with_implied
from postroom.rules.text import CHARS_PER_TOKEN
from postroom.service.facts import RESERVE_FRACTION, AgentFacts, ToolRight
from postroom.surfaces.base import MailTool, Surface
from postroom.tools.base import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One profile, ready to run: its model, its tools, and its facts for the service."""

    profile: Profile
    model: Model
    mail_tools: Mapping[str, MailTool]
    tools: Mapping[str, Tool]
    facts: AgentFacts
    specs: tuple[ToolSpec, ...]
    """Every tool in one stable order; a model is told of those that its turn was given."""
    retry_for_s: float
    """How long a call is tried again while its provider is overloaded or away."""
    aside: Mapping[Purpose, Model] = field(default_factory=dict[Purpose, Model])
    """Who is asked beside its turns, by purpose; where one is missing, nobody is."""
    reviewers: tuple[Model, ...] = ()
    """Who reviews calls in the person's place, where its policy has them reviewed."""
    summary_window_tokens: int = DEFAULT_WINDOW
    """How much the one reads that sums it up."""
    elsewhere: Mapping[str, "Agent"] = field(default_factory=dict[str, "Agent"])
    """The same on surfaces that are not its team's: a session keeps the one that it was made with."""

    def on(self, surface: str) -> "Agent":
        """The same agent in a session of a surface."""
        return self.elsewhere.get(surface, self)

    def beside(self, others: Mapping[str, "Agent"]) -> "Agent":
        """The same, known on other surfaces too."""
        facts = {surface: other.facts for surface, other in others.items()}
        return replace(self, elsewhere=others, facts=replace(self.facts, elsewhere=facts))


def build_agent(  # noqa: PLR0913 -- an agent is put together of these
    profile: Profile,
    surface: Surface,
    model: Model,
    tools: Mapping[str, Tool],
    team: Team,
    *,
    groups: Collection[str] = (),
    aside: Mapping[Purpose, Model] | None = None,
    reviewers: tuple[Model, ...] = (),
) -> Agent:
    """Put the profile's rights beside its tools; which of them a turn gets, its start decides.

    `groups` are those of a surface's own that the profile names.
    """
    hidden = () if surface.policy.messaging_enabled else (surface.policy.send_tool,)
    mail_tools = mail_tools_of(profile, surface, team, groups)
    tools = {name: tool for name, tool in tools.items() if name not in mail_tools}
    specs = (*(t.spec for t in mail_tools.values()), *(t.spec for t in tools.values()))
    shows = (
        *(_right(t, team) for name, t in mail_tools.items() if name not in hidden),
        *(ToolRight(n, t.action, _known(t), _chars(t.spec), repeats=t.idempotent) for n, t in tools.items()),
    )
    actions = sorted({tool.action for tool in tools.values() if tool.action})
    window = context_window_of(profile.model, profile.settings)
    reserve = min(profile.settings.max_tokens, window // 2) + window // RESERVE_FRACTION
    allowed = () if surface.policy.authorisation == "rules" else OPEN
    facts = AgentFacts(
        profile=profile.name, model=profile.model, send_tool=surface.policy.send_tool,
        own=(*allowed, *with_implied(profile.permissions, actions)),
        shipped=_shipped(surface.policy, profile.name),
        ceilings=team.ceilings, never_auto_approve=team.never_auto_approve, shows=shows,
        rounds_max=profile.max_rounds, window_tokens=window,
        reserve_tokens=reserve + len(profile.instructions) // CHARS_PER_TOKEN,
        compact_percent=EARLY_PERCENT if aside and Purpose.SUMMARY in aside else 0,
    )  # fmt: skip
    other = team.side_calls.get(Purpose.SUMMARY)
    return Agent(
        profile=profile, model=model, mail_tools=mail_tools, tools=tools, facts=facts, specs=specs,
        retry_for_s=team.model.retry_for_s, aside=aside or {}, reviewers=reviewers,
        summary_window_tokens=context_window_of(other, ModelSettings()) if other else window,
    )  # fmt: skip


def mail_tools_of(
    profile: Profile, surface: Surface, team: Team, groups: Collection[str]
) -> dict[str, MailTool]:
    """A surface's tools for an agent: those of all, of the groups that it names, and of whom it may make.

    Of two of one name the first counts. On its team's own surface no two have one name.
    """
    found = [*surface.tools]
    found += (tool for name, group in surface.groups.items() if name in groups for tool in group)
    if surface.per_profile is not None:
        others = (team.profiles[name] for name in profile.delegates_to if name in team.profiles)
        found += (surface.per_profile(other.name, other.description) for other in others)
    named: dict[str, MailTool] = {}
    for tool in found:
        named.setdefault(tool.spec.name, tool)
    return named


def _right(tool: MailTool, team: Team) -> ToolRight:
    """A relation and a profile are known beforehand, so a tool that could reach nobody is not shown."""
    known = {"message": RELATIONS, "delegate": tuple(team.profiles)}
    resources = (tool.only,) if tool.only else known.get(tool.action)
    return ToolRight(tool.spec.name, tool.action, resources, _chars(tool.spec), tool.spends, repeats=True)


def _shipped(policy: Policy, profile: str) -> tuple[Rule, ...]:
    """The rules on recipients that come with a surface, and perhaps leave to make agents like oneself."""
    recipients = tuple(
        Rule(action="message", pattern=label, effect=Effect(what)) for label, what in policy.relations
    )
    copies = Rule(action="delegate", pattern=profile, effect=Effect.ALLOW)
    return (*recipients, copies) if policy.copies else recipients


def _known(tool: Tool) -> tuple[str, ...] | None:
    """What every call of a tool is done to, unless that depends on the call."""
    if tool.only or tool.resource is None:
        return (tool.only or tool.spec.name,)
    return None


def _chars(spec: ToolSpec) -> int:
    """What every request carries of a tool: its schema."""
    return len(json.dumps(dict(spec.parameters)))


class Crew(Protocol):
    """The agents of one team."""

    @property
    def agents(self) -> Mapping[str, Agent]:
        """By the names of their profiles."""
        ...

    @property
    def left(self) -> Mapping[str, Agent]:
        """Those that its files have no more, as they were last."""
        ...

    def refresh(self) -> None:
        """Build the agents anew if the tools of the team have changed."""
        ...


class Agents:
    """Every agent that turns may need, by team and profile; a team is read when it is first asked for."""

    def __init__(self, load: Callable[[str], Crew]) -> None:
        self._load = load
        self._teams: dict[str, Crew] = {}
        self.broken: dict[str, Fault] = {}

    def add(self, team: str, crew: Crew) -> None:
        """A team that is at hand."""
        self._teams[team] = crew

    def refresh(self) -> None:
        """Before a turn starts: its list of tools is that of this moment, and stays."""
        for crew in self._teams.values():
            crew.refresh()

    def find(self, team: str, profile: str) -> Agent | None:
        """The agent, or nothing when its team or profile is not there any more."""
        if team not in self._teams and team not in self.broken:
            try:
                self._teams[team] = self._load(team)
            except Fault as fault:
                self.broken[team] = fault
        crew = self._teams.get(team)
        return None if crew is None else crew.agents.get(profile)

    def of_started(self, team: str, profile: str) -> Agent:
        """The agent of a turn that has started: its facts were found then, whatever has been read since."""
        agent = self.find(team, profile)
        return self._teams[team].left[profile] if agent is None else agent

    def look_again(self, team: str) -> bool:
        """A team that could not be read is read again when it is next asked for; whether this is one."""
        return self.broken.pop(team, None) is not None

    def facts(self, team: str, profile: str) -> AgentFacts | None:
        """The service's directory."""
        agent = self.find(team, profile)
        return None if agent is None else agent.facts
