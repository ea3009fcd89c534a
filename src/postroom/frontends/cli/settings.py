"""`postroom config`: what is set and where, and changes to the person's own file."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from postroom.config import default_person_file, environment_name, known_keys, setting_keys
from postroom.daemon.settings_shown import meant, places_of, shown, value_of
from postroom.domain.plain import Json
from postroom.frontends.cli.exits import DONE
from postroom.frontends.cli.output import Output
from postroom.frontends.cli.parser import Asked, Usage
from postroom.frontends.cli.person_file import set_setting, unknown_setting, unset_setting
from postroom.frontends.cli.reach import config_of
from postroom.profiles.aliases import OFF


def config(asked: Asked, out: Output) -> int:
    """Show or change settings."""
    action, key, value = asked.text("action"), asked.text_or_none("key"), asked.text_or_none("value")
    match action:
        case "get" | "list" if value is None:
            return _get(asked, out, key)
        case "set" if key is not None and value is not None:
            return _set(out, key, value)
        case "unset" if key is not None and value is None:
            return _unset(out, key)
        case _:
            raise Usage(f"config {action} takes {_TAKES[action]}", remedy="see `postroom config --help`")


_TAKES: Final = {
    "get": "a key or nothing", "list": "a key or nothing", "set": "a key and a value", "unset": "a key",
}  # fmt: skip


def _get(asked: Asked, out: Output, key: str | None) -> int:
    """One value alone, so that a script can use it; or all, each with the place that it comes from."""
    if key is not None and key not in known_keys():
        raise unknown_setting(key)
    settings, file = config_of(asked), default_person_file()
    places = _places(asked, file)
    if key is not None:
        value = value_of(settings, key)
        if out.as_json:
            out.document({"key": key, "value": value, "from": places[key]})
        else:
            out.line(_written(key, value))
        return DONE
    rows = [(name, value_of(settings, name), places[name]) for name in setting_keys()]
    if out.as_json:
        listed: list[Json] = [{"key": name, "value": value, "from": place} for name, value, place in rows]
        out.document({"settings": listed, "file": str(file)})
    else:
        out.table(
            ("KEY", "VALUE", "FROM"), [(name, _written(name, value), place) for name, value, place in rows]
        )
    return DONE


def _set(out: Output, key: str, value: str) -> int:
    file = default_person_file()
    written = shown(key, set_setting(file, key, value))
    if out.as_json:
        out.document({"key": key, "value": written, "file": str(file)})
    else:
        out.line(f"{key} = {_written(key, written)} in {file}")
        _note_cover(out, key)
    return DONE


def _unset(out: Output, key: str) -> int:
    file = default_person_file()
    was_there = unset_setting(file, key)
    if out.as_json:
        out.document({"key": key, "was_set": was_there, "file": str(file)})
    else:
        out.line(f"{key} is not set in {file} any more" if was_there else f"{key} was not set in {file}")
        _note_cover(out, key)
    return DONE


def _note_cover(out: Output, key: str) -> None:
    name = environment_name(key)
    if os.environ.get(name):
        out.note(f"{name} in the environment counts more")


def _places(asked: Asked, file: Path) -> Mapping[str, str]:
    """Key -> where its value comes from."""
    found = places_of(os.environ, file)
    if asked.text_or_none("store") is not None:
        found["store"] = "command line"
    return found


def _written(key: str, value: Json) -> str:
    """As a person would write it."""
    if value is None:
        return OFF if meant(key).startswith("policy.") else ""
    return str(value).lower() if isinstance(value, bool) else str(value)
