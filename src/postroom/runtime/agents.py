"""Profiles, models and tools put together: what an agent is while its turn runs."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from postroom.errors import Fault
from postroom.llm.port import Model, ToolSpec
from postroom.llm.windows import context_window_of
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team
from postroom.rules.permissions import Effect, decide
from postroom.rules.text import CHARS_PER_TOKEN
from postroom.service.facts import AgentFacts
from postroom.surfaces.base import MailTool, Surface
from postroom.tools.base import Tool

RELATIONS = ("parent", "child", "sibling", "*")
SEND_TOOL = "send_message"
"""The tool that is hidden while messaging is switched off; without it no envelope hints at a reply."""
RESERVE_FRACTION = 10
"""A tenth of the window is never filled with mail (product.md, Window and compaction)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One profile, ready to run: its model, its tools, and its facts for the service."""

    profile: Profile
    model: Model
    mail_tools: Mapping[str, MailTool]
    tools: Mapping[str, Tool]
    facts: AgentFacts
    specs: tuple[ToolSpec, ...]
    """What the model is told of its tools, in one stable order; a call of one that is hidden is refused."""
    retry_for_s: float
    """How long a call is tried again while its provider is overloaded or away."""


def build_agent(
    profile: Profile,
    surface: Surface,
    model: Model,
    tools: Mapping[str, Tool],
    team: Team,
) -> Agent:
    """Decide once what the profile may do; which mail tools it gets follows from that."""
    bare = _rights(profile, team.profiles)
    mail_tools = {t.spec.name: t for t in surface.tools if t.is_visible(bare)}
    hidden = () if surface.policy.messaging_enabled else (SEND_TOOL,)
    shown = [t.spec for name, t in mail_tools.items() if name not in hidden]
    specs = (*shown, *(t.spec for t in tools.values()))
    facts = replace(
        bare,
        tools=json.dumps([s.name for s in specs]),
        exposes_mail=any(spec.name == SEND_TOOL for spec in shown),
        reserve_tokens=bare.reserve_tokens + _fixed_tokens(profile, specs),
    )
    return Agent(
        profile=profile, model=model, mail_tools=mail_tools, tools=tools, facts=facts, specs=specs,
        retry_for_s=team.model.retry_for_s,
    )  # fmt: skip


def _rights(profile: Profile, profiles: Mapping[str, Profile]) -> AgentFacts:
    window = context_window_of(profile.model, profile.settings)
    return AgentFacts(
        profile=profile.name,
        tools="[]",
        exposes_mail=False,
        may_message=frozenset(r for r in RELATIONS if _allowed(profile, "message", r)),
        may_delegate=frozenset(n for n in profiles if _allowed(profile, "delegate", n)),
        rounds_max=profile.max_rounds,
        window_tokens=window,
        reserve_tokens=min(profile.settings.max_tokens, window // 2) + window // RESERVE_FRACTION,
    )


def _allowed(profile: Profile, action: str, resource: str) -> bool:
    return decide(profile.permissions, action, resource) is Effect.ALLOW


def _fixed_tokens(profile: Profile, specs: Sequence[ToolSpec]) -> int:
    """What every request carries besides the conversation: instructions and tool schemas."""
    schemas = json.dumps([dict(s.parameters) for s in specs])
    return (len(profile.instructions) + len(schemas)) // CHARS_PER_TOKEN


class Crew(Protocol):
    """The agents of one team."""

    @property
    def agents(self) -> Mapping[str, Agent]:
        """By the names of their profiles."""
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

    def facts(self, team: str, profile: str) -> AgentFacts | None:
        """The service's directory."""
        agent = self.find(team, profile)
        return None if agent is None else agent.facts
