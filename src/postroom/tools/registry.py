"""All the tools of a process by name, and which of them a profile gets."""

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from postroom.errors import ConfigFault
from postroom.tools.base import Tool, Toolset


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Tools and groups. A name means one thing: a tool or a group, from one place."""

    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    """By the name that the model calls."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Names of tools by the name of their group."""

    @property
    def names(self) -> frozenset[str]:
        """Everything that a profile may write under `tools`."""
        return frozenset(self.tools) | frozenset(self.groups)

    def select(self, names: Iterable[str]) -> dict[str, Tool]:
        """The tools of these names and groups, in order, each once.

        Raises `ConfigFault` for a name that is neither.
        """
        selected: dict[str, Tool] = {}
        for name in names:
            if name not in self.names:
                close = difflib.get_close_matches(name, self.names, n=1)
                remedy = f"did you mean {close[0]}?" if close else "load it with --tools"
                raise ConfigFault(f"there is no tool or group `{name}`", remedy=remedy)
            members = (name,) if name in self.tools else self.groups[name]
            selected |= {member: self.tools[member] for member in members}
        return selected


def build_registry(toolsets: Iterable[Toolset], *, reserved: Collection[str] = ()) -> Registry:
    """One registry of several toolsets; `reserved` are names that Postroom itself needs.

    Raises `ConfigFault` when a name would mean two things.
    """
    tools: dict[str, Tool] = {}
    origins: dict[str, str] = dict.fromkeys(reserved, "Postroom itself")
    groups: dict[str, tuple[str, ...]] = {}
    for toolset in toolsets:
        for tool in toolset.tools:
            name = tool.spec.name
            if name in origins:
                raise _collision(name, toolset.origin, origins[name])
            tools[name], origins[name] = tool, toolset.origin
            groups[toolset.group] = (*groups.get(toolset.group, ()), name)
    for group, members in groups.items():
        # A module `search` with the one function `search` is no collision: both mean the same.
        if group in origins and members != (group,):
            raise _collision(group, f"the group of `{members[0]}`", origins[group])
    return Registry(tools=tools, groups=groups)


def _collision(name: str, one: str, other: str) -> ConfigFault:
    return ConfigFault(
        f"the tool name `{name}` is taken twice: by {one} and by {other}",
        remedy="rename one, for instance with @tool(name=...)",
    )
