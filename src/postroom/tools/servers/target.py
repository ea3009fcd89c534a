"""What a server's settings mean on this machine: `${NAME}` filled in, and a clean environment.

What came out of our environment is most likely a secret, so it is kept by its name: `mask` puts the
name back wherever a server or an error lets the value slip out.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from postroom.errors import ConfigFault
from postroom.profiles.tool_settings import McpServer

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NAME: Final = re.compile(r"(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,30}[A-Za-z0-9-])?")
# What a program needs to run, to find its files and to speak the person's language. No key is among it.
_PLAIN: Final = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE",
)  # fmt: skip
_SECRET_CHARS_MIN: Final = 6
"""A shorter value is no secret, and hiding it would garble innocent text."""
_SECRET_LINE_CHARS_MIN: Final = 16
"""Of one line of a value that has several, such as a private key; a shorter line may stand anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One server as it is started or reached. Exactly one of `command` and `url` is given."""

    name: str
    command: tuple[str, ...]
    url: str
    env: Mapping[str, str] = field(repr=False)
    """The whole environment of the command."""
    headers: Mapping[str, str] = field(repr=False)
    start_s: float
    call_s: float
    secrets: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Names by value, in each shape that a value may come back in, the longest first."""

    def mask(self, text: str) -> str:
        """The text with every value that came from our environment replaced by its name."""
        for value, name in self.secrets.items():
            text = text.replace(value, f"${{{name}}}")
        return text


def targets(servers: Iterable[McpServer], env: Mapping[str, str]) -> tuple[Target, ...]:
    """The servers, filled in from `env`.

    Raises `ConfigFault` for a name that cannot go in front of tools, a name given twice, or a
    variable that is not set; the message holds names only, never a value.
    """
    made: dict[str, Target] = {}
    for server in servers:
        if not _NAME.fullmatch(server.name):
            raise ConfigFault(
                f"`{server.name}` is no name of an MCP server",
                remedy="use at most 32 letters, digits, - and single _, and no _ at the end",
            )
        if server.name in made:
            raise ConfigFault(f"the MCP server `{server.name}` is configured twice", remedy="rename one")
        made[server.name] = _target(server, env)
    return tuple(made.values())


def _target(server: McpServer, env: Mapping[str, str]) -> Target:
    if bool(server.command) == bool(server.url):
        raise _fault(server, "needs either a `command` or a `url`", "give exactly one of them")
    places = {
        **{f"command[{n}]": text for n, text in enumerate(server.command)},
        **{f"env.{name}": text for name, text in server.env.items()},
        **{f"headers.{name}": text for name, text in server.headers.items()},
        **({"url": server.url} if server.url else {}),
    }
    used = _used(server, places, env)
    filled = {place: _fill(text, env) for place, text in places.items()}
    url = filled.get("url", "")
    if url and not url.startswith(("http://", "https://")):
        raise _fault(server, "`url` is no web address", "start it with https:// or http://")
    plain = {name: env[name] for name in _PLAIN if name in env}
    return Target(
        name=server.name,
        command=tuple(filled[f"command[{n}]"] for n in range(len(server.command))),
        url=url,
        env=plain | {name: filled[f"env.{name}"] for name in server.env},
        headers={name: filled[f"headers.{name}"] for name in server.headers},
        start_s=server.start_s,
        call_s=server.call_s,
        secrets=_secrets(used, env),
    )


def _used(server: McpServer, places: Mapping[str, str], env: Mapping[str, str]) -> set[str]:
    """Every variable that is named. Raises for those that are not set, all in one message."""
    named = [(place, name) for place, text in places.items() for name in _REFERENCE.findall(text)]
    missing = [f"`{place}` names {name}, which is not set" for place, name in named if name not in env]
    if missing:
        variables = ", ".join(sorted({name for _, name in named if name not in env}))
        raise _fault(server, "; ".join(missing), f"set {variables} and start again")
    return {name for _, name in named}


def _fill(text: str, env: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda found: env[found[1]], text)


def _secrets(used: set[str], env: Mapping[str, str]) -> dict[str, str]:
    named = [(env[name], name) for name in sorted(used) if name not in _PLAIN]
    shapes = [(shape, name) for value, name in named for shape in _shapes(value)]
    return dict(sorted(shapes, key=lambda pair: -len(pair[0])))


def _shapes(value: str) -> set[str]:
    """The value as it may come back: as it is, inside JSON, inside an address, and line by line."""
    if len(value) < _SECRET_CHARS_MIN:
        return set()
    lines = {line.strip() for line in value.splitlines()} if "\n" in value else set[str]()
    whole = {
        value,
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(value, safe=""),
    }
    return whole | {line for line in lines if len(line) >= _SECRET_LINE_CHARS_MIN}


def _fault(server: McpServer, cause: str, remedy: str) -> ConfigFault:
    return ConfigFault(f"MCP server `{server.name}`: {cause}", remedy=remedy)
