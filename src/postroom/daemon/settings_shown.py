"""Every setting with its value and the place that it comes from, for the command line and the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, cast

from postroom.config import Config, environment_name, known_keys, read_config, setting_keys
from postroom.errors import ConfigFault
from postroom.llm.keys import ProviderSettings, shown_url
from postroom.profiles.aliases import ALIASES, MICROS, is_in_dollars, without_aliases
from postroom.profiles.budget import shown_price
from postroom.profiles.located import Problem, Setting
from postroom.profiles.toml import read_toml

DEFAULT: Final = "default"
HIDDEN: Final = "(set)"
STARTED_WITH: Final = "as the daemon was started"
Value: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """One setting."""

    key: str
    value: Value
    """Of files with keys only that one is named; nothing for what is not set."""
    place: str
    """Where it comes from: a file and its line, a variable of the environment, the start, or `default`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigView:
    """The settings of the daemon. A team has its own beside them, which only hold for its agents."""

    file: str
    """The person's own file, which need not exist."""
    settings: list[SettingView]


def config_view(config: Config, environ: Mapping[str, str], file: Path) -> ConfigView:
    """What a process runs with. A value that its places do not give now was given to it as it began."""
    places = places_of(environ, file)
    try:
        now = read_config(environ=environ, person_file=file)
    except ConfigFault:
        now = config
    rows = [
        SettingView(key=key, value=_hidden(key, value_of(config, key)), place=(
            places[key] if value_of(now, key) == value_of(config, key) else STARTED_WITH
        ))
        for key in setting_keys()
    ]  # fmt: skip
    return ConfigView(file=str(file), settings=rows)


def places_of(environ: Mapping[str, str], file: Path) -> dict[str, str]:
    """Key -> where its value comes from, of environment, the person's file and what is built in."""
    own = read_toml(file, str(file)) if file.exists() else None
    root = None if own is None or isinstance(own, Problem) else without_aliases(own, [])
    found: dict[str, str] = {}
    for key in known_keys():
        setting = None if root is None else _setting(root, meant(key))
        found[key] = DEFAULT if setting is None else f"{setting.file}:{setting.line}"
        for name in (environment_name(meant(key)), environment_name(key)):
            if environ.get(name):
                found[key] = f"environment, {name}"
    return found


def meant(key: str) -> str:
    """The key itself, or the one that it is another name of."""
    return f"policy.{ALIASES[key]}" if key in ALIASES else key


def value_of(settings: Config, key: str) -> Value:
    """The value of a dotted key; the fields of `[model]` lie in two records."""
    if is_in_dollars(key):
        micros = value_of(settings, meant(key))
        return micros if not isinstance(micros, int) else micros / MICROS
    table, _, name = meant(key).rpartition(".")
    record: object
    match table.split("."):
        case [""]:
            record = settings
        case ["model"]:
            record = settings.model if hasattr(settings.model, name) else settings.model.settings
        case ["providers", vendor]:
            record = settings.providers.get(vendor, ProviderSettings())
        case ["side_calls", purpose]:
            return settings.side_calls.get(purpose)
        case ["budget"]:
            return shown_price(settings.assume_price) or None
        case _:
            record = getattr(settings, table)
    return shown(key, getattr(record, name))


def shown(key: str, value: object) -> Value:
    """A value as it may stand on a screen; an address can hold a password."""
    if key.endswith(".base_url") and isinstance(value, str):
        return shown_url(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[object, ...]", value)))
    return value if isinstance(value, bool | int | float | str) or value is None else str(value)


def _hidden(key: str, value: Value) -> Value:
    """Where keys lie is nobody's business who only holds a token."""
    return HIDDEN if key.endswith("key_file") and value else value


def _setting(root: Setting, key: str) -> Setting | None:
    found: Setting | None = root
    for part in key.split("."):
        found = None if found is None else (found.table or {}).get(part)
    return found
