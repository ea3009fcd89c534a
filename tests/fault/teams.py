"""The teams of the scenes, in memory: profiles, tolerant models, tools."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from postroom.clock import SystemClock
from postroom.domain.policy import Policy
from postroom.llm.port import Json, Model, ToolSpec
from postroom.llm.scripted import Round, Script, ScriptPlayer
from postroom.profiles.model_defaults import ModelDefaults
from postroom.profiles.profile import Profile
from postroom.profiles.team import Team
from postroom.rules.permissions import Effect, Rule
from postroom.tools.base import Caller, Tool, ToolResult

EVERYBODY = ("parent", "child", "sibling", "*")


def plays(*rounds: Round) -> Model:
    """A scripted model; which round is played follows from the request alone."""
    return ScriptPlayer(Script(rounds), clock=SystemClock())


def agent(name: str, *delegates_to: str, tools: tuple[str, ...] = ()) -> Profile:
    """A profile that may write to everybody and delegate to these."""
    mail = tuple(Rule(action="message", effect=Effect.ALLOW, pattern=who) for who in EVERYBODY)
    below = tuple(Rule(action="delegate", effect=Effect.ALLOW, pattern=name) for name in delegates_to)
    return Profile(
        name=name, description=f"the {name}", instructions=f"You are the {name}.", model=f"scripted:{name}",
        tools=tools, permissions=(*below, *mail), delegates_to=delegates_to, source=Path(f"{name}.md"),
    )  # fmt: skip


def team(*profiles: Profile, policy: Policy | None = None) -> Team:
    """A team whose entry is the first profile; a provider that fails is not tried again."""
    return Team(
        name="crash", path=Path("/crash"), entry=profiles[0].name, surface="tree",
        profiles={profile.name: profile for profile in profiles}, policy=policy or Policy(surface="tree"),
        model=ModelDefaults(retry_for_s=0.0),
    )  # fmt: skip


async def _look(caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
    return ToolResult(text=f"{caller.agent} sees {arguments.get('what')}")


LOOK = Tool(
    spec=ToolSpec(name="look", description="Look at something.", parameters={"type": "object"}), run=_look
)
"""A foreign tool that answers at once."""


async def _dig(caller: Caller, arguments: Mapping[str, Json]) -> ToolResult:
    work = await caller.begin_work(f"dig {arguments.get('where')}")
    digging = asyncio.ensure_future(work.end(f"dug {arguments.get('where')}"))
    DIGGING.add(digging)
    digging.add_done_callback(DIGGING.discard)
    return ToolResult(text="digging")


DIGGING: set[asyncio.Future[None]] = set()
"""What is under way: the loop itself holds its tasks only weakly."""
DIG = Tool(spec=ToolSpec(name="dig", description="Dig somewhere.", parameters={"type": "object"}), run=_dig)
"""A foreign tool whose work goes on after it has answered."""
