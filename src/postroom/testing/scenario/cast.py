"""Builds the team, the models and the tools that a scenario file describes."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from postroom.domain.plain import Json
from postroom.domain.policy import Policy
from postroom.llm.port import Model, ModelSettings, ToolSpec
from postroom.llm.script import Script
from postroom.llm.script_file import load_script
from postroom.profiles.located import Setting, empty_table
from postroom.profiles.model_defaults import ModelDefaults
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team, load_team, script_file
from postroom.rules.permissions import Effect, Rule
from postroom.surfaces.presets import PRESETS
from postroom.testing.scenario.deeds import in_words_of
from postroom.testing.scenario.models import Means, PlayedModel, SideModel
from postroom.testing.scenario.parts.team import AgentPart, ToolPart, WorkPart
from postroom.testing.scenario.reading import Read
from postroom.testing.scenario.references import Lookup, fill_text
from postroom.tools.base import Caller, Tool, ToolResult, Work

ASIDE: Final = "scripted:aside"
"""The model of every side call for which some agent has a script."""


class Panic(BaseException):
    """What no tool may raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Everybody and everything that takes part."""

    team: Team
    models: Mapping[str, Model]
    tools: tuple[Tool, ...]


def build_team(read: Read, policy: Policy) -> Team:
    """The team of the file: its own agents, or a team folder. Raises `ConfigFault`."""
    purposes = {purpose for part in read.scenario.agents.values() for purpose in part.script} - {"turn"}
    return replace(_team(read, policy), side_calls=dict.fromkeys(sorted(purposes), ASIDE))


def _team(read: Read, policy: Policy) -> Team:
    scenario = read.scenario
    if scenario.team is not None:
        found = load_team((read.path.parent / scenario.team).absolute(), over=_surface(read, policy.surface))
        profiles = {name: replace(p, model=f"scripted:{name}") for name, p in found.profiles.items()}
        defaults = replace(found.model, retry_for_s=scenario.settings.retry_for_s)
        changed = _overridden(read, found.policy)
        return replace(found, profiles=profiles, model=defaults, policy=changed)
    profiles = {name: _profile(name, part) for name, part in scenario.agents.items()}
    return Team(
        name="scenario", path=read.path.parent.absolute(), entry=next(iter(profiles)), surface=policy.surface,
        profiles=profiles, policy=_overridden(read, policy),
        model=ModelDefaults(retry_for_s=scenario.settings.retry_for_s),
    )  # fmt: skip


def _surface(read: Read, surface: str) -> Setting:
    """What the file says over what its team folder says: the surface that is run."""
    file = str(read.path)
    named = Setting(file=file, line=read.document.line(("policies",)), key="surface", value=surface)
    return replace(empty_table(file), table={"surface": named})


def _overridden(read: Read, policy: Policy) -> Policy:
    return replace(policy, **read.scenario.policy)  # pyright: ignore[reportArgumentType] # read_file checks


def _profile(name: str, part: AgentPart) -> Profile:
    allowed = [Rule(action="delegate", effect=Effect.ALLOW, pattern=p) for p in part.delegates_to]
    allowed += [Rule(action="message", effect=Effect.ALLOW, pattern=p) for p in part.may_message]
    rules = [
        Rule(action=action, effect=Effect(effect), pattern=pattern)
        for action, patterns in part.permissions.items()
        for pattern, effect in patterns.items()
    ]
    settings = ModelSettings()
    return Profile(
        name=name, description=f"The {name}.", instructions=f"You are {name}.", model=f"scripted:{name}",
        tools=tuple(part.tools), permissions=(*allowed, *rules), delegates_to=tuple(part.delegates_to),
        max_rounds=part.max_rounds,
        settings=replace(
            settings,
            max_tokens=part.max_tokens or settings.max_tokens,
            context_window=part.context_window or settings.context_window,
        ),
    )  # fmt: skip


def build_cast(read: Read, team: Team, means: Means) -> Cast:
    """The models and tools of one life, for a team that `build_team` made."""
    played = {name: _played(team, read, name, means) for name in team.profiles}
    models: dict[str, Model] = {f"scripted:{name}": model for name, model in played.items()}
    models[ASIDE] = SideModel(played)
    lookup = means.lookup_on(team.surface)
    tools = tuple(_tool(name, part, means, lookup) for name, part in read.scenario.tools.items())
    return Cast(team=team, models=models, tools=tools)


def _played(team: Team, read: Read, agent: str, means: Means) -> PlayedModel:
    """An agent's model: its scripts, with the tools and the addresses of its surface."""
    part = read.scenario.agents.get(agent)
    surface = (part and part.surface) or team.surface
    scripts = {why: in_words_of(surface, script) for why, script in scripts_of(read, team, agent).items()}
    return PlayedModel(agent, scripts, part.afterwards if part else None, means, surface)


def policies_beside(read: Read) -> dict[str, Policy]:
    """The policies of agents that are of a surface of their own, by name."""
    parts = read.scenario.agents.items()
    return {name: _overridden(read, PRESETS[part.surface]) for name, part in parts if part.surface}


def scripts_of(read: Read, team: Team, agent: str) -> dict[str, Script]:
    """An agent's scripts by purpose: the file's own, else those of its team folder."""
    part = read.scenario.agents.get(agent)
    given = {purpose: read.script(agent, purpose) for purpose in part.script} if part else {}
    scripts = {purpose: script for purpose, script in given.items() if script is not None}
    if "turn" not in scripts and read.scenario.team is not None:
        scripts["turn"] = _script_of_team(read, team, agent)
    return scripts


def _script_of_team(read: Read, team: Team, agent: str) -> Script:
    """The script that the team folder has for the agent, whose model was replaced in `team`."""
    original = load_team(team.path).profiles[agent]
    file = script_file(team.path, original.model)
    if file is None:
        raise read.document.fault(
            ("agents",), f"the agent `{agent}` has the model {original.model} and no script",
            f"give it one: agents: {{{agent}: {{script: […]}}}}",
        )  # fmt: skip
    return load_script(file)


def _tool(name: str, part: ToolPart, means: Means, lookup: Lookup) -> Tool:
    async def act(caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        await means.gates.for_tool(name)
        if part.takes_s:
            await means.clock.sleep_s(part.takes_s)
        if part.raises == "panic":
            raise Panic
        if part.raises == "error":
            raise RuntimeError(fill_text(part.text, lookup))
        if part.goes_on is not None:
            means.begin(_go_on(await caller.begin_work(part.goes_on.label), name, part.goes_on, means))
        return ToolResult(text=fill_text(part.text, lookup), is_error=part.is_error)

    parameters: dict[str, Json] = {"type": "object", "properties": {}, "additionalProperties": True}
    spec = ToolSpec(name=name, description=f"The tool {name}.", parameters=parameters)
    return Tool(
        spec=spec, run=act, parallel=part.parallel, action=part.action or "",
        resource=lambda _caller, _arguments: part.resource or name,
    )  # fmt: skip


async def _go_on(work: Work, tool: str, part: WorkPart, means: Means) -> None:
    """Background work: it ends at its gate, or as soon as it is stopped."""
    waits = [asyncio.ensure_future(means.gates.for_work(tool)), asyncio.ensure_future(work.stopped.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    if work.stopped.is_set():
        await work.end("stopped", is_error=True)
    else:
        await work.end(part.text, is_error=part.is_error)
