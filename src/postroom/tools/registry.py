"""All the tools of a team by name, and which of them a profile gets."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from postroom.errors import ConfigFault
from postroom.llm.port import Json, ToolSpec
from postroom.tools.base import Caller, Tool, ToolResult, Toolset

OURS = "Postroom itself"
"""Who takes the names of mail tools."""
_NO_GROUPS: Mapping[str, tuple[str, ...]] = {}
_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Tools and groups. A name means one thing: a tool or a group, from one place."""

    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    """By the name that the model calls."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What a group stands for: names of tools, of other groups, and patterns."""
    servers: frozenset[str] = frozenset()
    """Servers whose tools are named `SERVER__tool`, and may not be there at the moment."""
    withheld: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tools that are not there because the person has not allowed them, with what would allow them."""
    mail: frozenset[str] = frozenset()
    """Groups of the surface's own tools, which are not among `tools`."""

    @property
    def names(self) -> frozenset[str]:
        """Every tool and every group that there is now."""
        return frozenset(self.tools) | frozenset(self.groups) | self.mail

    def select(self, names: Iterable[str]) -> dict[str, Tool]:
        """The tools of these names, groups and patterns such as `web__*`, in order, each once.

        A tool that its server does not offer now is there too, and says so when it is called. Raises
        `ConfigFault` for a name or a pattern that stands for nothing.
        """
        selected: dict[str, Tool] = {}
        for name in self._expanded(names, ()):
            if name not in self.mail:
                selected.setdefault(name, self.tools.get(name) or _missing(name))
        return selected

    def mail_groups(self, names: Iterable[str]) -> frozenset[str]:
        """Which groups of the surface's own tools are named. Raises as `select` does."""
        return frozenset(name for name in self._expanded(names, ()) if name in self.mail)

    def _expanded(self, names: Iterable[str], within: tuple[str, ...]) -> Iterator[str]:
        for name in names:
            if name in self.tools or name in self.mail:
                yield name
            elif name in self.groups:
                if name in within:
                    raise ConfigFault(
                        f"the group `{name}` holds itself", remedy="take it out of its own list"
                    )
                yield from self._expanded(self.groups[name], (*within, name))
            elif "*" in name:
                yield from self._matching(name)
            elif self._is_of_server(name):
                yield name
            else:
                raise self._unknown(name)

    def _matching(self, pattern: str) -> list[str]:
        found = [name for name in self.tools if fnmatchcase(name, pattern)]
        if not found and not self._is_of_server(pattern):
            raise ConfigFault(f"no tool is named like `{pattern}`", remedy="load it with --tools")
        return found

    def _is_of_server(self, name: str) -> bool:
        server, marker, _ = name.partition("__")
        return bool(marker) and server in self.servers

    def _unknown(self, name: str) -> ConfigFault:
        if name in self.withheld:
            return ConfigFault(f"`{name}` is not allowed here", remedy=self.withheld[name])
        close = difflib.get_close_matches(name, self.names, n=1)
        remedy = f"did you mean {close[0]}?" if close else "load it with --tools"
        return ConfigFault(f"there is no tool or group `{name}`", remedy=remedy)


def build_registry(
    toolsets: Iterable[Toolset],
    *,
    reserved: Mapping[str, str] = _NOTHING,
    mail: Collection[str] = (),
    groups: Mapping[str, tuple[str, ...]] = _NO_GROUPS,
    servers: Collection[str] = (),
    withheld: Mapping[str, str] = _NOTHING,
) -> Registry:
    """One registry of several toolsets; `reserved` are names that are taken already, and by whom.

    One tool may be in several groups. `mail` are groups of a surface's tools, `groups` those of a team's own.
    Raises `ConfigFault` when a name would mean two things.
    """
    tools: dict[str, Tool] = {}
    origins: dict[str, str] = {**reserved, **dict.fromkeys(mail, OURS)}
    members: dict[str, tuple[str, ...]] = {}
    for toolset in toolsets:
        members.setdefault(toolset.group, ())
        for tool in toolset.tools:
            name = tool.spec.name
            if name in origins and tools.get(name) is not tool:
                raise _collision(name, toolset.origin, origins[name])
            if name in members[toolset.group]:
                raise _collision(name, toolset.origin, origins[name])
            tools[name] = tool
            origins.setdefault(name, toolset.origin)
            members[toolset.group] = (*members[toolset.group], name)
    _check_groups(members, origins)
    _check_own_groups(groups, members, origins)
    return Registry(
        tools=tools, groups={**members, **groups}, servers=frozenset(servers), withheld=withheld,
        mail=frozenset(mail),
    )  # fmt: skip


def _check_groups(members: Mapping[str, tuple[str, ...]], origins: Mapping[str, str]) -> None:
    for group, names in members.items():
        # A module `search` with the one function `search` is no collision: both mean the same.
        if group in origins and names != (group,):
            raise _collision(group, f"the group of `{next(iter(names), '')}`", origins[group])


def _check_own_groups(
    groups: Collection[str], members: Mapping[str, tuple[str, ...]], origins: Mapping[str, str]
) -> None:
    for group in groups:
        if group in origins or group in members:
            raise _collision(group, "[groups]", origins.get(group, "a group of tools"))


def _missing(name: str) -> Tool:
    """Stands where a tool of a server should be: a visible error is better than a tool that is gone."""
    server = name.partition("__")[0]

    async def run(_caller: Caller, _arguments: Mapping[str, Json]) -> ToolResult:
        return ToolResult(text=f"{name}: the server `{server}` does not offer this tool now", is_error=True)

    spec = ToolSpec(
        name=name,
        description=f"Not available: the server `{server}` does not offer it now.",
        parameters={"type": "object", "properties": {}, "additionalProperties": True},
    )
    return Tool(spec=spec, run=run)


def _collision(name: str, one: str, other: str) -> ConfigFault:
    return ConfigFault(
        f"the tool name `{name}` is taken twice: by {one} and by {other}",
        remedy="rename one, for instance with @tool(name=...)",
    )
