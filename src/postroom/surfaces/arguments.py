"""Strict arguments: an unknown, missing or mistyped field is an error, never a guess (CK-21)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from postroom.domain.plain import Json
from postroom.rules.markers import label
from postroom.rules.text import scrub

Values: TypeAlias = Mapping[str, str | bool | int]
"""Arguments with their defaults; what may be left out and has none is missing."""
_TYPES = {"string": str, "boolean": bool, "integer": int}
_INTEGER_MAX = 2**63 - 1
"""The largest number that the store can compare with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One argument: its JSON type, what it means, and its default when it may be left out."""

    name: str
    type: str
    description: str
    default: str | bool | int | None = None
    required: bool = True
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    raw: bool = False
    """Kept as given, for texts that a guard must see whole; others are scrubbed (O-27)."""


def schema(fields: tuple[Field, ...]) -> dict[str, Json]:
    """The closed JSON schema of a tool's arguments."""
    properties: dict[str, Json] = {}
    for field in fields:
        one: dict[str, Json] = {"type": field.type, "description": field.description}
        if field.choices:
            one["enum"] = list(field.choices)
        if field.least is not None:
            one["minimum"] = field.least
        if field.most is not None:
            one["maximum"] = field.most
        if field.default is not None:
            one["default"] = field.default
        properties[field.name] = one
    required: list[Json] = [f.name for f in fields if f.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def decode(fields: tuple[Field, ...], given: Mapping[str, Json]) -> dict[str, str | bool | int] | str:
    """The arguments with their defaults, or what is wrong with them."""
    known = {f.name: f for f in fields}
    if (unknown := unknown_in(given, known)) is not None:
        return unknown
    values: dict[str, str | bool | int] = {}
    for field in fields:
        if field.name not in given and field.required:
            return f"argument {field.name} is missing"
        value = given.get(field.name, field.default)
        if field.name in given and (wrong := _wrong(field, value)) is not None:
            return wrong
        if isinstance(value, str | bool | int):
            values[field.name] = scrub(value) if isinstance(value, str) and not field.raw else value
    return values


def unknown_in(given: Mapping[str, Json], known: Collection[str]) -> str | None:
    """What is wrong with arguments that there are not."""
    unknown = sorted(set(given) - set(known))
    return f"unknown argument {label(', '.join(unknown))}; known are {', '.join(known)}" if unknown else None


def _wrong(field: Field, value: Json) -> str | None:
    wanted = _TYPES[field.type]
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        return f"argument {field.name} must be of type {field.type}"
    most = _INTEGER_MAX if field.most is None else field.most
    if isinstance(value, int) and not _least(field) <= value <= most:
        return f"argument {field.name} must be from {_least(field)} to {most}"
    if field.choices and value not in field.choices:
        return f"argument {field.name} must be one of {', '.join(field.choices)}"
    return None


def _least(field: Field) -> int:
    return -_INTEGER_MAX if field.least is None else field.least
