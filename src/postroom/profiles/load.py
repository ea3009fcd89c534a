"""One profile file into one `Profile`, or into everything that is wrong with it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from postroom.profiles.fields import Fields
from postroom.profiles.front_matter import Document
from postroom.profiles.located import Problem, near
from postroom.profiles.model_defaults import ModelDefaults, read_model_name, read_settings
from postroom.profiles.names import name_problem
from postroom.profiles.profile import Profile
from postroom.profiles.rights import read_rules
from postroom.rules.permissions import Effect, Rule
from postroom.rules.text import is_blank, is_encodable

ROUNDS_MAX: Final = 10_000


def claimed_name(document: Document) -> str | None:
    """The name a file gives itself, before anybody has looked whether it may."""
    setting = (document.settings.table or {}).get("name")
    return setting.value if setting and isinstance(setting.value, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the files of a team may name; `None` where nobody has looked."""

    tools: Collection[str] | None = None
    """Names of tools and of groups of tools."""
    providers: Collection[str] | None = None
    """What may stand before the colon of a model."""
    agents: Collection[str] = ()
    """The names that the team's profiles give themselves."""


def read_profile(
    document: Document,
    source: Path,
    defaults: ModelDefaults,
    known: Known,
    problems: list[Problem],
) -> Profile:
    """The profile, with the team's defaults where it is silent. Unusable once there are problems."""
    fields = Fields(document.settings, problems)
    name = _name(fields)
    rules = read_rules(fields.fields("permissions", kind="action"), known.agents)
    fields.require("description", "say in one sentence what the agent is for")
    description = fields.text("description") or ""
    delegates_to = _named(fields, "delegates_to", "agent", known.agents)
    profile = Profile(
        name=name,
        description=description,
        instructions=_instructions(document, problems),
        model=_model(fields, defaults, known),
        tools=_named(fields, "tools", "tool or group", known.tools),
        permissions=(*_implied(delegates_to), *rules),
        delegates_to=delegates_to,
        max_rounds=fields.integer("max_rounds", least=1, most=ROUNDS_MAX),
        settings=read_settings(fields, defaults.settings),
        source=source,
    )
    fields.close()
    return profile


def _name(fields: Fields) -> str:
    fields.require("name", "give the agent a name, such as `name: writer`")
    name, setting = fields.text("name"), fields.setting("name")
    if name is None or setting is None:
        return ""
    if problem := name_problem(name):
        fields.complain(setting, problem, "choose another name")
    return name


def _model(fields: Fields, defaults: ModelDefaults, known: Known) -> str:
    if fields.setting("model") is None and defaults.name is None:
        fields.require("model", "name one here, or `name` under `[model]` in postroom.toml")
    return read_model_name(fields, "model", known.providers) or defaults.name or ""


def _instructions(document: Document, problems: list[Problem]) -> str:
    file, line = document.settings.file, document.body_line
    if is_blank(document.body):
        message, remedy = "the instructions are blank", "write them under the front matter"
        problems.append(Problem(file=file, line=line, key="", message=message, remedy=remedy))
    elif not is_encodable(document.body):
        at = next(n for n, text in enumerate(document.body.split("\n")) if not is_encodable(text))
        message = "the instructions hold a character that no model can be sent"
        problems.append(Problem(file=file, line=line + at, key="", message=message))
    return document.body.strip()


def _implied(delegates_to: tuple[str, ...]) -> Iterator[Rule]:
    """Naming a profile under `delegates_to` allows it; a rule of the file's own comes later."""
    return (Rule(action="delegate", pattern=name, effect=Effect.ALLOW) for name in delegates_to)


def _named(fields: Fields, key: str, what: str, known: Collection[str] | None) -> tuple[str, ...]:
    """A list of names, each of which leads somewhere and is there once."""
    names = fields.texts(key) or ()
    listed = fields.setting(key)
    seen: set[object] = set()
    for item in (listed.items if listed else None) or ():
        if item.value in seen:
            fields.complain(item, f"`{item.value}` is listed twice", "keep one of them")
        elif item.value in names and known is not None and item.value not in known:
            fields.complain(item, *_stranger(str(item.value), what, known))
        seen.add(item.value)
    return names


def _stranger(name: str, what: str, known: Collection[str]) -> tuple[str, str]:
    return f"there is no {what} `{name}` here", near(name, known)
