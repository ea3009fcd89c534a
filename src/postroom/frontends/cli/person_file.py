"""The person's file of settings, changed key by key: comments and order stay, and what would not be read
again is not written.
"""

import re
import tomllib
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from postroom.config import known_keys, read_config
from postroom.errors import ConfigFault
from postroom.llm.vendors import OPENAI, VENDORS
from postroom.observe.files import made_beside
from postroom.profiles.located import near
from postroom.profiles.places import path_of
from postroom.rules.text import is_encodable

Scalar: TypeAlias = str | int | float | bool
Table: TypeAlias = MutableMapping[str, object]

_SECRET_NAMES: Final = re.compile(r"(?:^|[._-])(?:api[_-]?key|key|token|secret|password)$", re.IGNORECASE)
# What vendors give out: a long word, most with a prefix of their own.
_PREFIXED: Final = re.compile(r"(?:sk|pk|rk|gsk|xai|hf|ghp)[-_][\w-]{12,}|AIza[\w-]{20,}")
_LONG_WORD: Final = re.compile(r"[\w-]{32,}")
_OF_TEAMS: Final = frozenset(("entry", "surface", "shell", "mcp", "groups"))
"""What only the settings of a team hold."""
_PATHS: Final = frozenset(("store",))


def set_setting(file: Path, key: str, value: str) -> Scalar:
    """Write one setting; the value as the file holds it now. Durable on return.

    A number or truth is written as one where the key takes it, a path in full. Raises `ConfigFault` for an
    unknown key, a value that the program would not read, and anything that looks like a secret.
    """
    _refuse_secret(key, value)
    if key not in known_keys():
        raise unknown_setting(key, "; nothing was written")
    if not is_encodable(value):
        raise ConfigFault(f"{key}: holds a character that no file can hold", remedy="nothing was written")
    refused: ConfigFault | None = None
    for candidate in _candidates(key, value):
        try:
            _change(file, lambda table, given=candidate: _put(table, key, given), is_checked=True)
        except ConfigFault as fault:
            refused = refused or fault
        else:
            return candidate
    assert refused is not None  # noqa: S101 -- there is a candidate, and each was refused
    raise refused


def unknown_setting(key: str, more: str = "") -> ConfigFault:
    """A complaint about a key that this file cannot hold, with where it belongs or what was meant."""
    table = key.partition(".")[0]
    remedy = f"`{table}` belongs to a team: write it into its postroom.toml"
    return ConfigFault(
        f"there is no setting `{key}` here{more}",
        remedy=remedy if table in _OF_TEAMS else near(key, known_keys()),
    )


def unset_setting(file: Path, key: str) -> bool:
    """Take one setting out of the file, also one that nobody knows; whether it was there."""
    found = False

    def take(table: Table) -> None:
        nonlocal found
        found = _take(table, key.split("."))

    if file.exists():
        _change(file, take, is_checked=False)
    return found


def _refuse_secret(key: str, value: str) -> None:
    """The value is never said back: what is on the screen is copied."""
    is_file = key.endswith("_file")
    looks_like_a_key = _PREFIXED.fullmatch(value) or (is_file and _LONG_WORD.fullmatch(value))
    if not (_SECRET_NAMES.search(key) or (looks_like_a_key and not Path(value).exists())):
        return
    vendor = next((VENDORS[part] for part in key.split(".") if part in VENDORS), OPENAI)
    what = f"{key} takes the name of a file and this looks like a key" if is_file else "a key is no setting"
    raise ConfigFault(
        f"{what}: it would lie where it is copied and shown; nothing was written",
        remedy=f"set {vendor.key_names[0]} in the environment, or put the key into a file that only you can "
        f"read: postroom config set providers.{vendor.name}.api_key_file FILE",
    )


def _candidates(key: str, value: str) -> list[Scalar]:
    """The value as a number or truth if it looks like one, and as text."""
    if key in _PATHS or key.endswith("_file"):
        return [str(path_of(value).absolute())]
    with suppress(tomllib.TOMLDecodeError):
        found = tomllib.loads(f"v = {value}").get("v") if "\n" not in value else None
        if isinstance(found, bool | int | float):
            return [found, value]
    return [value]


def _change(file: Path, edit: Callable[[Table], None], *, is_checked: bool) -> None:
    """Read, edit, read as the program does, and only then replace the file."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with made_beside(file, "the settings", force=True) as partial:
        text = ""
        if file.exists():
            partial.chmod(file.stat().st_mode & 0o777)
            text = file.read_text(encoding="utf-8")
        partial.write_text(_edited(file, text, edit), encoding="utf-8")
        if is_checked:
            _check(partial, file)


def _edited(file: Path, text: str, edit: Callable[[Table], None]) -> str:
    try:
        document = tomlkit.parse(text)
        edit(cast("Table", document))
    except (TOMLKitError, TypeError) as error:  # the second: a value where a table was looked for
        _check(file, file)
        raise ConfigFault(f"{file}: {error}", remedy="mend the file; nothing was written") from error
    return tomlkit.dumps(document)


def _check(partial: Path, file: Path) -> None:
    try:
        read_config(environ={}, person_file=partial)
    except ConfigFault as fault:
        message = fault.message.replace(str(partial), str(file))
        raise ConfigFault(f"{message}; nothing was written", remedy=fault.remedy) from fault


def _put(table: Table, key: str, value: Scalar) -> None:
    *parents, name = key.split(".")
    for parent in parents:
        if parent not in table:
            table[parent] = tomlkit.table()
        table = _inner(table, parent)
    table[name] = value


def _take(table: Table, path: list[str]) -> bool:
    *parents, name = path
    for parent in parents:
        if parent not in table:
            return False
        table = _inner(table, parent)
    if name not in table:
        return False
    del table[name]
    return True


def _inner(table: Table, name: str) -> Table:
    found = table[name]
    if not isinstance(found, MutableMapping):
        raise TypeError(f"`{name}` is no table")
    return cast("Table", found)
