"""The agent profile: who an agent is, before it has a session."""

from dataclasses import dataclass, field
from pathlib import Path

from postroom.llm.port import ModelSettings
from postroom.rules.permissions import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One agent profile, read and checked. Nothing in it is known to the model but the instructions."""

    name: str
    """Unique in its team, also when upper and lower case are taken as one."""
    description: str
    """One sentence for the agents that may delegate to it."""
    instructions: str
    """The body of the Markdown file."""
    model: str
    """`PROVIDER:MODEL`; the team's default when the file names none."""
    tools: tuple[str, ...] = ()
    """Names of tools or of tool groups, in the order of the file."""
    permissions: tuple[Rule, ...] = ()
    """In order of declaration; `delegates_to` comes first as allow rules for `delegate`."""
    delegates_to: tuple[str, ...] = ()
    """Profiles of the same team that it may spawn."""
    max_rounds: int | None = None
    """Rounds per turn; `None` leaves it to the policy."""
    settings: ModelSettings = field(default_factory=ModelSettings)
    """The file's settings over the team's defaults."""
    source: Path = field(default_factory=Path)
    """The file it was read from."""
