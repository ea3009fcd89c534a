"""A tool's schema as the grammar of an answer: what a model of this size can be trusted to fill in.

Sampling is held to the grammar, so the answer is valid by construction. Three things are narrowed:

* only required arguments are asked for; the others keep their defaults,
* texts and lists have a greatest length, because a small model likes to repeat itself until it is cut,
* an argument that is described as a handle can only be an address that the conversation shows, and
  comes last: having written one, the model goes on in its style.
"""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from postroom.testing.local_model.step import order_at
from postroom.testing.local_model.wire import Body

TEXT_CHARS_MAX = 160
ITEMS_MAX = 4
# The form of a handle and of a session id (`postroom.rules.naming`), wherever they stand in a text.
_ADDRESS = re.compile(
    r"(?<![\w-])(?:[a-z0-9]+(?:-[a-z0-9]+)*_[0-9a-f]{8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-])"
)
_Schema = dict[str, JsonValue]


def fitted(schema: Mapping[str, JsonValue], addresses: Sequence[str]) -> _Schema:
    """The schema that the answer is held to."""
    fit = dict(schema)
    if "properties" in fit:
        fields = asked_fields(schema)
        fit["properties"] = {name: _fit(_object(fields[name]), addresses) for name in fields}
        fit["additionalProperties"] = False
    if definitions := _object(fit.get("$defs")):
        fit["$defs"] = {name: fitted(_object(one), addresses) for name, one in definitions.items()}
    return fit


def asked_fields(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The arguments that are asked for, in order, with what the tool says of them."""
    properties, required = _object(schema.get("properties")), _list(schema.get("required"))
    asked = [name for name in properties if name in required]
    return {name: properties[name] for name in sorted(asked, key=lambda n: _is_address(properties[n]))}


def addresses_in(body: Body) -> tuple[str, ...]:
    """The addresses that a call may name: those of the order, else those of the whole conversation."""
    order = order_at(body.messages, body.tools_by_name)
    if order is not None and (named := _addresses(body.messages[order].text)):
        return named
    return _addresses("\n".join(message.text for message in body.messages if message.role != "assistant"))


def _addresses(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_ADDRESS.findall(text)))


def _fit(schema: _Schema, addresses: Sequence[str]) -> JsonValue:
    kind = schema.get("type")
    if kind == "object":
        return fitted(schema, addresses)
    if kind == "array":
        return {
            **schema,
            "maxItems": _at_most(schema.get("maxItems"), ITEMS_MAX),
            **_items(schema, addresses),
        }
    if addresses and _is_address(schema) and (kind == "string" or "anyOf" in schema) and "enum" not in schema:
        return {"type": "string", "enum": list(addresses)}  # of one or several: one
    if kind != "string" or "enum" in schema or "const" in schema:
        return schema
    longest = _at_most(schema.get("maxLength"), TEXT_CHARS_MAX)
    return {"minLength": 1, **schema, "maxLength": longest}


def _is_address(schema: JsonValue) -> bool:
    return "handle" in str(_object(schema).get("description", "")).lower()


def _items(schema: _Schema, addresses: Sequence[str]) -> _Schema:
    items = _object(schema.get("items"))
    return {"items": _fit(items, addresses)} if items else {}


def _at_most(given: JsonValue, most: int) -> int:
    return min(given, most) if isinstance(given, int) else most


def _object(value: JsonValue) -> _Schema:
    return cast("_Schema", value) if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return cast("list[JsonValue]", value) if isinstance(value, list) else []
