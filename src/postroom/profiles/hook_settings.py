"""`[hooks.NAME]` and `[plugins.NAME]`: code of others that looks on and may say no.

A hook is a command, of a team folder or of the person; a plugin is Python, installed by the person.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from postroom.domain.bus import EVENT_TYPES
from postroom.profiles.fields import Fields
from postroom.profiles.located import near
from postroom.rules.naming import is_plugin_name

HOOK_S: Final = 60.0
PLUGIN_S: Final = 2.0
_MOST_S: Final = 3_600.0


class Moment(StrEnum):
    """When a hook is asked or told."""

    EVENT = "event"  # told of every event, after it is durable
    BEFORE_CALL = "tool_before_call"  # asked before a call is made, after permission


CALL_GATE: Final = "tool.before"
"""The bus's word for `tool_before_call`: a hook may name either."""


class OnFailure(StrEnum):
    """What happens to a call when a hook gives no valid answer."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSettings:
    """`[hooks.NAME]`: a command that is told of events or asked about calls."""

    name: str
    """As denials and the log name it."""
    command: str = ""
    """A command line for bash, run in the folder of the file that names it."""
    on: tuple[Moment, ...] = ()
    """`event` (told of what the log says), `tool_before_call` (asked before a call), or events of the bus."""
    types: tuple[str, ...] = ()
    """Bus events that it names in `on`: it is told of each, or asked if that is a gate."""
    events: tuple[str, ...] = ("*",)
    """Kinds of events that it is told of; `*` stands for any characters."""
    tools: tuple[str, ...] = ("*",)
    """Tools that it is asked about; `*` stands for any characters."""
    timeout_s: float = HOOK_S
    """Seconds that one run may take; then it is killed with its children."""
    on_failure: OnFailure = OnFailure.ALLOW
    """What happens to a call when the command fails: `allow` or `deny`."""
    env: tuple[str, ...] = ()
    """Names of environment variables that it may see, besides the few that a command needs."""
    folder: Path = Path()
    """Where it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSettings:
    """`[plugins.NAME]`: how an installed plugin is treated. What is not said is the plugin's own."""

    enabled: bool = True
    """`false`: it is not loaded."""
    timeout_s: float | None = None
    """Seconds that one hook of it may take: 2 unless the plugin says otherwise."""
    on_failure: OnFailure | None = None
    """What happens to a call when the plugin fails: `allow` unless the plugin says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonHooks:
    """What the person's own file says of hooks and plugins."""

    hooks: tuple[HookSettings, ...] = ()
    """`[hooks.NAME]`: commands that are asked about the calls of every team; they have the last word."""
    plugins: Mapping[str, PluginSettings] = field(default_factory=dict[str, PluginSettings])
    """`[plugins.NAME]`: settings of installed plugins by name."""


def read_hooks(table: Fields) -> tuple[HookSettings, ...]:
    """Every command of a `[hooks]` table, in the order of the file."""
    return tuple(_hook(table, name) for name in (table.table.table or {}))


def read_plugins(table: Fields) -> dict[str, PluginSettings]:
    """Every table under `[plugins]`, by name."""
    return {name: _plugin(table, name) for name in (table.table.table or {})}


def _hook(hooks: Fields, name: str) -> HookSettings:
    table = _named(hooks, name, "hooks")
    table.require("command", 'name what it runs: command = "./look.sh"')
    table.require("on", 'say when: on = ["tool_before_call"]')
    hook = HookSettings(
        name=name, command=table.text("command") or "", on=_moments(table), types=_types(table),
        events=table.texts("events") or ("*",), tools=table.texts("tools") or ("*",),
        timeout_s=table.number("timeout_s", least=0.1, most=_MOST_S) or HOOK_S,
        on_failure=_on_failure(table) or OnFailure.ALLOW, env=table.texts("env") or (),
        folder=Path(table.table.file).parent.absolute(),
    )  # fmt: skip
    table.close()
    return hook


def _plugin(plugins: Fields, name: str) -> PluginSettings:
    table = _named(plugins, name, "plugins")
    enabled, timeout_s = table.truth("enabled"), table.number("timeout_s", least=0.1, most=_MOST_S)
    plugin = PluginSettings(enabled=enabled is not False, timeout_s=timeout_s, on_failure=_on_failure(table))
    table.close()
    return plugin


def _named(tables: Fields, name: str, kind: str) -> Fields:
    table = tables.fields(name, kind=f"[{kind}.{name}] key")
    if not is_plugin_name(name):
        tables.complain(table.table, f"`{name}` is no name", "letters, digits, and . _ - between them")
    return table


def _moments(table: Fields) -> tuple[Moment, ...]:
    names, setting = table.texts("on") or (), table.setting("on")
    moments = {moment.value: moment for moment in Moment} | {CALL_GATE: Moment.BEFORE_CALL}
    known = [*moments, *EVENT_TYPES]
    for name in names:
        if name not in known and setting is not None:
            table.complain(
                setting, f"`{name}` is neither a moment nor an event of the bus", near(name, known)
            )
    return tuple(dict.fromkeys(moments[name] for name in names if name in moments))


def _types(table: Fields) -> tuple[str, ...]:
    """The bus events among what `on` names."""
    names = table.texts("on") or ()
    return tuple(dict.fromkeys(name for name in names if name in EVENT_TYPES and name != CALL_GATE))


def _on_failure(table: Fields) -> OnFailure | None:
    text, setting = table.text("on_failure"), table.setting("on_failure")
    known = [choice.value for choice in OnFailure]
    if text is None or setting is None or text in known:
        return None if text is None else OnFailure(text)
    table.complain(setting, f"`{text}` is neither allow nor deny", near(text, known))
    return None
