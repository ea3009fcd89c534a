"""Which of a server's tools an agent can be offered, and why the others cannot.

A server is somebody else's program: it may name its tools as it likes, twice, or by the thousand.
What cannot be offered is never dropped in silence; it is told by the stand-in tool of the server.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from postroom.llm.port import Json, ToolSpec
from postroom.rules.text import scrub

STAND_IN: Final = "unavailable"
"""The tool of this name speaks for what a server cannot give."""
TOOLS_MAX: Final = 256
"""Tools of one server. Vendors take 128 to a few hundred in one request."""
DESCRIPTION_CHARS_MAX: Final = 8_000
SCHEMA_BYTES_MAX: Final = 64 * 1024
NAME_CHARS_MAX: Final = 64
"""What every provider accepts; see `postroom.tools.python.NAME`."""
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]")
_TELLING: Final = re.compile(r"[A-Za-z0-9]")
_SHOWN_CHARS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A tool as its server lists it."""

    name: str
    description: str
    schema: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A tool as an agent gets it, and what its server calls it."""

    spec: ToolSpec
    remote_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """All that a server gives: ordered by name, so that a server's whim changes no request."""

    tools: tuple[Offered, ...] = ()
    problems: tuple[str, ...] = ()
    """Why the tools that are missing here cannot be offered."""


def make_offer(server: str, listed: Sequence[Listed]) -> Offer:
    """The tools that can be offered as `server__tool`. Two that would share a name are both left out."""
    problems: list[str] = []
    if len(listed) > TOOLS_MAX:
        problems.append(f"it lists {len(listed)} tools; those after the first {TOOLS_MAX} are left out")
    named = [(fit_name(server, tool.name), tool) for tool in listed[:TOOLS_MAX]]
    taken = Counter(name for name, _ in named)
    fit: list[Offered] = []
    for name, tool in named:
        if (problem := _problem(name, tool, server, taken)) is None:
            fit.append(Offered(spec=_spec(name, tool), remote_name=tool.name))
        elif problem not in problems:
            problems.append(problem)
    return Offer(tools=tuple(sorted(fit, key=lambda tool: tool.spec.name)), problems=tuple(problems))


def fit_name(server: str, tool: str) -> str:
    """What the tool is called here: its server's name in front, and `_` for what no provider takes."""
    return f"{server}__{_UNFIT.sub('_', tool)}"


def resource_name(server: str, name: str) -> str:
    """`server/tool` for the tool `server__tool`: what rules name, in the letters that a model sees."""
    return f"{server}/{name.removeprefix(f'{server}__')}"


def _problem(name: str, tool: Listed, server: str, taken: Counter[str]) -> str | None:
    shown = _shown(tool.name)
    if not _TELLING.search(tool.name):
        return f"{shown} has no letter or digit that a provider takes"
    if len(name) > NAME_CHARS_MAX:
        return f"{shown} is too long: `{server}__` and the name may have {NAME_CHARS_MAX} characters"
    if taken[name] > 1:
        return f"{taken[name]} tools would be called `{name}`, and none of them is offered"
    if name == fit_name(server, STAND_IN):
        return f"the name `{name}` is Postroom's own"
    return _problem_of_schema(shown, tool.schema)


def _problem_of_schema(shown: str, schema: Mapping[str, Json]) -> str | None:
    if len(json.dumps(schema)) > SCHEMA_BYTES_MAX:
        return f"the schema of {shown} is longer than {SCHEMA_BYTES_MAX // 1024} KiB"
    if not _is_of_an_object(schema):
        return f"the schema of {shown} is not that of an object with named properties"
    return None


def _is_of_an_object(schema: Mapping[str, Json]) -> bool:
    """Whether it has the form that a vendor asks of arguments; one bad tool spoils the whole request."""
    properties, required = schema.get("properties", {}), schema.get("required", [])
    return (
        schema.get("type", "object") == "object"
        and isinstance(properties, dict)
        and all(isinstance(each, dict | bool) for each in properties.values())
        and isinstance(required, list)
        and all(isinstance(name, str) for name in required)
    )


def _spec(name: str, tool: Listed) -> ToolSpec:
    text = scrub(tool.description)
    if len(text) > DESCRIPTION_CHARS_MAX:
        text = f"{text[:DESCRIPTION_CHARS_MAX]}\n[the description is longer; the rest is left out]"
    # A vendor refuses the schema of an object that does not say which properties it has, even none.
    parameters: dict[str, Json] = {"type": "object", "properties": {}, **tool.schema}
    return ToolSpec(name=name, description=text, parameters=parameters)


def _shown(name: str) -> str:
    text = scrub(name)
    return f"`{text}`" if len(text) <= _SHOWN_CHARS else f"`{text[:_SHOWN_CHARS]}…`"
