"""`[shell]`, `[groups]`, `[mcp.NAME]` and `[hooks.NAME]`: the tools of a team, as its folder names them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from postroom.profiles.fields import Fields
from postroom.profiles.hook_settings import HookSettings, read_hooks

DAY_S: Final = 86_400.0
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]|_(?=[A-Za-z0-9-])){0,31}")
_MEBIBYTE: Final = 1024 * 1024
_START_S: Final = 30.0
_CALL_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellSettings:
    """`[shell]`: commands on this machine. Off unless the person says otherwise."""

    allowed: bool = False
    """`true` gives the tool `shell` to the agents that name it."""
    time_limit_s: float = 120.0
    """Seconds until a command that is waited for is killed with its children; a call may ask for less."""
    output_chars_max: int = 30_000
    """Characters of output that the agent reads; the whole output lies in a file beyond that."""
    output_bytes_max: int = 64 * _MEBIBYTE
    """Bytes of output that are kept on disk; what comes after them is dropped, and said to be."""
    env: tuple[str, ...] = ()
    """Names of environment variables that a command may see, besides the few that it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """`[mcp.NAME]`: one server of the Model Context Protocol; either a command or an address."""

    name: str
    """Goes in front of the names of its tools: `NAME__tool`."""
    command: tuple[str, ...] = ()
    """Program and arguments of a server that speaks over its standard input and output."""
    url: str = ""
    """Address of a server that speaks streamable HTTP."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """More environment of the command; `${NAME}` stands for a variable of ours."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Headers of every request to `url`; `${NAME}` stands for a variable of ours."""
    start_s: float = _START_S
    """Seconds that the server has to start and to name its tools."""
    call_s: float = _CALL_S
    """Seconds that one call may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """Everything that a team says of its tools."""

    shell: ShellSettings = field(default_factory=ShellSettings)
    """What commands may do."""
    servers: tuple[McpServer, ...] = ()
    """In the order of the file."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """`[groups]`: a name for several tools, groups and patterns such as `web__*`."""
    hooks: tuple[HookSettings, ...] = ()
    """`[hooks.NAME]`: commands that look on, in the order of the file."""


def read_tool_settings(root: Fields) -> ToolSettings:
    """The four tables; each complains about what it does not know."""
    return ToolSettings(
        shell=_shell(root.fields("shell", kind="[shell] key")),
        servers=_servers(root.fields("mcp", kind="server")),
        groups=_groups(root.fields("groups", kind="group")),
        hooks=read_hooks(root.fields("hooks", kind="hook")),
    )


def _shell(table: Fields) -> ShellSettings:
    defaults = ShellSettings()
    allowed, limit = table.truth("allowed"), table.number("time_limit_s", least=0.1, most=DAY_S)
    chars = table.integer("output_chars_max", least=1_000, most=1_000_000)
    kept = table.integer("output_bytes_max", least=1_000, most=1024 * _MEBIBYTE)
    env = table.texts("env")
    table.close()
    return ShellSettings(
        allowed=defaults.allowed if allowed is None else allowed,
        time_limit_s=limit or defaults.time_limit_s,
        output_chars_max=chars or defaults.output_chars_max,
        output_bytes_max=kept or defaults.output_bytes_max,
        env=env or (),
    )


def _servers(table: Fields) -> tuple[McpServer, ...]:
    names = tuple(table.table.table or {})
    return tuple(_server(table, name) for name in names)


def _server(servers: Fields, name: str) -> McpServer:
    table = servers.fields(name, kind=f"[mcp.{name}] key")
    if not _NAME.fullmatch(name):
        servers.complain(table.table, f"`{name}` is no name of a server", "letters, digits, - and single _")
    command, url = table.texts("command") or (), table.text("url") or ""
    if bool(command) == bool(url):
        remedy = 'command = ["program", "argument"], or url = "https://example.com/mcp"'
        servers.complain(table.table, "needs either a `command` or a `url`", remedy)
    start_s, call_s = (table.number(key, least=0.1, most=DAY_S) for key in ("start_s", "call_s"))
    server = McpServer(
        name=name, command=command, url=url, env=_texts(table, "env"), headers=_texts(table, "headers"),
        start_s=start_s or _START_S, call_s=call_s or _CALL_S,
    )  # fmt: skip
    table.close()
    return server


def _texts(table: Fields, key: str) -> dict[str, str]:
    inner = table.fields(key)
    read = {name: inner.text(name) for name in (inner.table.table or {})}
    return {name: text for name, text in read.items() if text is not None}


def _groups(table: Fields) -> dict[str, tuple[str, ...]]:
    return {name: table.texts(name) or () for name in (table.table.table or {})}
