"""Reading a JSON body that nobody trusts: the first thing that does not fit is a `Breach`."""

import json
from collections.abc import Mapping
from typing import TypeAlias, cast

from postroom.llm.port import Json
from postroom.testing.provider_emulator.breach import Breach, Place, Rule

Fields: TypeAlias = dict[str, Json]
Shape: TypeAlias = Mapping[str, tuple[type, ...]]
"""The fields an object may have, and the types each of them may be of. `None` is always allowed."""

NUMBER = (int, float)
TEXT = (str,)
FLAG = (bool,)
LIST = (list,)
OBJECT = (dict,)
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def parsed(raw: bytes) -> Fields:
    """The object in these bytes."""
    try:
        body = cast("Json", json.loads(raw.decode("utf-8")))
        # A lone surrogate survives as an escape; only encoding the text again finds it.
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except (UnicodeError, ValueError, RecursionError) as error:
        raise Breach(Rule.NOT_UTF8) from error
    return an_object(body, ("body",))


def an_object(value: Json, at: Place) -> Fields:
    """The value, which must be an object."""
    if not isinstance(value, dict):
        raise Breach(Rule.WRONG_TYPE, at=at, names=("object",))
    return value


def a_list(value: Json, at: Place) -> list[Json]:
    """The value, which must be a list; an absent one is empty."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Breach(Rule.WRONG_TYPE, at=at, names=("array",))
    return value


def a_text(fields: Fields, name: str, at: Place) -> str:
    """A field that must be there as text."""
    if fields.get(name) is None:
        raise Breach(Rule.MISSING_FIELD, at=(*at, name))
    value = fields[name]
    if not isinstance(value, str):
        raise Breach(Rule.WRONG_TYPE, at=(*at, name), names=("string",))
    return value


def check_shape(fields: Fields, shape: Shape, at: Place = (), *, required: tuple[str, ...] = ()) -> None:
    """Refuse fields that are unknown, missing or of a wrong type."""
    for name, value in fields.items():
        if name not in shape:
            raise Breach(Rule.UNKNOWN_FIELD, at=(*at, name))
        if value is not None and not _fits(value, shape[name]):
            expected = " or ".join(_NAMES[each] for each in shape[name])
            raise Breach(Rule.WRONG_TYPE, at=(*at, name), names=(expected,))
    for name in required:
        if fields.get(name) is None:
            raise Breach(Rule.MISSING_FIELD, at=(*at, name))


def _fits(value: Json, types: tuple[type, ...]) -> bool:
    # In Python a bool is an int; on a wire it is not.
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, types)
